// SPDX-License-Identifier: MIT
#include <memory>

#include "tests/unit/client/scripted_agent.h"

namespace dunlin::client {
namespace {

using InputsTest = ScriptedAgent;

// Told before it has begun, the agent would forget it, and the task would wait for a minute.
TEST_F(InputsTest, ClosedBeforeItsTaskBeganEndsTheTaskThen) {
  connect();
  const JobPtr job = submit(/*results=*/false);
  reply(next_request("submit"), taken(1));
  next_request("subscribe");
  auto input = std::make_shared<Input>(Input{.job = job, .waiting = "x"});
  ASSERT_TRUE(engine.give(input));
  const Json attach = next_request("attach");
  engine.stop_giving(input);
  advance();
  EXPECT_TRUE(requests.empty()) << "the task has not begun";
  reply(attach, Json::object(), /*end=*/false);
  EXPECT_EQ(next_request("stop")["request"], attach["id"]);
  EXPECT_TRUE(requests.empty()) << "it is given nothing of it";
}

TEST_F(InputsTest, ThoseThatWereClosedTakeNoPlace) {
  connect();
  const JobPtr job = submit(/*results=*/false);
  for (std::size_t i = 0; i < 2 * Inputs::kAtOnceMax; ++i) {
    auto input = std::make_shared<Input>(Input{.job = job});
    ASSERT_TRUE(engine.give(input)) << i;
    engine.stop_giving(input);
  }
}

}  // namespace
}  // namespace dunlin::client
