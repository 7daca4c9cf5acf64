// SPDX-License-Identifier: MIT
#include "sim/command/self_commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/manual/command_tree.h"
#include "config/manual/mdoc.h"
#include "overlay/param_entries.h"
#include "sim/command/find_scenario.h"
#include "sim/command/grammar.h"
#include "sim/scenario/scenario.h"
#include "sim/study/plan.h"

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

config::CommandTree tree_of_sim() {
  CLI::App app;
  SimInvocation unused;
  describe_program(app, unused);
  return config::command_tree(app);
}

std::string printed_by(const CompletionOptions& options) {
  ::testing::internal::CaptureStdout();
  const auto done = completion(options);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(done) << (done ? "" : done.error().text);
  return text;
}

TEST(SimManual, HasEachFlagOfEachCommand) {
  const auto tree = tree_of_sim();
  const auto pages = manual_pages();
  EXPECT_GT(tree.commands.size(), 5u);
  for (const auto& command : tree.commands) {
    const auto page = std::ranges::find_if(
        pages, [&](const auto& each) { return each.name.name == "dunlin-sim-" + command.name; });
    ASSERT_NE(page, pages.end()) << command.name;
    for (const auto& flag : command.flags) {
      for (const std::string& name : flag.names) {
        EXPECT_THAT(page->text, HasSubstr("Fl " + config::mdoc_word(name.substr(1))));
      }
    }
  }
}

TEST(SimManual, ListsEveryParameterOfAScenario) {
  const std::string page = manual_pages().back().text;
  Scenario scenario;
  for (const auto& entry : entries_of(scenario)) {
    EXPECT_THAT(page, HasSubstr("\n.Ss Section " + entry.section + "\n"));
    EXPECT_THAT(page, HasSubstr("\n.It Ic " + entry.name + "\n"));
  }
}

// The manual said "(1 %)", which was refused, and 1 was taken for all of it.
TEST(SimGrammar, AToleranceIsAPartOrPercent) {
  const auto tolerance_of = [](const std::string& said) {
    CLI::App app;
    SimInvocation on;
    describe_program(app, on);
    // CLI11 takes words from the end.
    app.parse(std::vector<std::string>{said, "--tolerance", "b.json", "a.json", "compare"});
    return on.compare.tolerance;
  };
  for (const char* const said : {"0.01", "1%", "1 %"}) {
    EXPECT_DOUBLE_EQ(tolerance_of(said), 0.01) << said;
  }
  for (const char* const wrong : {"one%", "%", "-1%", "2000 %"}) {
    EXPECT_THROW(tolerance_of(wrong), CLI::ParseError) << wrong;
  }
}

TEST(SimCompletion, OffersScenariosByName) {
  for (const auto& command : tree_of_sim().commands) {
    for (const auto& argument : command.arguments) {
      if (argument.value == "SCENARIO") {
        EXPECT_EQ(argument.kind, config::ValueKind::scenarios) << command.name;
      }
    }
  }
  const std::string names = printed_by({.shell = "", .names = "scenarios"});
  EXPECT_THAT(names, HasSubstr("hello\n"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(names, '\n')),
      scenarios_in(experiments_folder()).size());
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(printed_by({.shell = shell, .names = ""}), HasSubstr("_names scenarios")) << shell;
  }
  EXPECT_FALSE(completion({}));
}

// The words that help and completion name are those that the program takes.
TEST(SimCompletion, OffersNoWrongWord) {
  std::size_t checked = 0;
  for (const auto& command : tree_of_sim().commands) {
    for (const auto& flag : command.flags) {
      for (const std::string& word : flag.words) {
        const std::string name = flag.names.front();
        if (name == "--design") EXPECT_TRUE(parse_design(word)) << word;
        if (name == "--picture") EXPECT_TRUE(parse_picture(word)) << word;
        checked += name == "--design" || name == "--picture" ? 1u : 0u;
      }
    }
  }
  EXPECT_EQ(checked, 6u);
}

}  // namespace
}  // namespace dunlin::sim
