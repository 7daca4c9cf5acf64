// SPDX-License-Identifier: MIT
#include "tools/dunlin/completion.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/dunlin/grammar.h"
#include "tools/dunlin/program.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

TEST(Completion, ScriptsParse) {
  CLI::App app;
  Invocation invocation;
  describe_program(app, invocation);
  add_commands(app, invocation, all_commands());
  const auto tree = completion_tree(app);
  const auto bash = completion_script(tree, "bash");
  ASSERT_TRUE(bash);
  const std::string path = ::testing::TempDir() + "/dunlin_completion." + std::to_string(getpid());
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(bash->c_str(), file);
  // The script's answers to a half-typed line.
  std::fputs(
      "\nanswer() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _dunlin; "
      "echo \"${COMPREPLY[*]}\"; }\n"
      "answer dunlin expl\nanswer dunlin run --cp\nanswer dunlin node dr\n"
      "answer dunlin completion ''\nanswer dunlin jobs --cp\nanswer dunlin --js\n",
      file);
  std::fclose(file);
  EXPECT_EQ(std::system(("bash -n " + path).c_str()), 0);
  std::FILE* const answers = popen(("bash " + path + " 2>&1").c_str(), "r");
  ASSERT_NE(answers, nullptr);
  std::string text;
  for (char piece[256]; std::fgets(piece, sizeof piece, answers) != nullptr;) text += piece;
  pclose(answers);
  std::remove(path.c_str());
  EXPECT_EQ(text, "explain\n--cpus\ndrain\nbash zsh fish\n\n--json\n");
}

TEST(Completion, EveryShellKnowsEveryCommand) {
  CLI::App app;
  Invocation invocation;
  describe_program(app, invocation);
  add_commands(app, invocation, all_commands());
  const auto tree = completion_tree(app);
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(tree, shell);
    ASSERT_TRUE(script);
    for (const char* const word : {"submit", "explain", "drain", "each-line", "keygen"}) {
      EXPECT_THAT(*script, HasSubstr(word)) << shell;
    }
  }
  EXPECT_FALSE(completion_script(tree, "tcsh"));
}

}  // namespace
}  // namespace dunlin::cli
