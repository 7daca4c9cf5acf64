// SPDX-License-Identifier: MIT
#include "sched/worker/outbox.h"

#include <gtest/gtest.h>

#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Done;
using sched::JobId;

constexpr JobId kJob{.home = {99}, .number = 1};
constexpr JobId kOther{.home = {98}, .number = 1};

/// Reports are sent again after half a second, and dropped after an hour.
class OutboxTest : public Solo {
 protected:
  void add(const JobId& job, std::uint32_t index) {
    outbox.add(now, job, node(job.home.value), {.index = index, .attempt = 1});
  }
  std::vector<Done> sent_after(sched::Duration time) {
    now += time;
    out.clear();
    auto now_turn = turn();
    outbox.send_due(now_turn, {}, 500ms, 1h, [this](sched::PeerId) { return silent; });
    return out.all<Done>();
  }

  sched::Outbox outbox;
  bool silent = false;  ///< All frontends are.
};

TEST_F(OutboxTest, ReportsOfAJobShareAMessage) {
  add(kJob, 0);
  add(kOther, 0);
  add(kJob, 1);
  const auto sent = sent_after(0s);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].job, kJob);
  EXPECT_EQ(sent[0].reports.size(), 2u);
  EXPECT_EQ(sent[1].job, kOther);
}

TEST_F(OutboxTest, ManyReportsTakeSeveralMessagesThatFitADatagram) {
  for (std::uint32_t index = 0; index < 30; ++index) add(kJob, index);
  const auto sent = sent_after(0s);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].reports.size(), 12u);
  EXPECT_EQ(sent[2].reports.size(), 6u);
}

TEST_F(OutboxTest, WhatNobodyTakesIsSentTwiceAsLateEachTimeAndDroppedInTheEnd) {
  add(kJob, 0);
  EXPECT_EQ(sent_after(0s).size(), 1u);
  EXPECT_EQ(outbox.next(), now + 500ms);
  EXPECT_TRUE(sent_after(499ms).empty());
  EXPECT_EQ(sent_after(1ms).size(), 1u);
  EXPECT_EQ(outbox.next(), now + 1s);
  for (int i = 0; i < 20; ++i) sent_after(outbox.next() - now);
  EXPECT_EQ(outbox.next(), now + 30s) << "no longer than that";
  EXPECT_TRUE(sent_after(1h).empty());
  EXPECT_TRUE(outbox.items().empty());
  EXPECT_EQ(outbox.next(), sched::kNever);
  EXPECT_EQ(executor.forgotten().size(), 1u) << "a report that was given up is of no use";
}

// A job with replicas has another home soon, if the first one is gone.
TEST_F(OutboxTest, AsksTheStandbysOfASilentHomeAgainAndAgain) {
  const sched::TaskLog log{.log = 7, .epoch = 1, .standbys = {{.node = {42}}, {.node = {43}}}};
  outbox.add(now, kJob, node(kJob.home.value), {.index = 0, .attempt = 1}, log);
  EXPECT_EQ(sent_after(0s).size(), 1u) << "the home may be there";
  silent = true;
  for (int i = 0; i < 3; ++i) {
    const auto sent = sent_after(500ms);
    ASSERT_EQ(sent.size(), 3u) << "it, and both standbys";
    EXPECT_EQ(sent[1].log, 7u);
  }
  silent = false;
  EXPECT_TRUE(outbox.follow(now, {node(42), {.log = 7, .epoch = 2}}));
  EXPECT_EQ(outbox.next(), now) << "due at once at the new home";
  EXPECT_EQ(sent_after(0s).size(), 1u);
  EXPECT_EQ(out.sent.back().first.id, sched::PeerId{42});
}

// Seed 33 of the swarm: the home was gone with its disk, and told no worker which node came after
// it.
TEST_F(OutboxTest, AStandbyThatTookOverAcknowledges) {
  const sched::TaskLog log{.log = 7, .epoch = 1, .standbys = {{.node = {42}}, {.node = {43}}}};
  outbox.add(now, kJob, node(kJob.home.value), {.index = 0, .attempt = 1}, log);
  auto now_turn = turn();
  outbox.acknowledge(now_turn, {41}, kJob, {{.index = 0, .attempt = 1}});
  EXPECT_TRUE(outbox.holds(kJob, 0, 1)) << "no replica of its log";
  outbox.acknowledge(now_turn, {43}, kJob, {{.index = 0, .attempt = 1}});
  EXPECT_FALSE(outbox.holds(kJob, 0, 1));
}

TEST_F(OutboxTest, KeepsAReportUntilItIsAcknowledged) {
  add(kJob, 0);
  add(kJob, 1);
  EXPECT_TRUE(outbox.holds(kJob, 0, 1));
  EXPECT_FALSE(outbox.holds(kJob, 0, 2)) << "another attempt";
  auto now_turn = turn();
  outbox.acknowledge(now_turn, kJob.home, kJob, {{.index = 0, .attempt = 2}});
  outbox.acknowledge(now_turn, kOther.home, kOther, {{.index = 0, .attempt = 1}});
  outbox.acknowledge(now_turn, kOther.home, kJob, {{.index = 0, .attempt = 1}});
  EXPECT_EQ(outbox.items().size(), 2u) << "of another task, or by a node that it was not for";
  EXPECT_TRUE(executor.forgotten().empty());
  outbox.acknowledge(now_turn, kJob.home, kJob, {{.index = 0, .attempt = 1}});
  ASSERT_EQ(executor.forgotten().size(), 1u);
  EXPECT_EQ(executor.forgotten()[0].task, (sched::TaskId{kJob, 0}));
  EXPECT_FALSE(outbox.holds(kJob, 0, 1));
  EXPECT_TRUE(outbox.holds(kJob, 1, 1));
}

TEST_F(OutboxTest, HurriesForAFrontendThatIsBack) {
  add(kJob, 0);
  add(kOther, 0);
  sent_after(0s);
  now += 100ms;
  outbox.hurry(now, {99});
  EXPECT_EQ(outbox.next(), now);
  const auto sent = sent_after(0s);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].job, kJob);
}

}  // namespace
}  // namespace dunlin::test
