// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "node/control/control_handlers.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "tests/unit/node/control/client_test.h"

// The verb `timeline`.
namespace dunlin::node {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Le;

class ControlTimeline : public ClientTest {
 protected:
  /// The answer, however many turns of the loop it takes.
  Json tell(const Json& request) {
    Json reply = ask("timeline", request);
    for (int turn = 0; reply == nullptr && turn < 10'000; ++turn) reply = advance();
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"];
  }
  static std::uint64_t sum(const Json& group, const char* series) {
    std::uint64_t all = 0;
    for (const Json& count : group["bins"][series]) all += count.get<std::uint64_t>();
    return all;
  }
  static sched::Report report(std::uint32_t index, std::uint32_t attempt, std::int32_t status) {
    return {.index = index,
        .attempt = attempt,
        .outcome = sched::Outcome::exited,
        .status = status,
        .wall = std::chrono::milliseconds(3),
        .started_at = wall_clock_ns()};
  }
};

TEST_F(ControlTimeline, AJobThatHasNotBegunHasNothing) {
  const std::uint32_t job = submit(2);
  const Json told = tell({{"number", job}});
  EXPECT_EQ(told["count"], 2);
  EXPECT_EQ(told["finished"], false);
  ASSERT_EQ(told["groups"].size(), 1u);
  EXPECT_EQ(told["groups"][0]["started_at_ns"], nullptr);
  EXPECT_EQ(sum(told["groups"][0], "started"), 0u);
  EXPECT_EQ(told["groups"][0]["bins"]["started"].size(), told["bins"].get<std::size_t>());
  ASSERT_EQ(told["tasks"].size(), 2u);
  EXPECT_EQ(told["tasks"][0]["state"], "waiting");
  EXPECT_THAT(told["tasks"][0]["attempts"], IsEmpty());
}

TEST_F(ControlTimeline, HasEachAttemptWithItsTimesAndHowItEnded) {
  const std::uint32_t job = submit(3, 3000);
  agent.deliver();
  ASSERT_EQ(agent.executor.launches.size(), 1u) << "task 0 runs";
  agent.remembered[{2}] = "osprey";
  agent.rows = {{.report = report(1, 3, 0), .worker = {2}}};
  AttemptRow lost{.report = {}, .worker = {2}, .lost = true};
  lost.report.index = 1;
  lost.report.attempt = 2;
  lost.report.started_at = wall_clock_ns();
  agent.earlier[1] = {{.report = report(1, 1, 7), .worker = {2}}, lost};
  const Json told = tell({{"number", job}});
  const Json& group = told["groups"][0];
  EXPECT_EQ(sum(group, "started"), 3u) << "nobody knows when the lost one began";
  EXPECT_EQ(sum(group, "done"), 1u);
  EXPECT_EQ(sum(group, "failed"), 1u);
  EXPECT_EQ(sum(group, "lost"), 1u);
  EXPECT_EQ(sum(group, "stopped"), 0u);
  EXPECT_EQ(group["running"], 1);
  EXPECT_TRUE(group["started_at_ns"].is_number());
  const Json& running = told["tasks"][0]["attempts"];
  ASSERT_EQ(running.size(), 1u);
  EXPECT_EQ(running[0]["how"], "running");
  EXPECT_EQ(running[0]["ended_at_ns"], nullptr);
  EXPECT_EQ(running[0]["worker_name"], "merlin");
  const Json& attempts = told["tasks"][1]["attempts"];
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[0]["attempt"], 1);
  EXPECT_EQ(attempts[0]["how"], "exited");
  EXPECT_EQ(attempts[1]["how"], "lost");
  EXPECT_EQ(attempts[1]["started_at_ns"], nullptr);
  EXPECT_EQ(attempts[2]["how"], "done");
  EXPECT_EQ(attempts[2]["worker_name"], "osprey");
  EXPECT_EQ(attempts[2]["ended_at_ns"].get<std::int64_t>(),
      attempts[2]["started_at_ns"].get<std::int64_t>() + 3'000'000);
}

// One that never started has no place in time.
TEST_F(ControlTimeline, WhatNeverRanIsOnlyCounted) {
  const std::uint32_t job = submit(2);
  ResultRow never{.report = report(0, 1, 0), .worker = {2}};
  never.report.outcome = sched::Outcome::spawn_failed;
  never.report.started_at = 0;
  agent.rows = {never};
  const Json told = tell({{"number", job}});
  EXPECT_EQ(told["untimed"], 1);
  EXPECT_EQ(sum(told["groups"][0], "started"), 0u);
}

// Gossip must go on while a job of a million tasks is looked at: a turn reads so many rows.
TEST_F(ControlTimeline, ATurnReadsFewRowsAndTheAnswerIsBounded) {
  constexpr std::uint32_t kTasks = 5000;
  const std::uint32_t job = submit(kTasks);
  for (std::uint32_t index = 0; index < kTasks; ++index) {
    agent.rows.push_back({.report = report(index, 2, index % 10 == 0 ? 1 : 0), .worker = {2}});
    agent.earlier[index] = {{.report = report(index, 1, 1), .worker = {2}}};
  }
  agent.rows_read.clear();
  Json reply = ask("timeline", {{"number", job}, {"bins", 1000}});
  int turns = 1;
  for (std::size_t read = agent.rows_read.size(); reply == nullptr; ++turns) {
    EXPECT_LE(session.due(), agent.now()) << "it goes on at once";
    reply = advance();
    EXPECT_LE(agent.rows_read.size(), read + 1) << "one page a turn";
    read = agent.rows_read.size();
  }
  EXPECT_THAT(agent.rows_read, Each(Le(256u)));
  EXPECT_GE(turns, 2 * static_cast<int>(kTasks) / 256);
  const Json& told = reply["ok"];
  EXPECT_THAT(told["tasks"], IsEmpty()) << "they are too many for a screen";
  EXPECT_EQ(sum(told["groups"][0], "started"), 2 * kTasks);
  EXPECT_EQ(sum(told["groups"][0], "done"), kTasks - kTasks / 10);
  EXPECT_EQ(sum(told["groups"][0], "failed"), kTasks + kTasks / 10);
  EXPECT_LE(told["bins"].get<std::size_t>(), 1000u);
  EXPECT_LT(told.dump().size(), 30'000u);
}

// A hundred groups with a thousand bins each would be a megabyte.
TEST_F(ControlTimeline, ManyGroupsHaveFewerBins) {
  Json groups = Json::array();
  for (int i = 0; i < 100; ++i) {
    groups.push_back({{"name", "g" + std::to_string(i)}, {"command", {"true"}}});
  }
  const Json accepted =
      ask("submit", {{"allow_unsatisfiable", true}, {"groups", std::move(groups)}});
  ASSERT_EQ(error_of(accepted), "");
  const std::uint32_t job = accepted["ok"]["number"].get<std::uint32_t>();
  for (std::uint32_t index = 0; index < 100; ++index) {
    agent.rows.push_back({.report = report(index, 1, 0), .worker = {2}});
    agent.rows.back().report.started_at += std::int64_t{index} * 1'000'000;
  }
  const Json told = tell({{"number", job}, {"bins", 1000}, {"bars", 0}});
  EXPECT_LE(told["bins"].get<std::size_t>(), 40u);
  EXPECT_EQ(told["groups"].size(), 100u);
  EXPECT_THAT(told["tasks"], IsEmpty());
}

TEST_F(ControlTimeline, WrongRequestsSaySo) {
  EXPECT_EQ(error_of(ask("timeline", {{"number", 9}})).substr(0, 10), "not_found:");
  const std::uint32_t job = submit(1);
  EXPECT_EQ(error_of(ask("timeline", {{"number", job}, {"bins", 1}})),
      "usage: 'bins' must be a whole number from 2 to 1000");
  agent.error = "the disk is full";
  EXPECT_EQ(tell({{"number", job}})["count"], 1) << "a disk that fails holds up no answer";
}

}  // namespace
}  // namespace dunlin::node
