// SPDX-License-Identifier: MIT
#include "config/manual/command_tree.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/manual/page.h"

namespace dunlin::config {
namespace {

using Strings = std::vector<std::string>;

/// A program with one command of each kind.
class SmallProgram {
 public:
  SmallProgram() {
    app_.footer("Begin with `small eat`.");
    CLI::App& eat = *app_.add_subcommand("eat", "Eat grain; or what there is");
    eat.group("Use");
    auto* const all = eat.add_flag("-a,--all", flag_, "All of it");
    eat.add_option("--state", text_, "Only this")
        ->type_name("STATE")
        ->check(CLI::IsMember({"ripe", "dry"}))
        ->excludes(all);
    eat.add_option("--limit", number_, "So many. At most")
        ->type_name("N")
        ->check(CLI::Range(1, 9))
        ->needs(all);
    eat.add_option("--plot", text_, "Where")->type_name("DIR")->group("Other");
    eat.add_option("jobs", texts_, "Jobs: 12")->required()->type_name("JOB");
    eat.footer("Examples:\n  small eat --all 12\nOr, for one:\n  small eat 'a b'");
    CLI::App& nest = *app_.add_subcommand("nest", "Build nests");
    nest.add_subcommand("line", "Line one")->add_option("node", text_, "Which")->type_name("NAME");
    app_.add_subcommand("secret", "Hidden")->group("");
  }
  CommandTree tree() const { return command_tree(app_); }

 private:
  CLI::App app_{"Small things", "small"};
  std::string text_;
  Strings texts_;
  int number_ = 0;
  bool flag_ = false;
};

TEST(CommandTree, TellsWhatTheCommandLineKnows) {
  const CommandTree tree = SmallProgram().tree();
  ASSERT_EQ(tree.commands.size(), 2u);  // And not what help hides.
  const CommandTree& eat = tree.commands[0];
  EXPECT_EQ(eat.path, "small eat");
  EXPECT_EQ(eat.group, "Use");
  ASSERT_EQ(eat.flags.size(), 5u);
  EXPECT_EQ(eat.flags[1].names, (Strings{"--all", "-a"}));
  EXPECT_EQ(eat.flags[1].value, "");
  EXPECT_EQ(eat.flags[2].value, "STATE");
  EXPECT_EQ(eat.flags[2].words, (Strings{"ripe", "dry"}));
  EXPECT_EQ(eat.flags[2].kind, ValueKind::words);
  EXPECT_EQ(eat.flags[2].excludes, Strings{"--all"});
  EXPECT_EQ(eat.flags[3].range, "1 to 9");
  EXPECT_EQ(eat.flags[3].needs, Strings{"--all"});
  EXPECT_EQ(eat.flags[4].kind, ValueKind::folders);
  EXPECT_EQ(eat.flags[4].group, "Other");
  ASSERT_EQ(eat.arguments.size(), 1u);
  EXPECT_EQ(eat.arguments[0].kind, ValueKind::jobs);
  EXPECT_TRUE(eat.arguments[0].required && eat.arguments[0].many);
  EXPECT_EQ(tree.commands[1].commands.at(0).arguments.at(0).kind, ValueKind::nodes);
}

// A command inherits the footer of the one above it, which is about other things.
TEST(CommandTree, HasTheFooterOfTheCommandAlone) {
  const CommandTree tree = SmallProgram().tree();
  EXPECT_EQ(tree.footer, "Begin with `small eat`.");
  EXPECT_NE(tree.commands[0].footer.find("small eat --all"), std::string::npos);
  EXPECT_EQ(tree.commands[1].footer, "");
  EXPECT_EQ(tree.commands[1].commands[0].footer, "");
}

constexpr const char* kPageOfEat =
    R"(.Dt SMALL-EAT 1
.Os Dunlin )" DUNLIN_VERSION R"(
.Sh NAME
.Nm small-eat
.Nd eat grain; or what there is
.Sh SYNOPSIS
.Nm "small eat"
.Op Ar options
.Ar JOB ...
.Sh DESCRIPTION
Eat grain; or what there is.
.Bl -tag -width Ds
.It Ar JOB
Jobs: 12.
.El
.Sh OPTIONS
.Bl -tag -width Ds
.It Fl \-help , Fl h
Print this help message and exit.
.It Fl \-all , Fl a
All of it.
Not with \-\-state.
.It Fl \-state Ar STATE
Only this.
One of ripe, dry.
Not with \-\-all.
.It Fl \-limit Ar N
So many.
At most.
From 1 to 9.
Only with \-\-all.
.El
.Ss Other
.Bl -tag -width Ds
.It Fl \-plot Ar DIR
Where.
.El
.Sh EXIT STATUS
.Bl -tag -width Ds
.It 0
small eat is done.
.El
.Sh EXAMPLES
.Bd -literal -offset indent
small eat \-\-all 12
.Ed
.Pp
Or, for one:
.Bd -literal -offset indent
small eat \(aqa b\(aq
.Ed
.Sh SEE ALSO
.Xr small 1 ,
.Xr large 7
)";

TEST(CommandPage, SaysAllOfACommand) {
  const auto pages = command_pages(SmallProgram().tree(), [](const std::string& path) {
    return PageNotes{{{"0", path + " is done"}}, {{"large", 7}}};
  });
  ASSERT_EQ(pages.size(), 4u);
  EXPECT_EQ(pages[3].file(), "man1/small-nest-line.1");
  const std::string& text = pages[1].text;
  EXPECT_EQ(text.substr(text.find(".Dt ")), kPageOfEat);
  EXPECT_NE(pages[0].text.find(".Ss \\&Use\n"), std::string::npos);
  EXPECT_NE(pages[0].text.find(".It Xr small-nest 1\n"), std::string::npos);
}

TEST(ParamSections, SayRangeDefaultAndSource) {
  EXPECT_EQ(param_sections({{"cyclon", "period", "duration", "100ms .. 1m (log)", "1s", "Mean time",
                                "Voulgaris 2005"},
                {"cyclon", "name", "text", "", "", "A name.", ""},
                {"bank", "spare", "choice", "share, need", "share", "By what", ""}}),
      ".Ss Section cyclon\n.Bl -tag -width Ds\n.It Ic period\nMean time.\n"
      "A duration, 100ms to 1m.\nDefault: 1s.\nSource: Voulgaris 2005.\n"
      ".It Ic name\nA name.\nNot set by default.\n.El\n"
      ".Ss Section bank\n.Bl -tag -width Ds\n.It Ic spare\nBy what.\nOne of share, need.\n"
      "Default: share.\n.El\n");
}

}  // namespace
}  // namespace dunlin::config
