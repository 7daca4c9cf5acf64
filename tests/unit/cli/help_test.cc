// SPDX-License-Identifier: MIT
#include "tools/dunlin/help.h"

#include <gtest/gtest.h>
#include <sstream>

#include "config/text.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/program.h"

// What users read of the grammar: helps, and what is said of a line that could not be read.
namespace dunlin::cli {
namespace {

std::string problem_of(const std::vector<std::string>& words) {
  Invocation invocation;
  CLI::App app;
  const auto read = read_line(app, invocation, words, all_commands());
  return read ? "" : read.error().text;
}

std::string help_of(const std::vector<std::string>& words) {
  Invocation invocation;
  CLI::App app;
  EXPECT_TRUE(read_line(app, invocation, words, all_commands()));
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(invocation.action && invocation.action() == Result<int>(kSuccess));
  std::fflush(stdout);
  return ::testing::internal::GetCapturedStdout();
}

// "--time" was answered with --file, which is as many letters away as --time-limit's beginning.
TEST(Help, TheBeginningOfAWordStandsForIt) {
  EXPECT_EQ(problem_of({"run", "--time", "1s", "echo"}),
      "no such flag: --time (did you mean --time-limit?)");
  EXPECT_EQ(problem_of({"expl"}), "no such command: expl (did you mean explain?)");
  EXPECT_EQ(problem_of({"job", "--t"}), "no such flag: --t (dunlin job --help)");
}

// A flag of this command that begins alike, not one that is as many letters away: --retry was
// answered with --memory, which has nothing of it.
TEST(Help, TheNearestFlagBeginsAlike) {
  EXPECT_EQ(problem_of({"run", "--retry", "3", "true"}),
      "no such flag: --retry (did you mean --retries?)");
  EXPECT_EQ(problem_of({"run", "--memroy", "1G", "true"}),
      "no such flag: --memroy (did you mean --memory?)");
  EXPECT_EQ(problem_of({"wait", "--retries", "3"}), "no such flag: --retries (dunlin wait --help)");
  EXPECT_EQ(problem_of({"jobs", "--xyzzy"}), "no such flag: --xyzzy (dunlin jobs --help)");
}

TEST(Help, WordsOfOtherSystemsAreAnsweredWithOurs) {
  EXPECT_EQ(
      problem_of({"drain", "n2"}), "no such command: drain (here it is: dunlin node drain NODE)");
  for (const char* const word : {"ps", "kill", "queue", "info", "stop", "inspect", "undrain",
           "squeue", "sbatch", "qdel", "uncordon"}) {
    EXPECT_NE(problem_of({word}).find("(here it is: dunlin "), std::string::npos) << word;
  }
  EXPECT_EQ(problem_of({"status", "x"}), "one word too many: x (dunlin status --help)");
}

// CLI11 says "jobs is required", "Value 900 not in range 0 to 100".
TEST(Help, WhatIsMissingOrRefusedIsSaidInOurWords) {
  EXPECT_EQ(problem_of({"cancel"}), "cancel: JOB is missing (dunlin cancel --help)");
  EXPECT_EQ(problem_of({"node", "drain"}), "drain: NAME is missing (dunlin node drain --help)");
  EXPECT_EQ(problem_of({"node"}),
      "node: say what to do: show, overlay, drain, forget, take-over (dunlin node --help)");
  EXPECT_EQ(problem_of({"submit", "--priority", "900", "true"}),
      "--priority: 900 is not from 0 to 100 (dunlin submit --help)");
  EXPECT_EQ(problem_of({"jobs", "--sort", "x"}),
      "--sort: x is none of newest, oldest, tasks, name, user, state, number (dunlin jobs --help)");
}

// A terminal of 80 columns shows each line as one. The names of parameters are longer than that.
TEST(Help, HelpFits80Columns) {
  std::vector<std::vector<std::string>> commands = {{"help"}};
  for (const char* const name : {"dev", "run", "submit", "wait", "logs", "cancel", "jobs", "job",
           "explain", "nodes", "top", "usage", "status", "cells", "masters", "shares", "launch",
           "node", "share", "plan", "audit", "web", "metrics", "keygen", "measure-disk", "identity",
           "params", "completion", "version"}) {
    commands.push_back({"help", name});
  }
  for (const auto& words : commands) {
    std::istringstream text(help_of(words));
    for (std::string line; std::getline(text, line);)
      EXPECT_LE(config::columns_of(line), 80u) << line;
  }
}

}  // namespace
}  // namespace dunlin::cli
