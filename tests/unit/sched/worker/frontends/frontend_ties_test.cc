// SPDX-License-Identifier: MIT
#include "sched/worker/frontends/frontend_ties.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::FindHome;
using sched::HomeIs;
using sched::LogReplica;
using sched::WorkerTimer;

constexpr std::uint64_t kTiesLog = 7;

/// A node of four CPUs, with leases of a second.
class FrontendTiesTest : public Solo {
 protected:
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.renew = 1s;
    params.queue_renew = 4s;
    params.orphan_after = 60s;
    return params;
  }
  void start(std::uint32_t number, std::uint32_t index) {
    parts.run(turn(), reserve_of(number, 10s), index);
  }
  bool end(std::uint32_t number, std::uint32_t index) {
    auto now_turn = turn();
    const auto ended = parts.running.end(
        now_turn, {.job = reserve_of(number).job, .report = {.index = index, .attempt = 1}});
    return ended.has_value();
  }
  /// Task 0 of a job, which `home` gave an earlier incarnation in that epoch of a log; 0: of none.
  static sched::KeptTask kept(std::uint32_t number, std::uint64_t home, std::uint32_t epoch = 0) {
    return {.task = {reserve_of(number).job, 0},
        .attempt = 1,
        .frontend = node(home),
        .demand = {.cpu = 1000, .memory = 1, .custom = {}},
        .task_time = 5s,
        .log = {.log = epoch == 0 ? 0 : kTiesLog, .epoch = epoch},
        .ran = 3s,
        .ended = {}};
  }
  void take_back(const std::vector<sched::KeptTask>& tasks) {
    auto now_turn = turn();
    parts.running.take_back(now_turn, tasks);
    ties.take_back(now, tasks);
  }
  static LogReplica replica(std::uint64_t of) { return {.replica = 1000 + of, .node = {of}}; }
  /// The home of `epoch` is `home`; node 43 is a standby.
  static HomeIs told(std::uint32_t epoch, std::uint64_t home) {
    return {.log = kTiesLog,
        .epoch = epoch,
        .version = 1,
        .home = replica(home).replica,
        .set = {replica(home), replica(43)}};
  }
  std::uint64_t frontend_of(std::size_t i) const {
    return parts.running.running()[i].frontend.id.value;
  }

  LooseParts parts{4000, params()};
  sched::WorkerTimers timers;
  sched::FrontendTies ties{parts.params, parts.incarnation, parts.running, timers};
};

TEST_F(FrontendTiesTest, RenewsTheLeaseOfEachJob) {
  start(2, 0);
  start(1, 4);
  start(1, 5);
  auto now_turn = turn();
  ties.renew(now_turn, {.cpu_free = 7});
  const auto sent = out.all<sched::Renew>();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].job.number, 1u);
  EXPECT_EQ(sent[0].tasks.size(), 2u);
  EXPECT_EQ(sent[0].load.cpu_free, 7u);
  EXPECT_EQ(sent[1].job.number, 2u);
}

TEST_F(FrontendTiesTest, AFrontendThatBeganAnewElsewhereIsFoundThere) {
  start(1, 0);
  start(1, 1);
  ties.heard(now, {99});
  EXPECT_TRUE(end(1, 1));
  overlay::Descriptor elsewhere;
  elsewhere.id = {99};
  elsewhere.incarnation = 6;
  elsewhere.address = node(5).address;
  ties.hear(elsewhere);
  out.clear();
  auto now_turn = turn();
  ties.renew(now_turn, {});
  ties.send_reports(now_turn, {});
  ASSERT_EQ(out.sent.size(), 2u);
  for (const auto& [to, message] : out.sent) EXPECT_EQ(to.address, node(5).address);
  // Old news of it goes round for a while.
  elsewhere.incarnation = 5;
  elsewhere.address = node(99).address;
  ties.hear(elsewhere);
  out.clear();
  ties.renew(now_turn, {});
  ASSERT_EQ(out.sent.size(), 1u);
  EXPECT_EQ(out.sent[0].first.address, node(5).address);
}

TEST_F(FrontendTiesTest, HurriesReportsToAFrontendThatIsBack) {
  start(1, 0);
  ties.heard(now, {99});
  end(1, 0);
  auto now_turn = turn();
  ties.send_reports(now_turn, {});
  EXPECT_GT(parts.running.outbox().next(), now);
  const sched::Time due = parts.running.outbox().next();
  ties.heard(now + 2s, {99});
  EXPECT_EQ(parts.running.outbox().next(), due) << "two missed confirmations are nothing";
  EXPECT_EQ(timers.at(WorkerTimer::outbox), sched::kNever);
  ties.heard(now + 5s, {99});
  EXPECT_EQ(parts.running.outbox().next(), now + 5s);
  EXPECT_EQ(timers.at(WorkerTimer::outbox), now + 5s);
}

TEST_F(FrontendTiesTest, SilentFrontendsLoseReservationsFirstAndTasksLater) {
  start(1, 0);
  parts.wait(now, reserve_of(2));
  ties.heard(now, {99});
  const sched::Time heard = now;
  const auto reap_at = [&](sched::Time when) {
    now = when;
    auto now_turn = turn();
    ties.reap(now_turn, parts.queue);
  };
  reap_at(heard + 16s);
  EXPECT_EQ(parts.queue.size(), 1u);
  reap_at(heard + 16s + 1ms);
  EXPECT_TRUE(parts.queue.empty());
  reap_at(heard + 60s);
  EXPECT_FALSE(parts.running.running()[0].killed);
  reap_at(heard + 60s + 1ms);
  EXPECT_TRUE(parts.running.running()[0].killed);
  EXPECT_TRUE(std::holds_alternative<sched::TaskOrphaned>(events.seen.back()));
}

TEST_F(FrontendTiesTest, ForgetsFrontendsWithNothingHere) {
  start(1, 0);
  parts.wait(now, reserve_of(2));
  ties.heard(now, {99});
  const auto known_after_reap = [&] {
    auto now_turn = turn();
    ties.reap(now_turn, parts.queue);
    return ties.leases().all().size();
  };
  EXPECT_EQ(known_after_reap(), 1u);
  end(1, 0);
  parts.queue.take_all();
  EXPECT_EQ(known_after_reap(), 1u) << "a report is kept for it";
  {
    auto now_turn = turn();
    const sched::JobId job = reserve_of(1).job;
    parts.running.outbox().acknowledge(now_turn, job.home, job, {{.index = 0, .attempt = 1}});
  }
  EXPECT_EQ(known_after_reap(), 0u);
}

TEST_F(FrontendTiesTest, TellsHowFarBackItsTasksGoAndHowLongItIsAway) {
  parts.incarnation = {.number = 7, .since = 5};
  take_back({kept(1, 99)});
  auto now_turn = turn();
  ties.renew(now_turn, {}, 30s);
  const auto renewed = out.only<sched::Renew>();
  EXPECT_EQ(renewed.incarnation, 7u);
  EXPECT_EQ(renewed.since, 5u);
  EXPECT_EQ(renewed.away, 30s);
}

TEST_F(FrontendTiesTest, AFrontendOfATaskThatIsTakenBackHasALease) {
  take_back({kept(1, 99), kept(2, 99)});
  EXPECT_EQ(ties.leases().all().size(), 1u) << "or an orphan would never be found";
}

TEST_F(FrontendTiesTest, TasksOfALogAreForTheHomeOfTheLatestEpoch) {
  EXPECT_FALSE(ties.hear(now, told(2, 42))) << "no task of that log was ever here";
  take_back({kept(1, 99, 1), kept(2, 42, 2)});
  EXPECT_EQ(frontend_of(0), 42u);
  EXPECT_TRUE(ties.hear(now, told(3, 43)));
  EXPECT_EQ(frontend_of(0), 43u);
  EXPECT_EQ(frontend_of(1), 43u);
  EXPECT_EQ(timers.at(WorkerTimer::renew), now) << "the new home hears of them at once";
  EXPECT_TRUE(ties.hear(now, told(2, 42)));
  EXPECT_EQ(frontend_of(0), 43u) << "an old word";
}

TEST_F(FrontendTiesTest, OnlyTheFrontendOfAJobAndHomesOfLogsMaySpeakAboutIt) {
  const sched::JobId job = reserve_of(1).job;
  EXPECT_TRUE(ties.may_speak({99}, job));
  EXPECT_FALSE(ties.may_speak({42}, job));
  ties.learn_home(now, {.log = kTiesLog, .epoch = 1}, node(42));
  EXPECT_TRUE(ties.may_speak({42}, job));
}

TEST_F(FrontendTiesTest, ASilentHomeIsLookedForNowAndThen) {
  take_back({kept(1, 99, 1), kept(2, 99, 1), kept(3, 98)});
  EXPECT_TRUE(ties.take_lost_homes(now).empty());
  now += 9s;
  const std::vector<FindHome> lost = ties.take_lost_homes(now);
  ASSERT_EQ(lost.size(), 1u) << "one question for a log, none for jobs without replicas";
  EXPECT_EQ(lost[0].log, kTiesLog);
  EXPECT_TRUE(ties.take_lost_homes(now + 9s).empty()) << "the last one may yet be answered";
  EXPECT_EQ(ties.take_lost_homes(now + 10s).size(), 1u);
}

}  // namespace
}  // namespace dunlin::test
