// SPDX-License-Identifier: MIT
#include "config/manual/completion.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/scratch.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/program.h"

// Completion is tried as bash calls it: with the words that bash makes of a half-typed line.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

config::CommandTree whole_program() {
  CLI::App app;
  Invocation invocation;
  describe_program(app, invocation);
  add_commands(app, invocation, all_commands());
  return config::command_tree(app);
}

/// A shell that has read the script, and a `dunlin` that knows some names.
class CompletionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto script = config::completion_script(whole_program(), "bash");
    ASSERT_TRUE(script);
    test::write_file(script_, *script);
    test::write_file(program_,
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + calls_ +
            "\ncase \"$*\" in\n"
            "  *jobs) printf '12\\trender, running\\nmerlin.7\\tfetch, waiting\\n' ;;\n"
            "  *nodes) printf 'merlin\\tup\\nhobby\\tup\\n' ;;\n"
            "  *classes) printf 'gold\\tweight 5\\n' ;;\nesac\n");
    ASSERT_EQ(std::system(("chmod +x " + program_).c_str()), 0);
  }

  /// What is offered for a line, of which `words` are the words as bash writes them.
  std::string offered(const std::string& words) const {
    const std::string line = folder_ / "line";
    test::write_file(line,
        "PATH=" + folder_.path() + ":$PATH\ncd " + folder_.path() + "\n. " + script_ +
            "\nCOMP_WORDS=(" + words +
            ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_dunlin\necho \"${COMPREPLY[*]}\"\n");
    std::FILE* const answers = popen(("bash " + line + " 2>&1").c_str(), "r");
    if (answers == nullptr) return "no bash";
    std::string text;
    for (char piece[256]; std::fgets(piece, sizeof piece, answers) != nullptr;) text += piece;
    pclose(answers);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  std::string calls() const { return test::file_text(calls_); }

  test::Scratch folder_;
  std::string script_ = folder_ / "script";
  std::string program_ = folder_ / "dunlin";
  std::string calls_ = folder_ / "calls";
};

TEST_F(CompletionTest, OffersCommandsAndFlags) {
  EXPECT_EQ(std::system(("bash -n " + script_).c_str()), 0);
  EXPECT_EQ(offered("dunlin expl"), "explain");
  EXPECT_EQ(offered("dunlin node dr"), "drain");
  EXPECT_EQ(offered("dunlin cells wr"), "write-off");
  EXPECT_EQ(offered("dunlin run --cp"), "--cpus");
  EXPECT_EQ(offered("dunlin jobs --cp"), "");
  EXPECT_EQ(offered("dunlin --js"), "--json");
  EXPECT_EQ(offered("dunlin help expl"), "explain");
  EXPECT_EQ(offered("dunlin jobs ''"), "");
}

TEST_F(CompletionTest, OffersTheWordsOfAFlag) {
  EXPECT_EQ(offered("dunlin jobs --state r"), "running");
  // Bash cuts "--state=r" at the sign.
  EXPECT_EQ(offered("dunlin jobs --state = r"), "running");
  EXPECT_EQ(offered("dunlin agent --stop ''"), "drain keep");
  EXPECT_EQ(offered("dunlin agent --cpu-quota t"), "true");
  EXPECT_EQ(offered("dunlin completion ''"), "bash zsh fish");
  EXPECT_EQ(offered("dunlin run --cpus ''"), "");
  EXPECT_EQ(calls(), "");  // Nothing is started for what the script knows.
}

TEST_F(CompletionTest, AsksForNames) {
  EXPECT_EQ(offered("dunlin cancel ''"), "12 merlin.7");
  EXPECT_EQ(offered("dunlin logs m"), "merlin.7");
  EXPECT_EQ(offered("dunlin submit --after ''"), "12 merlin.7");
  EXPECT_EQ(offered("dunlin node drain m"), "merlin");
  EXPECT_EQ(offered("dunlin jobs --node h"), "hobby");
  EXPECT_EQ(offered("dunlin submit --class ''"), "gold");
  EXPECT_EQ(offered("dunlin share remove ''"), "gold");
  EXPECT_THAT(calls(), HasSubstr("completion --names jobs\n"));
}

TEST_F(CompletionTest, AsksTheAgentOfTheLine) {
  EXPECT_EQ(offered("dunlin --address = far : 7700 --key k cancel ''"), "12 merlin.7");
  EXPECT_EQ(calls(), "--address=far:7700 --key k completion --names jobs\n");
}

// No agent, or no such program: there is nothing to offer, and nothing is said.
TEST_F(CompletionTest, IsSilentWithoutAnAgent) {
  test::write_file(program_, "#!/bin/sh\necho 'no agent runs here' >&2\nexit 1\n");
  EXPECT_EQ(offered("dunlin cancel ''"), "");
  EXPECT_EQ(offered("/no/such/dunlin cancel ''"), "");
}

TEST_F(CompletionTest, OffersFiles) {
  test::write_file(folder_ / "render.toml", "");
  EXPECT_EQ(offered("dunlin submit -f ren"), "render.toml");
  EXPECT_EQ(offered("dunlin agent --config = ren"), "render.toml");
  EXPECT_EQ(offered("dunlin identity --data-dir ren"), "");  // It is no folder.
}

// The user's own command has words of its own, also where they look like ours.
TEST_F(CompletionTest, LeavesTheUsersCommandAlone) {
  test::write_file(folder_ / "render.toml", "");
  EXPECT_THAT(offered("dunlin run --cpus 2 -- ech"), HasSubstr("echo"));
  EXPECT_THAT(offered("dunlin run --keep ech"), HasSubstr("echo"));
  EXPECT_EQ(offered("dunlin run --cpus 2 -- cat ren"), "render.toml");
  EXPECT_EQ(offered("dunlin run --cpus 2 -- cat --cp"), "");
  EXPECT_EQ(offered("dunlin run -- dunlin jobs --st"), "");
  // A value that is a command's name is none.
  EXPECT_EQ(offered("dunlin run --cpus run --me"), "--memory");
}

TEST(Completion, EveryShellKnowsEveryCommand) {
  const auto tree = whole_program();
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    const auto script = config::completion_script(tree, shell);
    ASSERT_TRUE(script);
    for (const char* const word : {"submit", "explain", "drain", "each-line", "keygen"}) {
      EXPECT_THAT(*script, HasSubstr(word)) << shell;
    }
    EXPECT_THAT(*script, HasSubstr("completion --names")) << shell;
  }
  EXPECT_FALSE(config::completion_script(tree, "tcsh"));
}

TEST(Completion, OtherShellsReadTheirScripts) {
  const test::Scratch folder;
  const auto tree = whole_program();
  std::string missing;
  for (const std::string& shell : {std::string("zsh"), std::string("fish")}) {
    if (std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) != 0) {
      missing += " " + shell;
      continue;
    }
    const std::string path = folder / shell;
    test::write_file(path, *config::completion_script(tree, shell));
    EXPECT_EQ(std::system((shell + " -n " + path).c_str()), 0) << shell;
  }
  if (!missing.empty()) GTEST_SKIP() << "LEFT OUT: not here:" << missing;
}

}  // namespace
}  // namespace dunlin::cli
