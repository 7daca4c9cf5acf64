// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "tests/node/agent_world.h"

// The words and the exit status with which the command line answers a wish that cannot be met.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Answer {
  int status = -1;
  std::string text;  ///< Both streams, as a terminal shows them.
};

class ClientTest : public AgentWorld {
 protected:
  ClientTest() { add("a").wait_until_up(); }

  /// Runs a line of shell in which `dunlin` is the program.
  Answer shell(const std::string& line) {
    const std::string command = "export DUNLIN_ADDRESS='" + agents.front()->socket() +
        "'; dunlin() { " DUNLIN_PROGRAM " \"$@\"; }; { " + line + "; } 2>&1";
    Answer answer;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> piece;
    for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
      answer.text.append(piece.data(), size);
    }
    const int status = ::pclose(pipe);
    answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return answer;
  }
};

TEST_F(ClientTest, LogsSaysThatATaskIsNotThereOrWroteNothing) {
  finish(*agents.front(), submit(*agents.front(), "true", 2));
  const Answer absent = shell("dunlin logs 1.99");
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.text, HasSubstr("job 1 has no such task"));
  const Answer silent = shell("dunlin logs 1.1");
  EXPECT_EQ(silent.status, 0);
  EXPECT_THAT(silent.text, HasSubstr("nothing was written"));
}

TEST_F(ClientTest, RunSaysThatTasksDoNotReadItsInput) {
  EXPECT_THAT(shell("echo x > in; dunlin run -- true < in; rm in").text,
      HasSubstr("do not read this standard input"));
  EXPECT_THAT(shell("dunlin run -- true < /dev/null").text, Not(HasSubstr("standard input")));
  const Answer lines = shell("printf 'a\\nb\\n' | dunlin run --each-line - -- echo");
  EXPECT_EQ(lines.status, 0);
  EXPECT_THAT(lines.text, Not(HasSubstr("standard input")));
}

TEST_F(ClientTest, WrongWishesAreUsageErrors) {
  const Answer nothing = shell("dunlin submit --cpus 0 -- true");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.text, HasSubstr("say at least 0.001"));
  const Answer missing = shell("dunlin submit --each-line /nowhere/list -- echo");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.text, HasSubstr("--each-line: /nowhere/list"));
}

}  // namespace
}  // namespace dunlin::node
