// SPDX-License-Identifier: MIT
#include "sched/directory/directory.h"

#include <array>
#include <gtest/gtest.h>

#include "sched/constraints.h"
#include "sched/packing/rate_bits.h"
#include "sched/peer_view.h"
#include "tests/support/solo.h"
#include "tests/support/world.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

overlay::Descriptor node_with(std::uint64_t id, std::uint32_t cpu, std::uint32_t memory) {
  overlay::Descriptor d{};
  d.id = PeerId{id};
  d.address = Address::v4(1, 7700);
  d.incarnation = 1;
  d.sequence = 1;
  d.cpu_free = d.cpu_total = cpu;
  d.memory_free = d.memory_total = memory;
  return d;
}

class DirectoryTest : public test::Solo {
 protected:
  static Facts facts_of(std::uint32_t incarnation) {
    Facts facts;
    facts.incarnation = incarnation;
    facts.total = facts.free = {.cpu = 4000, .memory = 8000, .custom = {}};
    return facts;
  }
  const KnownNode& at(std::uint64_t id) const { return directory.nodes().at(PeerId{id}); }
  NodeState state(std::uint64_t id, Duration since_start) const {
    return at(id).state(Time{since_start});
  }
  void answer(Duration since_start, const Facts& facts) {
    now = Time{since_start};
    Turn then = turn();
    directory.on_message(then, node(2), facts);
  }
  void run_until(Duration since_start) {
    while (now < Time{since_start}) {
      now += 250ms;
      Turn then = turn();
      directory.wake(then);
    }
  }

  NodeSpec self{.endpoint = {PeerId{1}, Address::v4(1, 7700)}, .name = "kestrel"};
  Directory directory{{.size_max = 4}, self};
};

// The books must outlive the home's machine, so two machines are too few. A node of which nothing
// is known yet may be on any.
TEST_F(DirectoryTest, SaysHowManyMachinesReplicasNeed) {
  EXPECT_EQ(directory.why_never_safe(1, "replica"), std::nullopt) << "it knows of none";
  for (const std::uint64_t id : {2u, 3u}) {
    directory.hear(Time{}, node_with(id, 4000, 8000));
    Facts facts = facts_of(1);
    facts.machine = 7;
    facts.replica = 100 + id;
    Turn then = turn();
    directory.on_message(then, node(id), facts);
  }
  EXPECT_EQ(directory.why_never_safe(1, "required replica").value(),
      "1 required replica needs 3 machines, since 2 of them keep the books of the job's cell when "
      "one is lost; this cluster has 1 machine with 2 nodes");
  directory.hear(Time{}, node_with(4, 4000, 8000));
  EXPECT_TRUE(directory.why_never_safe(1, "replica").has_value());
  directory.hear(Time{}, node_with(5, 4000, 8000));
  EXPECT_EQ(directory.why_never_safe(1, "replica"), std::nullopt);
  EXPECT_TRUE(directory.why_never_safe(2, "replica").has_value());
  EXPECT_EQ(directory.why_never_safe(0, "replica"), std::nullopt);
}

TEST_F(DirectoryTest, CountsHowFarEachTestThinsTheNodesOut) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  directory.hear(Time{}, node_with(3, 1000, 8000));
  auto busy = node_with(4, 4000, 8000);
  busy.cpu_free = 500;
  directory.hear(Time{}, busy);
  const Census census = directory.census(Time{1s}, {.cpu = 2000, .memory = 100, .custom = {}}, {});
  EXPECT_EQ(census.known, 3u);
  EXPECT_EQ(census.could_fit, 2u);
  EXPECT_EQ(census.fit_now, 1u);
  EXPECT_EQ(census.cpu_short, 1u);
  EXPECT_EQ(census.oldest, 1s);
}

TEST_F(DirectoryTest, SaysWhyADemandCanNeverBeMetAndWhatTheLargestHas) {
  directory.hear(Time{}, node_with(2, 4000, 64102));
  directory.hear(Time{}, node_with(3, 1000, 8000));
  EXPECT_FALSE(directory.why_never(Time{}, {.cpu = 4000, .memory = 8000, .custom = {}}, {}));
  const auto why = directory.why_never(Time{}, {.cpu = 1000, .memory = 921600, .custom = {}}, {});
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "no node of 2 can ever fit 900 GiB; largest: 0000000000000002, 62.6 GiB");
}

TEST_F(DirectoryTest, GossipTellsRatesUntilFactsAreThere) {
  Resources total{.custom = {}};
  total.net_in = 1000;
  Resources free = total;
  free.net_in = 250;
  auto busy = node_with(2, 4000, 8000);
  busy.rates_total = rates_total_bits(total);
  busy.rates_used = rates_used_bits(free, total);
  directory.hear(Time{}, busy);
  directory.hear(Time{}, node_with(3, 4000, 8000));
  Resources demand{.cpu = 1000, .memory = 100, .custom = {}, .net_in = 500};
  EXPECT_EQ(directory.census(Time{}, demand, {}).fit_now, 1u);
  EXPECT_EQ(directory.census(Time{}, demand, {}).could_fit, 2u);
  demand.net_in = 2000;
  EXPECT_EQ(directory.census(Time{}, demand, {}).could_fit, 1u) << "the other has no limit";
  // What the node says itself is exact, until gossip brings something later.
  Facts facts = facts_of(1);
  facts.total.net_in = 1000;
  facts.free.net_in = 1000;
  answer(1s, facts);
  demand.net_in = 1000;
  EXPECT_EQ(directory.census(now, demand, {}).fit_now, 2u);
  busy.sequence = 2;
  directory.hear(Time{2s}, busy);
  EXPECT_EQ(directory.census(Time{2s}, demand, {}).fit_now, 1u);
}

// Where a node declares no rate, it has no limit.
TEST_F(DirectoryTest, RatesAreCountedWhereTheyAreDeclared) {
  for (const std::uint64_t id : {2u, 3u}) directory.hear(Time{}, node_with(id, 4000, 8000));
  const Resources demand{.cpu = 1000, .memory = 100, .custom = {}, .net_in = 500};
  EXPECT_EQ(directory.census(Time{}, demand, {}).fit_now, 2u);
  Facts facts = facts_of(1);
  answer(1s, facts);
  EXPECT_EQ(directory.census(now, demand, {}).fit_now, 2u) << "a build before rates has no limit";
  facts.total.net_in = 600;
  facts.free.net_in = 400;
  answer(2s, facts);
  const Census census = directory.census(now, demand, {});
  EXPECT_EQ(census.could_fit, 2u);
  EXPECT_EQ(census.fit_now, 1u);
  EXPECT_EQ(census.rate_short, (std::array<std::uint32_t, 4>{0, 0, 1, 0}));
}

TEST_F(DirectoryTest, SaysWhichRateNoNodeHas) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  Facts facts = facts_of(1);
  facts.name = "osprey";
  facts.total.disk_write = facts.free.disk_write = 50 * 1024;
  answer(1s, facts);
  const auto why = directory.why_never(
      now, {.cpu = 1000, .memory = 1, .custom = {}, .disk_write = 100 * 1024}, {});
  ASSERT_TRUE(why);
  EXPECT_EQ(*why,
      "the one node known cannot ever fit 100 MiB/s disk write; largest: osprey, 50 MiB/s disk "
      "write");
}

TEST_F(DirectoryTest, ASickNodeIsNotUpButMayBeLargeEnough) {
  directory.hear(Time{}, node_with(2, 1000, 8000));
  directory.hear(Time{}, node_with(3, 0, 0));
  const Resources demand{.cpu = 4000, .memory = 100, .custom = {}};
  EXPECT_EQ(directory.census(Time{}, {}, {}).up, 1u);
  EXPECT_FALSE(directory.why_never(Time{}, demand, {})) << "gossip does not say how large it is";
}

TEST_F(DirectoryTest, NamesTheConstraintThatNobodySatisfies) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  directory.hear(Time{}, node_with(3, 4000, 8000));
  const std::array constraints = {*parse_constraint("colour=red")};
  const auto why = directory.why_never(Time{}, {}, constraints);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("colour=red"), std::string::npos) << *why;
}

TEST_F(DirectoryTest, KeepsTheFreshestStatement) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  auto old = node_with(2, 1, 1);
  old.sequence = 0;
  directory.hear(Time{1s}, old);
  EXPECT_EQ(at(2).descriptor.cpu_total, 4000u);
}

// The views of others hold statements of a dead node for a long time. They reach this one late, and
// may be newer than all that it had heard: they are older than the death all the same.
TEST_F(DirectoryTest, AStatementMadeBeforeTheDeathAndHeardLaterRaisesNobody) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  directory.on_down(Time{10s}, PeerId{2}, false);
  auto late = node_with(2, 3000, 8000);
  late.sequence = 9;
  late.age = 5s;
  directory.hear(Time{13s}, late);
  EXPECT_EQ(state(2, 13s), NodeState::down);
  EXPECT_EQ(at(2).descriptor.cpu_total, 3000u);
  auto news = late;
  news.sequence = 10;
  news.age = 1s;
  directory.hear(Time{13s}, news);
  EXPECT_EQ(state(2, 13s), NodeState::up);
}

TEST_F(DirectoryTest, ANodeThatSaidGoodByeIsRaisedByALaterIncarnationOnly) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  directory.on_down(Time{10s}, PeerId{2}, true);
  auto news = node_with(2, 4000, 8000);
  news.sequence = 2;
  directory.hear(Time{13s}, news);
  answer(13s, facts_of(1));
  EXPECT_EQ(state(2, 13s), NodeState::down);
  news.incarnation = 2;
  directory.hear(Time{14s}, news);
  EXPECT_EQ(state(2, 14s), NodeState::up);
}

TEST_F(DirectoryTest, AGoodByeOfAnEarlierIncarnationIsNoNews) {
  auto news = node_with(2, 4000, 8000);
  news.incarnation = 3;
  directory.hear(Time{}, news);
  directory.on_farewell(Time{10s}, PeerId{2}, 2);
  EXPECT_EQ(state(2, 10s), NodeState::up);
  directory.on_farewell(Time{10s}, PeerId{2}, 3);
  EXPECT_EQ(state(2, 10s), NodeState::down);
}

TEST_F(DirectoryTest, AnAnswerOfTheNodeItselfRaisesIt) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  directory.on_down(Time{10s}, PeerId{2}, false);
  answer(10s, facts_of(0));
  EXPECT_EQ(state(2, 10s), NodeState::down) << "an answer of an earlier incarnation";
  answer(10s, facts_of(1));
  EXPECT_EQ(state(2, 10s), NodeState::up);
}

// A partner of a shuffle that does not answer leaves the random view, so no ping finds it dead.
TEST_F(DirectoryTest, ANodeThatAnswersNoQuestionIsSuspectThenDown) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  answer(0s, facts_of(1));
  now = Time{9s};
  Turn then = turn();
  directory.suspect(then, PeerId{2});
  EXPECT_EQ(state(2, 9s), NodeState::up);
  EXPECT_EQ(state(2, 11s), NodeState::suspect);
  EXPECT_EQ(directory.census(Time{11s}, {}, {}).up, 0u);
  run_until(14s);
  EXPECT_EQ(state(2, 14s), NodeState::suspect);
  run_until(16s);
  EXPECT_EQ(state(2, 16s), NodeState::down);
  EXPECT_EQ(out.sent.size(), 3u);
  EXPECT_EQ(directory.deadline(), kNever) << "the dead are left alone";
}

TEST_F(DirectoryTest, ManyQuestionsInAMomentAreNoMoreThanOne) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  now = Time{};
  for (int i = 0; i < 20; ++i) {
    now += 100ms;
    Turn then = turn();
    directory.refresh(then);
    directory.wake(then);
  }
  EXPECT_EQ(state(2, 2s), NodeState::up);
  auto news = node_with(2, 4000, 8000);
  news.sequence = 2;
  news.age = 1s;
  directory.hear(now, news);
  EXPECT_FALSE(at(2).unanswered) << "others heard it after the first question";
}

TEST_F(DirectoryTest, ADrainingNodeIsNotUp) {
  directory.hear(Time{}, node_with(2, 4000, 8000));
  auto facts = facts_of(1);
  facts.draining = true;
  answer(0s, facts);
  EXPECT_EQ(state(2, 0s), NodeState::draining);
  EXPECT_EQ(directory.census(Time{}, {}, {}).up, 0u);
}

// It stayed unfit for copies of logs as long as no listing asked it.
TEST_F(DirectoryTest, ANodeThatDrainsOrIsInTroubleIsAskedAgain) {
  const auto asked = [&](Duration until) {
    out.sent.clear();
    run_until(until);
    return out.all<FactsRequest>().size();
  };
  now = Time{};
  directory.hear(now, node_with(2, 4000, 8000));
  EXPECT_GE(asked(1s), 1u);
  Facts facts = facts_of(1);
  facts.draining = true;
  answer(1s, facts);
  EXPECT_EQ(state(2, 1s), NodeState::draining);
  EXPECT_EQ(asked(10'750ms), 0u);
  EXPECT_EQ(asked(11'500ms), 1u);
  facts.draining = false;
  facts.trouble = "its disk fails";
  answer(12s, facts);
  EXPECT_EQ(state(2, 12s), NodeState::up);
  EXPECT_EQ(asked(22'500ms), 1u);
  answer(23s, facts_of(1));
  EXPECT_EQ(asked(100s), 0u);
}

TEST_F(DirectoryTest, IsBoundedAndDropsTheOldest) {
  for (std::uint64_t id = 2; id < 20; ++id) directory.hear(Time{Duration{id}}, node_with(id, 1, 1));
  EXPECT_EQ(directory.nodes().size(), 4u);
  EXPECT_TRUE(directory.nodes().contains(PeerId{19}));
  EXPECT_FALSE(directory.nodes().contains(PeerId{2}));
}

// Whatever the seed, each of the others sees in time that a node was killed, and stays with it.
TEST(DirectoryInAWorld, ANodeThatWasKilledIsDownWithinFifteenSeconds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::World world({.seed = seed});
    world.add(5, {});
    world.run_for(30s);
    world.crash(4);
    for (int second = 1; second <= 90; ++second) {
      world.run_for(1s);
      for (std::size_t other = 0; second >= 15 && other < 4; ++other) {
        const auto& node = directory_of(world.peer(other)).nodes().at(test::World::id_of(4));
        ASSERT_EQ(to_string(node.state(world.now())), "down")
            << "seed " << seed << ", at node " << other << " after " << second << " s";
      }
    }
    for (std::size_t other = 1; other < 4; ++other) {
      const auto& node = directory_of(world.peer(0)).nodes().at(test::World::id_of(other));
      EXPECT_EQ(to_string(node.state(world.now())), "up");
    }
    world.restart(4);
    world.run_for(5s);
    for (std::size_t other = 0; other < 4; ++other) {
      const auto& node = directory_of(world.peer(other)).nodes().at(test::World::id_of(4));
      EXPECT_EQ(to_string(node.state(world.now())), "up") << "back again";
    }
  }
}

TEST_F(DirectoryTest, CanBeTurnedOff) {
  Directory off{{.size_max = 0}, self};
  off.hear(Time{}, node_with(2, 1, 1));
  EXPECT_TRUE(off.nodes().empty());
  EXPECT_EQ(off.deadline(), kNever);
  EXPECT_FALSE(off.why_never(Time{}, {.cpu = 1, .memory = 0, .custom = {}}, {}));
}

}  // namespace
}  // namespace dunlin::sched
