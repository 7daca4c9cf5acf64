// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar_agent.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "tools/dunlin/program.h"

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Both programs must understand these lines alike: `dunlin` reads one, and says it again.
class GrammarAgent : public ::testing::TestWithParam<std::span<const Command>> {
 protected:
  GrammarAgent() {
    invocation.run_agent = [this](const node::AgentCommand& command) {
      settings = command.settings;
      std::ranges::sort(settings);
      return Result<int>(7);
    };
    invocation.run_dev = [this](const node::DevCommand& command) {
      nodes = command.nodes;
      settings = command.settings;
      return Result<int>(8);
    };
  }

  /// The status of the line, or what is wrong with it.
  std::string said(const std::vector<std::string>& words) {
    if (const auto read = read_line(app, invocation, words, GetParam()); !read) {
      return read.error().text;
    }
    return std::to_string(invocation.action().value());
  }

  CLI::App app;
  Invocation invocation;
  node::Settings settings;
  std::uint32_t nodes = 0;
};

TEST_P(GrammarAgent, AgentTakesEveryParameter) {
  EXPECT_EQ(said({"agent", "--name", "merlin", "--data-dir", "/d", "--cyclon.period=250ms"}), "7");
  EXPECT_THAT(settings,
      ElementsAre(Pair("agent.data_dir", "/d"), Pair("agent.name", "merlin"),
          Pair("cyclon.period", "250ms")));
}

TEST_P(GrammarAgent, DevTakesSettings) {
  EXPECT_EQ(said({"dev", "-n", "3", "--set", "cyclon.period=250ms"}), "8");
  EXPECT_EQ(nodes, 3u);
  EXPECT_THAT(settings, ElementsAre(Pair("cyclon.period", "250ms")));
}

TEST_P(GrammarAgent, RenamedFlagsNameTheNewOnes) {
  EXPECT_EQ(said({"agent", "--cell.cell_least=0.5"}),
      "no such flag: --cell.cell_least; it is called 'cell.cell_min' now");
}

// A service's file calls the program by its own name.
TEST(DunlinAgent, IsTheAgentIfNoCommandIsNamed) {
  EXPECT_THAT(with_command({"--name", "x"}, "agent"), ElementsAre("agent", "--name", "x"));
  EXPECT_THAT(with_command({}, "agent"), ElementsAre("agent"));
  EXPECT_THAT(with_command({"--help"}, "agent"), ElementsAre("agent", "--help"));
  EXPECT_THAT(with_command({"--version"}, "agent"), ElementsAre("--version"));
  EXPECT_THAT(with_command({"dev", "-n", "3"}, "agent"), ElementsAre("dev", "-n", "3"));
  EXPECT_THAT(with_command({"--json", "agent"}, "agent"), ElementsAre("--json", "agent"));
  EXPECT_THAT(with_command({"jobs"}, "agent"), ElementsAre("jobs"));
  EXPECT_THAT(with_command({"--name", "x"}, ""), ElementsAre("--name", "x"));
}

INSTANTIATE_TEST_SUITE_P(
    BothPrograms, GrammarAgent, ::testing::Values(all_commands(), agent_commands()));

}  // namespace
}  // namespace dunlin::cli
