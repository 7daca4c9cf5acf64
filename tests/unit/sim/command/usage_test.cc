// SPDX-License-Identifier: MIT
#include "sim/command/usage.h"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

/// What a small program says of `words`.
std::string said_of(const std::vector<std::string>& words) {
  CLI::App app{"A program.", "dunlin-sim"};
  app.require_subcommand(1);
  std::string file;
  unsigned replications = 0;
  auto* const sweep = app.add_subcommand("sweep", "Runs many.");
  sweep->add_option("SCENARIO", file, "Which.")->required();
  sweep->add_option("--replications", replications, "How often.");
  app.add_subcommand("list", "Lists them.");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return usage_problem(app, error, words);
  }
  return "fine";
}

TEST(Usage, NamesTheOptionThatWasMeant) {
  EXPECT_EQ(said_of({"sweep", "x", "--replicatons", "5"}),
      "no such option: --replicatons; did you mean '--replications'?");
  EXPECT_EQ(said_of({"sweep", "x", "--replicatons=5"}),
      "no such option: --replicatons; did you mean '--replications'?");
  EXPECT_THAT(said_of({"sweep", "x", "--beauty"}), HasSubstr("expected one of: --help"));
}

TEST(Usage, NamesTheCommandThatWasMeant) {
  EXPECT_EQ(said_of({"lst"}), "no such command: lst; did you mean 'list'?");
}

TEST(Usage, PointsToTheHelpOfTheCommand) {
  EXPECT_THAT(said_of({"sweep"}), HasSubstr("(dunlin-sim sweep --help)"));
  EXPECT_THAT(said_of({"list", "more"}), HasSubstr("one word too many: more"));
  EXPECT_EQ(said_of({"sweep", "x", "--replications", "5"}), "fine");
}

}  // namespace
}  // namespace dunlin::sim
