// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/base64.h"
#include "tests/node/agent_world.h"

// The words of a user's command, from the command line through two agents into a task, and back out
// of --json.
namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Argv = std::vector<std::string>;

const Argv kHard = {"printf", "%s|", "[0-9]", "[a,b]", "[]", "", "-x", "--", "--json", "a b", "++",
    "größe", "\"'\\"};
constexpr const char* kPrinted = "[0-9]|[a,b]|[]||-x|--|--json|a b|++|größe|\"'\\|";

/// A word as --json gives it: a text, or {"base64": ...}.
std::string word_of(const Json& word) {
  if (word.is_string()) return word.get<std::string>();
  return from_base64(word.value("base64", "")).value_or("neither text nor base64");
}

Argv words_of(const Json& list) {
  Argv words;
  for (const Json& word : list) words.push_back(word_of(word));
  return words;
}

Argv joined(Argv words, const Argv& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class ArgvTest : public AgentWorld {
 protected:
  ArgvTest() {
    add("a");
    add("b");
    wait_for_nodes(first(), 2);
  }

  TestAgent& first() { return *agents.front(); }

  /// The output of `dunlin WORDS...` on stdout; a failure of the test if it fails.
  std::string dunlin(const Argv& words) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::vector<const char*> argv = {DUNLIN_PROGRAM};
      for (const std::string& word : words) argv.push_back(word.c_str());
      argv.push_back(nullptr);
      ::setenv("DUNLIN_ADDRESS", first().socket().c_str(), 1);
      ::dup2(ends[1], STDOUT_FILENO);
      ::execv(argv[0], const_cast<char* const*>(argv.data()));
      ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t size = 0; (size = ::read(ends[0], piece, sizeof piece)) > 0;) {
      text.append(piece, static_cast<std::size_t>(size));
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0) << ::testing::PrintToString(words) << "\n" << text;
    return text;
  }

  Json dunlin_json(Argv words) {
    words.push_back("--json");
    return Json::parse(dunlin(words), nullptr, false);
  }

  std::string write_file(const std::string& name, const std::string& text) {
    const std::string path = home + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
};

// Linux takes one of 128 KiB with its end; a job took 64.
TEST_F(ArgvTest, AWordMayBeAsLongAsLinuxTakesOne) {
  const std::string word(131'071, 'y');
  EXPECT_EQ(dunlin({"run", "--", "sh", "-c", "echo ${#1}", "x", word}), "131071\n");
}

TEST_F(ArgvTest, TasksGetTheWordsThatWereTyped) {
  EXPECT_EQ(dunlin(joined({"run", "--quiet", "--"}, kHard)), kPrinted);
  EXPECT_EQ(dunlin(joined({"run", "--quiet"}, kHard)), kPrinted);
  // The words of each task, wherever it runs.
  dunlin(joined({"submit", "-n", "4", "--cpus", "1", "--"}, kHard));
  dunlin({"wait"});
  for (std::uint32_t task = 0; task < 4; ++task) EXPECT_EQ(output(first(), 3, task), kPrinted);
}

TEST_F(ArgvTest, JobsTellTheWordsThatWereTyped) {
  dunlin(joined({"submit", "--quiet", "--"}, kHard));
  EXPECT_EQ(words_of(dunlin_json({"job", "last"})["groups"][0]["command"]), kHard);
  EXPECT_EQ(words_of(dunlin_json(
                joined({"submit", "--dry-run", "--json"}, kHard))["groups"][0]["command"]),
      joined(kHard, {"--json"}));
}

TEST_F(ArgvTest, LinesAreArgumentsAsTheyStand) {
  const Argv lines = {"[a,b]", "[]", "-x", "--", "caf\xe9"};
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const std::string path = write_file("lines", text);
  // An agent tells lines until their job has ended.
  const std::string gate = home + "/gate";
  dunlin({"submit", "--each-line", path, "--", "sh", "-c",
      "while ! test -e " + gate + "; do sleep .05; done; printf '%s|' \"$DUNLIN_ENTRY\" \"$@\"",
      "[sh]", "%{ENTRY}", "[%{ENTRY}]"});
  const Json tasks = dunlin_json({"job", "last", "--tasks"})["tasks"];
  ASSERT_EQ(tasks.size(), lines.size());
  write_file("gate", "");
  dunlin({"wait"});
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(word_of(tasks[i].at("entry")), lines[i]);
    EXPECT_EQ(output(first(), 1, i), lines[i] + "|" + lines[i] + "|[" + lines[i] + "]|");
  }
}

TEST_F(ArgvTest, JobFilesKeepTheirWords) {
  const std::string path = write_file("job.toml",
      "[[group]]\ncommand = ['printf', '%s|', '[0-9]', '[a,b]', '[]', '', '-x', '--', '++']\n");
  EXPECT_EQ(dunlin({"run", "--quiet", "--file", path}), "[0-9]|[a,b]|[]||-x|--|++|");
  EXPECT_THAT(words_of(dunlin_json({"job", "last"})["groups"][0]["command"]),
      ElementsAre("printf", "%s|", "[0-9]", "[a,b]", "[]", "", "-x", "--", "++"));
}

TEST_F(ArgvTest, WordsNeedNotBeUtf8) {
  const Argv argv = joined(kHard, {"caf\xe9", "\xff[a,b]"});
  EXPECT_EQ(
      dunlin(joined({"run", "--quiet", "--"}, argv)), kPrinted + std::string("caf\xe9|\xff[a,b]|"));
  EXPECT_EQ(words_of(dunlin_json({"job", "last"})["groups"][0]["command"]), argv);
  for (const Argv& line : {Argv{"job", "last"}, joined({"run", "--dry-run", "--"}, argv)}) {
    EXPECT_THAT(dunlin(line), HasSubstr(R"( $'caf\351' $'\377[a,b]')"));
  }
}

// Variables and the directory reach programs byte for byte, too.
TEST_F(ArgvTest, VariablesAndDirectoriesAreExact) {
  const std::string directory = home + "/caf\xe9 [a,b]";
  ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
  EXPECT_EQ(dunlin({"run", "-q", "--cwd", directory, "--env", "A=[1,2]\xff", "sh", "-c",
                "printf '%s|' \"$A\" \"$PWD\""}),
      "[1,2]\xff|" + directory + "|");
}

}  // namespace
}  // namespace dunlin::node
