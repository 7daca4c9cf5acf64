// SPDX-License-Identifier: MIT
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Files of output that begin empty with each attempt, with a real agent.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class TruncateTest : public AgentWorld {
 protected:
  std::string text() const {
    std::ifstream file(home + "/out");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(TruncateTest, TheLastAttemptAloneIsInTheFile) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const std::vector<std::string> tail = {"--stdout", home + "/out", "--retries", "1", "--", "sh",
      "-c", "echo $DUNLIN_ATTEMPT; test $DUNLIN_ATTEMPT -gt 1"};
  std::vector<std::string> words = {"run", "-q"};
  words.insert(words.end(), tail.begin(), tail.end());
  ASSERT_EQ(run_dunlin(agent.socket(), words).status, 0);
  EXPECT_EQ(text(), "1\n2\n");
  words.insert(words.begin() + 2, "--truncate");
  ASSERT_EQ(run_dunlin(agent.socket(), words).status, 0);
  EXPECT_EQ(text(), "2\n");
  EXPECT_EQ(run_dunlin(agent.socket(), {"run", "--truncate", "--", "true"}).status, 2);
  EXPECT_THAT(
      run_dunlin(agent.socket(), {"job", "last", "--file"}).out, HasSubstr("truncate = true"));
}

}  // namespace
}  // namespace dunlin::node
