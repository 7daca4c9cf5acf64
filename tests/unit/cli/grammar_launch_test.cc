// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/dunlin/grammar.h"
#include "tools/dunlin/program.h"

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What a line about a launch means; `problem` is empty if it was understood.
struct LaunchLine {
  explicit LaunchLine(const std::vector<std::string>& words) {
    CLI::App app;
    const auto read = read_line(app, invocation, words, all_commands());
    if (!read) problem = read.error().text;
  }

  Invocation invocation;
  std::string problem;
};

TEST(GrammarLaunch, HostsAndSettingsAreTaken) {
  const LaunchLine line({"launch", "a", "b[1-2]", "@list", "--set", "bind=x:1", "--set", "name=y",
      "-P", "8", "--cluster", "lab", "--json"});
  EXPECT_EQ(line.problem, "");
  const LaunchOptions& launch = line.invocation.launch;
  EXPECT_THAT(launch.hosts, ElementsAre("a", "b[1-2]", "@list"));
  EXPECT_THAT(launch.settings, ElementsAre("bind=x:1", "name=y"));
  EXPECT_EQ(launch.at_once, 8u);
  EXPECT_EQ(line.invocation.globals.agent.cluster, "lab");
  EXPECT_TRUE(line.invocation.globals.json);
}

TEST(GrammarLaunch, OneThingIsDoneAtATime) {
  EXPECT_NE(LaunchLine({"launch", "--stop", "--upgrade"}).problem, "");
  EXPECT_NE(LaunchLine({"launch", "--status", "--remove"}).problem, "");
  EXPECT_NE(LaunchLine({"launch", "--mend"}).problem, "");
  EXPECT_NE(LaunchLine({"launch", "--drain"}).problem, "");
  EXPECT_EQ(LaunchLine({"launch", "--status", "--mend"}).problem, "");
  EXPECT_THAT(LaunchLine({"launch", "-P", "0"}).problem, HasSubstr("is not from 1 to 256"));
}

TEST(GrammarLaunch, EveryCommandThatAsksAnAgentTakesACluster) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"--cluster", "lab", "nodes"},
           {"jobs", "--cluster", "lab"}, {"--cluster", "lab", "run", "true"}}) {
    const LaunchLine line(words);
    EXPECT_EQ(line.problem, "");
    EXPECT_EQ(line.invocation.globals.agent.cluster, "lab");
  }
}

}  // namespace
}  // namespace dunlin::cli
