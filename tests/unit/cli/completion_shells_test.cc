// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "config/manual/completion.h"
#include "tests/support/scratch.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/program.h"

// Completion in zsh and fish, tried as their users do: a line is half typed, and the key pressed.
namespace dunlin::cli {
namespace {

std::string script_for(const char* shell) {
  CLI::App app;
  Invocation invocation;
  describe_program(app, invocation);
  add_commands(app, invocation, all_commands());
  return config::completion_script(config::command_tree(app), shell).value_or("");
}

/// Starts a shell behind a terminal of its own, types the line and the key, and prints what was
/// offered. Arguments: what that shell reads first, and the line.
constexpr const char* kAskZsh = R"sh(zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source $1"
zpty -r shell text '*@READY*'
zpty -w shell "$2"$'\t'
zpty -r shell text '*@END*'
text=${${text#*@BEGIN}%%@END*}
print -r -- ${=text//$'\r'/}
)sh";

/// Each match is printed as it is added. The key after a line ends the shell, which so never runs
/// what was typed.
constexpr const char* kBeginZsh = R"sh(PROMPT=
autoload -Uz compinit
compinit -u -D
source ./script
bindkey '^M' undefined-key
bindkey '^J' undefined-key
bindkey '^I' complete-word
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a hits
  builtin compadd -A hits "$@"
  print -r -- $hits
  builtin compadd "$@"
}
begin() { print -r -- @BEGIN }
finish() { print -r -- @END }
compprefuncs=(begin)
comppostfuncs=(finish exit)
print -r -- @READY
)sh";

constexpr const char* kAskFish = R"sh(source ./script
complete -C $argv[1] | string split -f 1 \t | string join ' '
)sh";

/// A shell that has read its script, and a `dunlin` that knows some names.
class ShellCompletion : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string shell = GetParam();
    if (std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) != 0) {
      GTEST_SKIP() << "LEFT OUT: " << shell << " is not here (tools/install-packages test)";
    }
    test::write_file(folder_ / "script", script_for(GetParam()));
    test::write_file(folder_ / "begin.zsh", kBeginZsh);
    test::write_file(folder_ / "ask.zsh", kAskZsh);
    test::write_file(folder_ / "ask.fish", kAskFish);
    test::write_file(folder_ / "render.toml", "");
    test::write_file(folder_ / "dunlin",
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + calls_ +
            "\ncase \"$*\" in\n"
            "  *jobs) printf '12\\trender, running\\nmerlin.7\\tfetch, waiting\\n' ;;\n"
            "  *nodes) printf 'merlin\\tup\\nhobby\\tup\\n' ;;\n"
            "  *classes) printf 'gold\\tweight 5\\n' ;;\nesac\n");
    ASSERT_EQ(std::system(("chmod +x " + (folder_ / "dunlin")).c_str()), 0);
  }

  /// What is offered for a line, sorted by the shell. `line` has no single quote.
  std::string offered(const std::string& line) const {
    const std::string ask = GetParam() == std::string("zsh")
        ? "zsh -f ask.zsh " + (folder_ / "begin.zsh")
        : "fish ask.fish";
    const std::string command = "cd " + folder_.path() + " && HOME=" + folder_.path() +
        " XDG_CONFIG_HOME=" + folder_.path() + " XDG_DATA_HOME=" + folder_.path() +
        " PATH=" + folder_.path() + ":$PATH timeout 30 " + ask + " '" + line + "' 2>&1";
    std::FILE* const answers = popen(command.c_str(), "r");
    if (answers == nullptr) return "no shell";
    std::string text;
    for (char piece[256]; std::fgets(piece, sizeof piece, answers) != nullptr;) text += piece;
    pclose(answers);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  std::string calls() const { return test::file_text(calls_); }

  test::Scratch folder_;
  std::string calls_ = folder_ / "calls";
};

TEST_P(ShellCompletion, OffersCommandsFlagsAndWords) {
  EXPECT_EQ(offered("dunlin expl"), "explain");
  EXPECT_EQ(offered("dunlin node dr"), "drain");
  EXPECT_EQ(offered("dunlin run --cp"), "--cpus");
  EXPECT_EQ(offered("dunlin jobs --cp"), "");
  EXPECT_EQ(offered("dunlin jobs --state r"), "running");
  EXPECT_EQ(offered("dunlin submit -f ren"), "render.toml");
  EXPECT_EQ(calls(), "");  // Nothing is started for what the script knows.
}

TEST_P(ShellCompletion, AsksForNames) {
  EXPECT_EQ(offered("dunlin cancel m"), "merlin.7");
  EXPECT_EQ(offered("dunlin submit --after 1"), "12");
  EXPECT_EQ(offered("dunlin node drain h"), "hobby");
  EXPECT_EQ(offered("dunlin submit --class g"), "gold");
  EXPECT_EQ(calls(),
      "completion --names jobs\ncompletion --names jobs\ncompletion --names nodes\n"
      "completion --names classes\n");
}

// Of flags that the program and a command both know, those behind the command are its own: zsh took
// them for the program's, and offered no job after them.
TEST_P(ShellCompletion, AsksTheAgentOfTheLine) {
  EXPECT_EQ(offered("dunlin --address=far:7700 --key k cancel m"), "merlin.7");
  EXPECT_EQ(offered("dunlin cancel --address far:7700 m"), "merlin.7");
  EXPECT_EQ(calls(),
      "--address=far:7700 --key k completion --names jobs\n"
      "--address far:7700 completion --names jobs\n");
}

// What stands in the line is words, never a command.
TEST_P(ShellCompletion, RunsNothingOfTheLine) {
  offered("dunlin --address=$(touch${IFS}ran;touch${IFS}ran) cancel m");
  EXPECT_EQ(std::system(("test ! -e " + (folder_ / "ran")).c_str()), 0);
}

TEST_P(ShellCompletion, LeavesTheUsersCommandAlone) {
  EXPECT_EQ(offered("dunlin run --cpus 2 -- cat render.t"), "render.toml");
  EXPECT_EQ(offered("dunlin run -- dunlin jobs --st"), "");
  // A value that is a command's name is none.
  EXPECT_EQ(offered("dunlin run --cpus run --me"), "--memory");
}

INSTANTIATE_TEST_SUITE_P(
    Shells, ShellCompletion, ::testing::Values("zsh", "fish"), [](const auto& shell) {
      return std::string(shell.param);
    });

}  // namespace
}  // namespace dunlin::cli
