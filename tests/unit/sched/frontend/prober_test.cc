// SPDX-License-Identifier: MIT
#include "sched/frontend/prober.h"

#include <algorithm>

#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::Prober;
using sched::Reserve;

class ProberTest : public OwnJob {
 protected:
  ProberTest() { params.placement = sched::PlacementName::random; }

  void probe(Prober& prober, const JobState& job) {
    auto now_turn = turn();
    prober.probe(now_turn, around(), job);
  }
  /// The reservation waits at node `at`. True if more were sent.
  bool queue(Prober& prober, const JobState& job, std::uint32_t id, std::uint64_t at) {
    auto now_turn = turn();
    return prober.on_queued(
        now_turn, around(), node(at), job, {.job = job.id(), .probe = id, .ahead = 3});
  }
  static sched::Report failed_start(const sched::Attempt& of) {
    return {.index = of.index,
        .attempt = of.attempt,
        .outcome = sched::Outcome::spawn_failed,
        .cause = sched::Cause::start};
  }
  /// Node `at` asks for one task and gets it.
  void serve(Prober& prober, JobState& job, std::uint32_t id, std::uint64_t at) {
    auto now_turn = turn();
    const bool bound = job.bind(0, node(at), 1, now).has_value();
    prober.on_served(now_turn, node(at), job, question(1, id), bound ? 1 : 0);
  }
};

TEST_F(ProberTest, SendsWhatThePlacementChoosesAndThenRests) {
  Prober prober(params, node(99));
  const JobState job = submitted(4);
  probe(prober, job);
  const auto sent = out.all<Reserve>();
  ASSERT_EQ(sent.size(), 8u);
  EXPECT_EQ(sent[0].frontend, node(99).address);
  EXPECT_EQ(sent[0].tasks_max, 4u);
  EXPECT_EQ(sent[7].probe, 8u) << "each has a number of its own";
  EXPECT_EQ(prober.last(job), 8u);
  EXPECT_EQ(prober.out(job, 0).size(), 8u);
  EXPECT_EQ(seen<sched::ProbeSent>(), 8u);
  probe(prober, job);
  EXPECT_EQ(out.all<Reserve>().size(), 8u);
}

TEST_F(ProberTest, SaysByANumberWhoseJobItIs) {
  const auto number_of = [&](const std::string& owner) {
    out.clear();
    sched::Job job = submitted(1).job();
    job.owner = owner;
    Prober prober(params, node(99));
    probe(prober, JobState(job, now));
    return out.all<Reserve>().at(0).user;
  };
  EXPECT_EQ(number_of(""), 0u);
  EXPECT_NE(number_of("alice"), 0u);
  EXPECT_EQ(number_of("alice"), number_of("alice"));
  EXPECT_NE(number_of("alice"), number_of("bob"));
}

TEST_F(ProberTest, SendsNothingToANodeThatAllTasksAvoid) {
  known.resize(3);
  Prober prober(params, node(99));
  JobState job = submitted(1);
  job.end(failed_start(*job.bind(0, node(2), 1, now)), {2}, now);
  job.end_rests(now + 1s);
  now += 1s;
  probe(prober, job);
  EXPECT_EQ(out.all<Reserve>().size(), 2u);
  for (const auto& [to, message] : out.sent) EXPECT_NE(to.id, sched::PeerId{2});
  const auto visited = out.all<Reserve>()[0].walk.visited;
  EXPECT_EQ(std::ranges::count(visited, 2u), 1) << "nor does a walk go there";
}

TEST_F(ProberTest, ANodeIsNotAvoidedIfThereIsNoOther) {
  known.resize(1);
  Prober prober(params, node(99));
  JobState job = submitted(1);
  job.end(failed_start(*job.bind(0, node(1), 1, now)), {1}, now);
  job.end_rests(now + 1s);
  now += 1s;
  probe(prober, job);
  EXPECT_EQ(out.all<Reserve>().size(), 1u);
}

TEST_F(ProberTest, ReplacesReservationsThatAreLost) {
  Prober prober(params, node(99));
  const JobState job = submitted(1);
  probe(prober, job);
  now += params.probe_timeout;
  probe(prober, job);
  EXPECT_EQ(seen<sched::ProbeLost>(), 2u);
  EXPECT_EQ(out.all<Reserve>().size(), 4u);
  EXPECT_EQ(prober.out(job, 0).size(), 2u);
}

TEST_F(ProberTest, SendsNothingWhileWorkersMayStillReport) {
  Prober prober(params, node(99));
  JobState job = submitted(1);
  job.restore({}, {}, now, now + 3s);
  probe(prober, job);
  EXPECT_TRUE(out.sent.empty());
  now += 3s;
  probe(prober, job);
  EXPECT_EQ(out.all<Reserve>().size(), 2u);
}

TEST_F(ProberTest, AReservationThatWaitsIsToldWhatIsLeftAndHasALease) {
  Prober prober(params, node(99));
  const JobState job = submitted(4);
  probe(prober, job);
  out.clear();
  EXPECT_TRUE(queue(prober, job, 1, 5)) << "the job is made known to more nodes";
  EXPECT_EQ(out.only<sched::Remaining>().work, 4 * task_time);
  EXPECT_EQ(out.only<sched::Remaining>().task_time, task_time);
  EXPECT_EQ(out.all<Reserve>().size(), params.probes_crowded - 8u);
  EXPECT_EQ(prober.out(job, 0)[0].ahead, 3u);
  EXPECT_EQ(prober.out(job, 0)[0].expires, now + params.queue_lease);
  out.clear();
  EXPECT_FALSE(queue(prober, job, 2, 6));
  EXPECT_TRUE(out.all<Reserve>().empty());
}

// A restarted frontend hears of reservations that an earlier incarnation sent.
TEST_F(ProberTest, NumbersGoOnAfterThoseHeardOf) {
  Prober prober(params, node(99));
  const JobState job = submitted(1);
  queue(prober, job, 40, 5);
  EXPECT_GT(out.all<Reserve>().at(0).probe, 40u);
}

TEST_F(ProberTest, WhatCameBackIsOutNoMore) {
  Prober prober(params, node(99));
  const JobState job = submitted(4);
  probe(prober, job);
  prober.on_bounced(
      now, job, {.job = job.id(), .probe = 3, .reason = sched::BounceReason::queue_full});
  EXPECT_EQ(prober.out(job, 0).size(), 7u);
}

TEST_F(ProberTest, AJobTurnedAwayEverywhereHidesItsLength) {
  params.probes_max = 64;
  Prober prober(params, node(99));
  const JobState job = submitted(64);
  probe(prober, job);
  EXPECT_EQ(prober.told_time(job, 0, now), task_time);
  for (std::uint32_t id = 1; id <= 64; ++id) {
    prober.on_bounced(
        now, job, {.job = job.id(), .probe = id, .reason = sched::BounceReason::express});
  }
  EXPECT_EQ(prober.told_time(job, 0, now), 0s);
}

TEST_F(ProberTest, HoldersHearWhenMuchLessIsLeft) {
  Prober prober(params, node(99));
  JobState job = submitted(4);
  probe(prober, job);
  queue(prober, job, 1, 5);
  out.clear();
  serve(prober, job, 2, 6);
  serve(prober, job, 2, 6);
  EXPECT_TRUE(out.all<sched::Remaining>().empty());
  serve(prober, job, 2, 6);
  const auto told = out.all<sched::Remaining>();
  ASSERT_EQ(told.size(), 2u) << "node 6 holds one now, too";
  EXPECT_EQ(told[0].work, task_time);
  EXPECT_EQ(out.sent[0].first, node(5));
}

TEST_F(ProberTest, HoldersHearOfThePilotItsAgeAndItsEnd) {
  task_time = 0s;
  params.queue_lease = 10min;
  Prober prober(params, node(99));
  prober.task_times().learn(20s);
  JobState job = submitted(100);
  probe(prober, job);
  EXPECT_EQ(out.all<Reserve>().at(0).task_time, 2s);
  EXPECT_EQ(out.all<Reserve>().at(0).work, 2s);
  queue(prober, job, 1, 5);
  out.clear();
  serve(prober, job, 2, 6);
  ASSERT_FALSE(out.all<sched::Remaining>().empty()) << "the pilot began";
  EXPECT_EQ(out.all<sched::Remaining>()[0].task_time, 20s);
  EXPECT_EQ(out.all<sched::Remaining>()[0].work, 99 * 20s);
  const auto news_after = [&](sched::Duration time) {
    now += time;
    out.clear();
    probe(prober, job);
    const auto told = out.all<sched::Remaining>();
    return told.empty() ? 0s : told[0].task_time;
  };
  EXPECT_EQ(news_after(39s), 0s);
  EXPECT_EQ(news_after(1s), 40s) << "its age doubled";
  EXPECT_EQ(news_after(10s), 0s);
  job.end({.index = 0, .attempt = 1, .wall = 5s}, {6}, now);
  EXPECT_EQ(news_after(0s), 5s) << "it ended";
}

TEST_F(ProberTest, WithTheLastTaskAllIsWithdrawn) {
  Prober prober(params, node(99));
  JobState job = submitted(1);
  probe(prober, job);
  queue(prober, job, 1, 5);
  const std::uint32_t last = prober.last(job);
  out.clear();
  serve(prober, job, 2, 6);
  const auto cancel = out.only<sched::Cancel>();
  EXPECT_EQ(out.sent[0].first, node(5)) << "those that walk end at a worker that has heard of it";
  EXPECT_EQ(cancel.served_to, last);
  EXPECT_TRUE(prober.out(job, 0).empty());
}

TEST_F(ProberTest, AWorkerThatGotNothingHoldsNothing) {
  Prober prober(params, node(99));
  JobState job = submitted(2);
  probe(prober, job);
  const std::size_t before = prober.out(job, 0).size();
  auto now_turn = turn();
  prober.on_served(now_turn, node(6), job, question(1, 2), 0);
  EXPECT_EQ(prober.out(job, 0).size(), before - 1);
}

TEST_F(ProberTest, WhatWaitedAtANodeThatIsGoneIsLost) {
  Prober prober(params, node(99));
  const JobState job = submitted(4);
  queue(prober, job, 1, 50);
  const std::size_t before = prober.out(job, 0).size();
  prober.on_worker_gone({50});
  EXPECT_EQ(prober.out(job, 0).size(), before - 1);
}

TEST_F(ProberTest, AClosedJobIsForgotten) {
  Prober prober(params, node(99));
  JobState job = submitted(1);
  probe(prober, job);
  queue(prober, job, 1, 5);
  job.cancel_all();
  out.clear();
  auto now_turn = turn();
  prober.close(now_turn, job);
  EXPECT_EQ(out.all<sched::Cancel>().size(), 1u);
  EXPECT_EQ(prober.last(job), 0u);
  prober.withdraw_idle(now_turn, job);
  EXPECT_EQ(out.all<sched::Cancel>().size(), 1u);
}

TEST_F(ProberTest, NodesHeardOfAreAskedLikeThoseInTheViews) {
  known.clear();
  know(1);
  Prober prober(params, node(99));
  auto heard = known[0].peer;
  for (std::uint64_t id = 2; id <= 3; ++id) {
    heard.id = {id};
    prober.hear(now, heard);
  }
  prober.forget(sched::PeerId{3});
  const JobState one = submitted(1);
  probe(prober, one);
  EXPECT_EQ(out.all<Reserve>().size(), 1u) << "in a cluster of one, as far as the views tell";
  for (int i = 0; i < 40; ++i) {
    now += params.probe_timeout;
    probe(prober, one);
  }
  const auto to = [&](std::uint64_t id) {
    return std::ranges::count_if(
        out.sent, [&](const auto& sent) { return sent.first.id.value == id; });
  };
  EXPECT_GT(to(2), 0);
  EXPECT_EQ(to(3), 0);
}

// A node says by its invitation that no reservation of the job waits there: it may have started
// anew.
TEST_F(ProberTest, AnInvitationEndsWhatWaitedThereButNotWhatIsUnderWay) {
  Prober prober(params, node(99));
  const JobState job = submitted(4);
  const auto invite = [&](std::uint64_t at) {
    auto now_turn = turn();
    prober.invite(now_turn, job, node(at));
  };
  invite(5);
  EXPECT_EQ(out.all<Reserve>().size(), 1u);
  invite(5);
  EXPECT_EQ(out.all<Reserve>().size(), 1u) << "the first is under way";
  queue(prober, job, 1, 5);
  out.clear();
  invite(5);
  ASSERT_EQ(out.all<Reserve>().size(), 1u);
  EXPECT_EQ(out.sent[0].first, node(5));
  EXPECT_EQ(seen<sched::ProbeLost>(), 1u);
  EXPECT_EQ(std::ranges::count(prober.out(job, 0), 1u, &sched::Probe::id), 0);
}

}  // namespace
}  // namespace dunlin::test
