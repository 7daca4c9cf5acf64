// SPDX-License-Identifier: MIT
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// The verb watch, of a job with tasks on another node.
namespace dunlin::node {
namespace {

class ControlWatch : public ClientTest {
 protected:
  ControlWatch() {
    agent.hear_of(2, 8000);
    agent.hear_facts(2, "osprey", 8000);
    job = submit(3);
  }
  /// Node 2 is given so many tasks.
  void bind(std::uint16_t tasks) {
    agent.hear(2,
        sched::GetTask{.job = sched::frontend_of(agent.peer()).jobs().at(job).id(),
            .group = 0,
            .probe = 1,
            .request = ++request_last_,
            .incarnation = 1,
            .room = tasks});
  }
  Json a_while_later() {
    agent.time += std::chrono::milliseconds(250);
    connection->replies.clear();
    return advance();
  }

  std::uint32_t job = 0;
  std::uint32_t request_last_ = 0;
};

TEST_F(ControlWatch, TellsEachAttemptThatBeginsOnce) {
  bind(1);
  const Json first = ask("watch", {{"number", job}, {"running", true}});
  EXPECT_EQ(first["ok"]["started"], Json::parse(R"([{"index": 0, "attempt": 1}])"));
  EXPECT_EQ(a_while_later()["ok"]["started"], Json::array());
  bind(2);
  EXPECT_EQ(a_while_later()["ok"]["started"],
      Json::parse(R"([{"index": 1, "attempt": 1}, {"index": 2, "attempt": 1}])"));
}

TEST_F(ControlWatch, TellsOfRunningTasksOnlyIfAsked) {
  bind(1);
  EXPECT_FALSE(ask("watch", {{"number", job}})["ok"].contains("started"));
}

class ControlWait : public ClientTest {
 protected:
  void end(std::uint32_t job) {
    ASSERT_TRUE(agent.cancel(sched::find_job(agent.peer(), agent.id(), job)->id(), {}));
  }
};

// While the second job is waited for, a task of the first is run again.
TEST_F(ControlWait, WaitsAgainForAJobThatGoesOn) {
  const std::uint32_t one = submit(1);
  const std::uint32_t two = submit(1);
  EXPECT_EQ(ask("wait", {{"numbers", {one, two}}}), nullptr);
  end(one);
  EXPECT_EQ(advance(), nullptr);
  const sched::JobId again = sched::find_job(agent.peer(), agent.id(), one)->id();
  ASSERT_TRUE(agent.retry(again, std::vector<std::uint32_t>{0}));
  end(two);
  EXPECT_EQ(advance(), nullptr) << "the first one is not over";
  end(one);
  const Json told = advance();
  ASSERT_EQ(error_of(told), "");
  EXPECT_EQ(told["ok"]["jobs"].size(), 2u);
}

}  // namespace
}  // namespace dunlin::node
