// SPDX-License-Identifier: MIT
#include "sched/frontend/inputs/input_probes.h"

#include "sched/frontend/binder.h"
#include "sched/frontend/prober.h"
#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"
#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::Remaining;
using sched::Reserve;
using sched::Tasks;

/// A job of tasks with inputs at some of 20 nodes, of which 5 to 20 are busy.
class InputProbes : public OwnJob {
 protected:
  InputProbes() {
    params.placement = sched::PlacementName::random;
    for (auto& each : known) {
      if (each.peer.id.value >= 5) each.peer.cpu_free = 0;
    }
  }
  JobState at(std::uint32_t count, const std::vector<std::string>& nodes) const {
    sched::Job job = test::job(count);
    job.id = {.home = kHome, .number = 1};
    sched::TaskGroup& group = job.groups[0];
    sched::InputsBuilder builder;
    for (const std::string& each : nodes) EXPECT_TRUE(builder.add("1M@" + each));
    group.inputs = builder.take();
    for (sched::InputNode& each : group.inputs.nodes) {
      if (each.name == "x") continue;
      each.id = {std::stoull(each.name)};
      each.address = node(each.id.value).address;
    }
    group.demand.disk_read = 100;
    settle_input_rates(group);
    return {std::move(job), now};
  }
  /// The nodes to which reservations went, and what each was told to have.
  std::map<std::uint64_t, Reserve> probe(JobState& job) {
    auto now_turn = turn();
    prober.probe(now_turn, around(), job);
    std::map<std::uint64_t, Reserve> sent;
    for (const auto& [to, message] : out.sent) {
      if (const auto* reserve = std::get_if<Reserve>(&message)) sent[to.id.value] = *reserve;
    }
    return sent;
  }
  Tasks ask(JobState& job, std::uint64_t worker, std::uint16_t room, bool here = false) {
    out.clear();
    auto now_turn = turn();
    sched::GetTask asked = question(room);
    asked.here = here;
    binder.answer(now_turn, around(), node(worker), job, asked, prober);
    return out.only<Tasks>();
  }

  sched::Prober prober{params, node(99)};
  sched::Binder binder;
};

TEST_F(InputProbes, NodesWithInputsAreAskedFirst) {
  JobState job = at(4, {"2", "17", "2", "x"});
  const auto sent = probe(job);
  ASSERT_TRUE(sent.contains(2));
  ASSERT_TRUE(sent.contains(17)) << "though it is busy";
  EXPECT_GE(sent.size(), 8u) << "others are asked, too";
  EXPECT_EQ(sent.at(2).inputs.front().left, 2u);
  EXPECT_TRUE(sent.at(2).settled);
  EXPECT_EQ(sent.at(2).demand.net_in, 100u);
  for (const auto& [id, reserve] : sent) {
    if (id == 2 || id == 17) continue;
    EXPECT_EQ(reserve.inputs.front().left, 0u);
    EXPECT_FALSE(reserve.settled);
  }
}

TEST_F(InputProbes, HalfOfTheReservationsWalk) {
  JobState job = at(2, {"5,6,7,8", "9,10,11,12"});
  std::size_t settled = 0;
  const auto sent = probe(job);
  for (const auto& [id, reserve] : sent) settled += reserve.settled ? 1 : 0;
  EXPECT_GE(settled, sent.size() / 2);
  EXPECT_LT(settled, sent.size());
}

TEST_F(InputProbes, NodesWithRoomComeBeforeBusyOnes) {
  JobState job = at(1, {"9,10,3,11"});
  EXPECT_TRUE(probe(job).contains(3));
}

TEST_F(InputProbes, SickNodesAndSmallOnesAreNot) {
  known[2].peer.cpu_total = known[2].peer.memory_total = 0;
  known[3].peer.cpu_total = 500;
  JobState job = at(1, {"3", "4"});
  const auto sent = probe(job);
  for (const auto& [id, reserve] : sent) EXPECT_FALSE(reserve.settled) << id;
}

TEST_F(InputProbes, AJobWithoutInputsSaysNothingOfThem) {
  JobState job = submitted(4);
  for (const auto& [id, reserve] : probe(job)) {
    EXPECT_TRUE(reserve.inputs.empty());
    EXPECT_FALSE(reserve.settled);
  }
  const Tasks tasks = ask(job, 3, 1);
  EXPECT_TRUE(tasks.inputs.empty());
  EXPECT_FALSE(tasks.tasks.front().remote);
}

// The node with the input may keep its only CPU for short tasks, and nothing is lent elsewhere.
TEST_F(InputProbes, WhatIsLentNothingGoesToItsInputWithoutALength) {
  JobState job = at(2, {"7", "7"});
  for (int i = 0; i < 6; ++i) {
    const auto task = job.bind(0, node(2), 1, now, {});
    ASSERT_TRUE(task);
    ASSERT_TRUE(job.refuse(*task, {2}, now, true));
    EXPECT_EQ(job.groups()[0].inputs.stuck({7}), i == 5 ? 1u : 0u);
    now += 8s;
  }
  const auto sent = probe(job);
  ASSERT_GE(sent.size(), 2u);
  for (const auto& [to, reserve] : sent) {
    EXPECT_EQ(reserve.task_time == 0s, to == 7);
    EXPECT_EQ(reserve.tasks_max, to == 7 ? 1u : 2u) << "only for the one that is stuck";
    // Nor does it hear of one while the reservation waits there.
    out.clear();
    auto now_turn = turn();
    prober.on_queued(now_turn, around(), node(to), job, {.job = job.id(), .probe = reserve.probe});
    EXPECT_EQ(out.only<Remaining>().task_time == 0s, to == 7);
  }
  // Nor when it is told what is left.
  out.clear();
  now += 1s;
  auto now_turn = turn();
  prober.tell_terms(now_turn, job);
  ASSERT_FALSE(out.all<Remaining>().empty());
  for (const auto& [to, message] : out.sent) {
    if (const auto* told = std::get_if<Remaining>(&message)) {
      EXPECT_EQ(told->task_time == 0s, to.id.value == 7);
    }
  }
  EXPECT_EQ(ask(job, 7, 1, true).tasks.size(), 1u);
  EXPECT_EQ(job.groups()[0].inputs.stuck({7}), 0u);
  EXPECT_GT(ask(job, 7, 1, true).task_time, 0s) << "it has all of those";
}

TEST_F(InputProbes, TheAnswerNamesTheNodesThatHaveARemoteInput) {
  JobState job = at(3, {"2", "3,4", "2"});
  const Tasks tasks = ask(job, 2, 3);
  ASSERT_EQ(tasks.tasks.size(), 3u);
  EXPECT_FALSE(tasks.tasks[0].remote);
  EXPECT_FALSE(tasks.tasks[1].remote);
  EXPECT_EQ(tasks.tasks[2].index, 1u);
  EXPECT_TRUE(tasks.tasks[2].remote);
  ASSERT_EQ(tasks.tasks[2].sources.size(), 2u);
  EXPECT_EQ(tasks.tasks[2].sources[0].node, sched::PeerId{4}) << "task 1 begins with the second";
  EXPECT_EQ(tasks.inputs.front().left, 0u);
}

// Its room may be for a local task alone. So it is told to ask again, for others.
TEST_F(InputProbes, WhoAsksForInputsItHasNoMoreOfHearsThat) {
  JobState job = at(3, {"2", "3", "3"});
  EXPECT_EQ(ask(job, 2, 1, true).tasks.size(), 1u);
  const Tasks none = ask(job, 2, 1, true);
  EXPECT_TRUE(none.tasks.empty());
  EXPECT_EQ(none.remaining, 2u);
  EXPECT_EQ(none.inputs.front().left, 0u);
  EXPECT_EQ(none.served_to, 0u);
  EXPECT_EQ(ask(job, 2, 1).tasks.size(), 1u);
}

TEST_F(InputProbes, HoldersHearHowManyAreLeftForThem) {
  JobState job = at(4, {"2", "2", "3", "x"});
  auto now_turn = turn();
  for (const std::uint64_t id : {2u, 3u, 4u}) {
    out.clear();
    prober.on_queued(now_turn, around(), node(id), job,
        {.job = job.id(), .probe = static_cast<std::uint32_t>(id), .ahead = 1});
    EXPECT_EQ(out.all<Remaining>().front().inputs.front().left, id == 2 ? 2u : id == 3 ? 1u : 0u);
  }
}

}  // namespace
}  // namespace dunlin::test
