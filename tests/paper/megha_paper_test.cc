// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sched/federation/global_view.h"
#include "sched/federation/local/local_master.h"
#include "sched/resources.h"
#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

// Megha (IPDPS workshops 2021), one test for each claim of section IV that masters can show by
// themselves. Claims about fairness (IV-C) and failures (IV-D) need a cluster: see
// tests/scenario/federation*_scenario_test.cc. Those about time (III), what waits (IV-B5) and one
// master of each kind (V) are in tests/unit/sim/baseline/megha_test.cc.
namespace dunlin::sched::federation {
namespace {

using namespace std::chrono_literals;
using rows::at;
using ::testing::SizeIs;

constexpr std::uint64_t kEpoch = 1;

/// Two local masters with four members of 4 CPUs each, and two global masters, 100 and 200.
class MeghaMasters : public ::testing::Test {
 protected:
  MeghaMasters() {
    for (std::uint64_t cell = 1; cell <= 2; ++cell) {
      LocalMaster& local = locals_.try_emplace(cell, params_, CellId{cell}, kEpoch).first->second;
      std::vector<Endpoint> members;
      for (std::uint64_t i = 1; i <= 4; ++i) members.push_back(at(10 * cell + i));
      local.set_members(members);
    }
    views_.try_emplace(100, PeerId{100});
    views_.try_emplace(200, PeerId{200});
    for (std::uint64_t cell = 1; cell <= 2; ++cell) {
      attach(cell, 100);
      attach(cell, 200);
      for (std::uint64_t i = 1; i <= 4; ++i) row(10 * cell + i, 1, 4000);
    }
    for (std::uint64_t cell = 1; cell <= 2; ++cell) heartbeat(cell);
  }

  MastersTurn turn() { return {now_, rng_, out_}; }
  LocalMaster& local(std::uint64_t cell) { return locals_.at(cell); }
  GlobalView& view(std::uint64_t master) { return views_.at(master); }
  void attach(std::uint64_t cell, std::uint64_t master) {
    const KnownView known = view(master).known({cell});
    local(cell).receive(turn(), at(master), Attach{.incarnation = 1, .known = {known}},
        known.epoch == 0 ? nullptr : &known);
    hear();
  }
  /// Each global master asks what has changed.
  void heartbeat(std::uint64_t cell) {
    for (const auto& [master, view] : views_) attach(cell, master);
  }
  /// The global masters hear what local ones sent. Returns the answers to launches.
  std::vector<LaunchReply> hear() {
    std::vector<LaunchReply> replies;
    for (const auto& [to, message] : out_.sent) {
      if (!views_.contains(to.id.value)) continue;
      if (const auto* news = std::get_if<CellView>(&message)) view(to.id.value).learn(*news, now_);
      if (const auto* reply = std::get_if<LaunchReply>(&message)) {
        view(to.id.value).learn(reply->view, now_);
        for (const LaunchVerdict& verdict : reply->verdicts) {
          view(to.id.value).settle(reply->view.cell, verdict.number);
        }
        replies.push_back(*reply);
      }
    }
    out_.clear();
    return replies;
  }
  void row(std::uint64_t node,
      std::uint64_t version,
      std::uint32_t cpu,
      std::vector<StartAnswer> answers = {},
      std::vector<FrontendHold> held = {}) {
    local(node / 10).receive(turn(), at(node),
        MemberRow{.cell = {node / 10},
            .epoch = kEpoch,
            .version = std::uint64_t{1} << 32 | version,
            .incarnation = 1,
            .free = {.cpu = cpu, .memory = 8192},
            .kind = {rows::kind({})},
            .answers = std::move(answers),
            .held = std::move(held)});
  }
  std::optional<Place> match(std::uint64_t master, std::uint32_t cpu) {
    return view(master).match({.cpu = cpu}, {}, Pick::first, Time{}, rng_);
  }
  /// The global master launches a task where it found a place. Returns its number there.
  std::uint64_t launch(std::uint64_t master, const Place& place, std::uint32_t cpu) {
    LaunchTasks launch{.known = view(master).known(place.cell), .incarnation = 1};
    launch.reserve.job = launch.tasks.job = {.home = {master}, .number = 1};
    launch.reserve.demand = {.cpu = cpu};
    launch.tasks.tasks = {{++index_, 1, {}}};
    const std::uint64_t number = view(master).launch(place, {.cpu = cpu});
    launch.targets = {{number, place.node}};
    local(place.cell.value).receive(turn(), at(master), launch);
    return number;
  }
  std::set<std::uint64_t> partition(std::uint64_t cell, std::uint64_t master) {
    std::set<std::uint64_t> members;
    const auto& all = local(cell).members().owners().partitions();
    for (const PeerId member : all.at({master})) members.insert(member.value);
    return members;
  }

  FederationParams params_{.repair = false};
  Time now_{};
  Rng rng_{1};
  test::SchedRecorder out_;
  std::map<std::uint64_t, LocalMaster> locals_;
  std::map<std::uint64_t, GlobalView> views_;
  std::uint32_t index_ = 0;
};

// IV-A, eq. 3: the cluster of a local master is the disjoint union of the global masters'
// partitions there.
TEST_F(MeghaMasters, PartitionsAreADisjointUnion) {
  for (std::uint64_t cell = 1; cell <= 2; ++cell) {
    const auto first = partition(cell, 100);
    const auto second = partition(cell, 200);
    EXPECT_EQ(first.size() + second.size(), 4u);
    std::set<std::uint64_t> all = first;
    all.insert(second.begin(), second.end());
    EXPECT_THAT(all, SizeIs(4));
  }
}

// IV-A, eq. 4: the logical cluster of a global master is the union of its partitions over all local
// masters.
TEST_F(MeghaMasters, ALogicalClusterIsTheUnionOfPartitions) {
  EXPECT_EQ(view(100).internal_size(), partition(1, 100).size() + partition(2, 100).size());
  EXPECT_EQ(view(100).size(), 8u) << "it knows the others as well";
}

// IV-A: the state of a local master is current, that of a global master may be stale until a
// heartbeat.
TEST_F(MeghaMasters, StateReachesGlobalMastersPeriodically) {
  row(11, 2, 500);
  EXPECT_EQ(local(1).members().find({11})->free.cpu, 500u);
  hear();
  EXPECT_EQ(view(100).find({1}, {11})->free.cpu, 4000u);
  heartbeat(1);
  EXPECT_EQ(view(100).find({1}, {11})->free.cpu, 500u);
}

// IV-A: ... and with every answer to a launch, that of all partitions of the local master.
TEST_F(MeghaMasters, StateReachesAGlobalMasterWithEachAnswer) {
  const std::uint64_t own = *partition(1, 100).begin();
  const std::uint64_t other = *partition(1, 200).begin();
  row(other, 2, 700);
  hear();
  launch(100, {.cell = {1}, .epoch = kEpoch, .node = {own}}, 1000);
  const std::uint64_t start = out_.only<StartTasks>().numbers.front();
  row(own, 2, 3000, {{start, true}});
  EXPECT_THAT(hear(), SizeIs(1));
  EXPECT_EQ(view(100).find({1}, {own})->free.cpu, 3000u);
  EXPECT_EQ(view(100).find({1}, {other})->free.cpu, 700u);
  EXPECT_EQ(view(200).find({1}, {other})->free.cpu, 4000u) << "the other one heard nothing";
}

// IV-B3: internal partitions take turns, over all local masters.
TEST_F(MeghaMasters, InternalPartitionsTakeTurns) {
  const auto first = match(100, 1000);
  const auto second = match(100, 1000);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->cell, second->cell);
  EXPECT_TRUE(first->internal && second->internal);
  EXPECT_EQ(match(100, 1000)->cell, first->cell);
}

// IV-B4: external partitions only where no internal one matches, in turns as well.
TEST_F(MeghaMasters, ExternalPartitionsComeLast) {
  for (std::uint64_t cell = 1; cell <= 2; ++cell) {
    for (const std::uint64_t node : partition(cell, 100)) row(node, 2, 0);
    heartbeat(cell);
  }
  const auto first = match(100, 1000);
  const auto second = match(100, 1000);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->internal || second->internal);
  EXPECT_NE(first->cell, second->cell);
}

// IV-B4: a repartition takes exactly the demand from the node of the other partition, for as long
// as the task runs. The node stays where it is.
TEST_F(MeghaMasters, ARepartitionIsOfExactlyTheDemandAndTemporary) {
  const std::uint64_t lent = *partition(1, 200).begin();
  launch(100, {.cell = {1}, .epoch = kEpoch, .node = {lent}, .internal = false}, 1500);
  EXPECT_EQ(local(1).members().find({lent})->free.cpu, 2500u);
  const std::uint64_t start = out_.only<StartTasks>().numbers.front();
  const Resources demand{.cpu = 1500};
  row(lent, 2, 2500, {{start, true}}, {{PeerId{100}, demand}});
  heartbeat(1);
  EXPECT_TRUE(partition(1, 200).contains(lent));
  EXPECT_EQ(view(200).find({1}, {lent})->free.cpu, 2500u);
  const FrontendHold logical_node{PeerId{100}, demand};
  EXPECT_THAT(local(1).members().logical_nodes().at({lent}, local(1).members().owners()),
      ::testing::ElementsAre(logical_node));
  row(lent, 3, 4000);
  heartbeat(1);
  EXPECT_EQ(view(200).find({1}, {lent})->free.cpu, 4000u);
  EXPECT_TRUE(local(1).members().logical_nodes().at({lent}, local(1).members().owners()).empty());
}

// IV-B6, failure 1: a node of the own partition is lent to another global master.
TEST_F(MeghaMasters, FailsWhereTheOwnNodeIsLent) {
  const std::uint64_t node = *partition(1, 100).begin();
  launch(200, {.cell = {1}, .epoch = kEpoch, .node = {node}, .internal = false}, 4000);
  out_.clear();
  launch(100, {.cell = {1}, .epoch = kEpoch, .node = {node}}, 1000);
  const auto replies = hear();
  ASSERT_THAT(replies, SizeIs(1));
  EXPECT_EQ(replies[0].verdicts.front().fate, LaunchFate::refused);
  EXPECT_EQ(local(1).masters().at({100}).counts.internal, 1u);
  EXPECT_EQ(view(100).find({1}, {node})->free.cpu, 0u) << "the answer has the state";
}

// IV-B6, failure 2: an external node was taken by its owner, or a third one.
TEST_F(MeghaMasters, FailsWhereAnExternalNodeIsTaken) {
  const std::uint64_t node = *partition(1, 200).begin();
  launch(200, {.cell = {1}, .epoch = kEpoch, .node = {node}}, 4000);
  out_.clear();
  launch(100, {.cell = {1}, .epoch = kEpoch, .node = {node}, .internal = false}, 1000);
  const auto replies = hear();
  ASSERT_THAT(replies, SizeIs(1));
  EXPECT_EQ(replies[0].verdicts.front().fate, LaunchFate::refused);
  EXPECT_EQ(local(1).masters().at({100}).counts.external, 1u);
}

// IV-A: local masters arbitrate: of two that want the same room one gets it.
TEST_F(MeghaMasters, ALocalMasterArbitrates) {
  const Place place{.cell = {2}, .epoch = kEpoch, .node = {21}};
  launch(100, place, 3000);
  launch(200, place, 3000);
  EXPECT_THAT(out_.all<StartTasks>(), SizeIs(1));
  EXPECT_THAT(out_.all<LaunchReply>(), SizeIs(1));
}

// IV-B1: there is one bit vector for each constraint in each partition, internal or external, so
// nodes that do not satisfy one are not looked at.
TEST(MeghaMatch, LooksAtTheRoomOfNodesThatSatisfyAllConstraints) {
  for (const std::uint64_t owner : {100u, 200u}) {
    GlobalView view(PeerId{100});
    CellView news{.cell = {1}, .epoch = 1, .version = 1, .last = true};
    news.kinds = {rows::kind({"gpu=yes", "zone=a"}), rows::kind({"gpu=yes"}), rows::kind({})};
    for (std::uint64_t node = 1; node <= 30; ++node) {
      ViewRow row = rows::told(node, owner, 1);
      row.kind = static_cast<std::uint16_t>(1 + node % 3);
      news.rows.push_back(row);
    }
    view.learn(news, Time{});
    Rng rng(1);
    const Constraint wanted[] = {rows::constraint("gpu=yes"), rows::constraint("zone=a")};
    EXPECT_FALSE(view.match({.cpu = 2000}, wanted, Pick::first, Time{}, rng));
    EXPECT_EQ(view.search().rows, 10u);
  }
}

// IV-B2, eq. 5 and 6: a candidate satisfies all constraints, and has room in every resource.
TEST(MeghaMatch, ACandidateHasRoomInEveryResource) {
  GlobalView view(PeerId{100});
  CellView news{.cell = {1}, .epoch = 1, .version = 1, .last = true};
  news.kinds = {rows::kind({"gpu=yes"})};
  news.rows = {rows::told(1, 100, 4000)};
  news.rows[0].free.memory = 100;
  set_amount(news.rows[0].free, "gpu", 1);
  view.learn(news, Time{});
  Rng rng(1);
  const Constraint constraints[] = {rows::constraint("gpu=yes")};
  const auto fits = [&](std::uint32_t cpu, std::uint32_t memory, std::uint32_t gpus) {
    Resources demand{.cpu = cpu, .memory = memory};
    if (gpus > 0) set_amount(demand, "gpu", gpus);
    return view.match(demand, constraints, Pick::first, Time{}, rng).has_value();
  };
  EXPECT_TRUE(fits(4000, 100, 1));
  EXPECT_FALSE(fits(4001, 100, 1));
  EXPECT_FALSE(fits(4000, 101, 1));
  EXPECT_FALSE(fits(4000, 100, 2));
  const Constraint others[] = {rows::constraint("gpu=no")};
  EXPECT_FALSE(view.match({.cpu = 1}, others, Pick::first, Time{}, rng));
}

}  // namespace
}  // namespace dunlin::sched::federation
