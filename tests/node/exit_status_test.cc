// SPDX-License-Identifier: MIT
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <set>
#include <sstream>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"
#include "tests/support/docs/markdown.h"

// The exit statuses and the environment that docs/guide/users.md promises, by real commands.
namespace dunlin::node {
namespace {

using Names = std::set<std::string>;

/// The first column of the tables of users.md with that heading of it, without backticks.
Names promised(std::string_view head) {
  Names names;
  const std::string page = test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/users.md");
  for (const auto& table : test::tables_of(page)) {
    if (table.head.front() != head) continue;
    for (const auto& row : table.rows) {
      const auto quoted = test::quoted_words(row.front());
      if (quoted.empty()) names.insert(row.front());
      names.insert(quoted.begin(), quoted.end());
    }
  }
  return names;
}

class ExitStatus : public AgentWorld {
 protected:
  ExitStatus() {
    add("a");
    wait_for_nodes(*agents[0], 1);
  }
  ProgramRun dunlin(const std::vector<std::string>& words) {
    return run_dunlin(agents[0]->socket(), words);
  }
};

TEST_F(ExitStatus, IsAsTheGuideSays) {
  struct Case {
    std::vector<std::string> words;
    int status;
    const char* listed;  ///< Where the guide lists it.
  };
  const Case cases[] = {
      {{"run", "--", "true"}, 0, "0"},
      {{"run", "--", "sh", "-c", "exit 7"}, 7, "0 to 255"},
      {{"run", "--time-limit", "500ms", "--", "sleep", "60"}, 124, "124"},
      {{"run", "--cwd", "/no/such/directory", "--", "true"}, 125, "125"},
      {{"run", "--", "/etc/passwd"}, 126, "126"},
      {{"run", "--", "no-such-command-of-this-test"}, 127, "127"},
      {{"run", "--", "sh", "-c", "kill -ABRT $$"}, 134, "128 + N"},
      {{"run", "--", "sh", "-c", "kill -KILL $$"}, 137, "137"},
      {{"run", "--", "sh", "-c", "kill -TERM $$"}, 143, "143"},
      {{"run", "--cpus", "99999", "--", "true"}, 2, "2"},
      {{"run", "--no-such-flag", "--", "true"}, 2, "2"},
      {{"no-such-command"}, 2, "2"},
      {{"run", "--file", "/no/such/file"}, 2, "2"},
      {{"run", "--each-line", "/no/such/file", "--", "echo", "%{ENTRY}"}, 2, "2"},
      {{"job", "999"}, 1, "1"},
      {{"logs", "1.999"}, 1, "1"},
  };
  const Names listed = promised("status");
  for (const Case& each : cases) {
    const auto run = dunlin(each.words);
    EXPECT_EQ(run.status, each.status) << ::testing::PrintToString(each.words) << run.err;
    EXPECT_TRUE(listed.contains(each.listed)) << each.listed;
  }
}

TEST_F(ExitStatus, OfWaitSaysWhatBecameOfTheJob) {
  const std::string slow = std::to_string(submit(*agents[0], "sleep 60", 1));
  EXPECT_EQ(dunlin({"wait", slow, "--timeout", "200ms"}).status, 124);
  EXPECT_EQ(dunlin({"cancel", slow}).status, 0);
  EXPECT_EQ(dunlin({"wait", slow}).status, 1);
  EXPECT_EQ(dunlin({"wait", slow, "--ignore-failures"}).status, 0);
  const std::string bad = std::to_string(submit(*agents[0], "exit 3", 1));
  EXPECT_EQ(dunlin({"wait", bad}).status, 1);
  const std::string good = std::to_string(submit(*agents[0], "exit 0", 1));
  EXPECT_EQ(dunlin({"wait", good}).status, 0);
  // Of a range those that have ended count like the others, whenever it is asked.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(dunlin({"wait", bad + "-" + good}).status, 1);
    EXPECT_EQ(dunlin({"wait", good + "-" + good}).status, 0);
  }
}

// Of a job that was forgotten while others were waited for, nobody knows that it was well.
TEST_F(ExitStatus, OfWaitForAForgottenJobIsNoSuccess) {
  TestAgent& brief = add("b", {"--frontend.history_max=1", "--frontend.history_min=0s"});
  wait_for_nodes(brief, 2);
  const auto first = submit(brief, "sleep 1", 1);
  const std::string go = home + "/go";
  const auto slow = submit(brief, "while ! test -e " + go + "; do sleep 0.1; done", 1);
  auto waiting = std::async(std::launch::async, [&] {
    return run_dunlin(brief.socket(), {"wait", std::to_string(first), std::to_string(slow)});
  });
  finish(brief, first);
  for (int i = 0; i < 3; ++i) finish(brief, submit(brief, "true", 1));
  EXPECT_TRUE(eventually(
      [&] { return brief.client().call(request("job", {{"number", first}})).contains("error"); }));
  std::ofstream(go) << "";
  const ProgramRun run = waiting.get();
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err,
      ::testing::HasSubstr("job " + std::to_string(first) + " was forgotten, since too many"));
  EXPECT_THAT(run.out, ::testing::HasSubstr("job " + std::to_string(slow) + ": done"));
}

TEST_F(ExitStatus, TheEnvironmentOfATaskIsAsTheGuideSays) {
  const auto run = dunlin({"run", "--", "/usr/bin/env"});
  EXPECT_EQ(run.status, 0) << run.err;
  Names seen;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) seen.insert(line.substr(0, line.find('=')));
  const Names listed = promised("variable");
  for (const std::string& name : seen) EXPECT_TRUE(listed.contains(name)) << name;
  for (const std::string& name : listed) {
    EXPECT_TRUE(seen.contains(name) || !name.starts_with("DUNLIN_")) << name;
  }
}

}  // namespace
}  // namespace dunlin::node
