// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "node/control/use/figure_book.h"
#include "node/store/results.h"
#include "tests/unit/node/control/client_test.h"

// The verb `task_bins`.
namespace dunlin::node {
namespace {

using ::testing::IsEmpty;

class ControlTaskBins : public ClientTest {
 protected:
  /// The answer, however many turns of the loop it takes.
  Json tell(const Json& request) {
    Json reply = ask("task_bins", request);
    for (turns = 1; reply == nullptr && turns < 10'000; ++turns) reply = advance();
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"];
  }

  int turns = 0;
};

TEST_F(ControlTaskBins, TellWhereTasksStand) {
  const std::uint32_t job = submit(10, 3000);
  agent.deliver();
  ASSERT_EQ(agent.executor.launches.size(), 1u) << "task 0 runs";
  const Json told = tell({{"number", job}, {"bins", 5}});
  EXPECT_EQ(told["count"], 10);
  EXPECT_EQ(told["width"], 2);
  EXPECT_EQ(told["state"], "running");
  EXPECT_EQ(told["finished"], false);
  EXPECT_EQ(told["pruned"], false);
  EXPECT_EQ(told["counts"]["running"], 1);
  EXPECT_EQ(told["counts"]["waiting"], 9);
  ASSERT_EQ(told["bins"].size(), 5u);
  EXPECT_EQ(told["bins"][0]["first"], 0);
  EXPECT_EQ(told["bins"][0]["last"], 1);
  EXPECT_EQ(told["bins"][0]["counts"]["running"], 1);
  EXPECT_EQ(told["bins"][0]["counts"]["waiting"], 1);
  EXPECT_EQ(told["bins"][4]["last"], 9);
  EXPECT_EQ(told["bins"][4]["counts"]["waiting"], 2);
}

// Gossip must go on while a million tasks are looked at, and the disk has nothing to do with it.
TEST_F(ControlTaskBins, AMillionTasksTakeSomeTurnsAndNoRows) {
  constexpr std::uint32_t kTasks = 1'000'000;
  const std::uint32_t job = submit(kTasks, 64'000);
  agent.rows_read.clear();
  const Json told = tell({{"number", job}, {"bins", 1000}});
  EXPECT_GE(turns, static_cast<int>(kTasks) / 65'536);
  EXPECT_LT(turns, 100);
  EXPECT_THAT(agent.rows_read, IsEmpty());
  EXPECT_EQ(told["bins"].size(), 1000u);
  EXPECT_EQ(told["counts"]["waiting"], kTasks);
  EXPECT_LT(told.dump().size(), 150'000u);
}

TEST_F(ControlTaskBins, BetweenTwoTurnsItIsCalledSoon) {
  const std::uint32_t job = submit(200'000, 64'000);
  ASSERT_EQ(ask("task_bins", {{"number", job}}), nullptr);
  EXPECT_LE(session.due(), agent.now() + FigureBook::kPause);
}

TEST_F(ControlTaskBins, WrongRequestsSaySo) {
  EXPECT_EQ(error_of(ask("task_bins", {{"number", 9}})).substr(0, 10), "not_found:");
  const std::uint32_t job = submit(1);
  EXPECT_EQ(error_of(ask("task_bins", {{"number", job}, {"bins", 0}})),
      "usage: 'bins' must be a whole number from 1 to 1000");
  agent.error = "the disk is full";
  EXPECT_EQ(tell({{"number", job}})["count"], 1) << "a disk that fails holds up no answer";
}

}  // namespace
}  // namespace dunlin::node
