// SPDX-License-Identifier: MIT
#include "sched/worker/yield/victims.h"

#include <gmock/gmock.h>
#include <vector>

#include "overlay/rng.h"
#include "sched/resources.h"

namespace dunlin::test {
namespace {

using sched::Candidate;
using sched::Resources;
using sched::Room;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

class Victims : public ::testing::Test {
 protected:
  void task(std::uint32_t cpu, std::int16_t priority, std::int64_t lost = 0) {
    demands.push_back({.cpu = cpu, .memory = 10, .custom = {}});
    terms.emplace_back(priority, lost);
  }
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      all.push_back(
          {.index = i, .leaves = &demands[i], .priority = terms[i].first, .lost = terms[i].second});
    }
    return all;
  }
  auto choose(const Resources& demand, std::uint32_t cpu_free = 0, std::int64_t count = 1) const {
    Room room(demand);
    room.add({.cpu = cpu_free, .memory = 1000, .custom = {}}, 1);
    return choose_victims(demand, count, room, candidates());
  }

  std::vector<Resources> demands;
  std::vector<std::pair<std::int16_t, std::int64_t>> terms;
};

TEST_F(Victims, NobodyIsStoppedWhereThereIsRoom) {
  task(1000, 0);
  EXPECT_THAT(choose({.cpu = 1000, .custom = {}}, 1000), Optional(IsEmpty()));
}

TEST_F(Victims, TheOneOfLowestPriorityAndLeastWorkLost) {
  task(1000, 20, 1);
  task(1000, 10, 9);
  task(1000, 10, 5);
  EXPECT_THAT(choose({.cpu = 1000, .custom = {}}), Optional(ElementsAre(2)));
}

TEST_F(Victims, OneLargeTaskIsFewerThanManySmallOnes) {
  task(1000, 10);
  task(1000, 10);
  task(2000, 40);
  EXPECT_THAT(choose({.cpu = 2000, .custom = {}}), Optional(ElementsAre(2)));
  EXPECT_THAT(choose({.cpu = 2000, .custom = {}}, 1000), Optional(ElementsAre(0)));
}

TEST_F(Victims, SeveralForOneLargeTask) {
  for (int i = 0; i < 4; ++i) task(1000, static_cast<std::int16_t>(i));
  const auto chosen = choose({.cpu = 3000, .custom = {}});
  ASSERT_TRUE(chosen);
  EXPECT_THAT(*chosen, ::testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_FALSE(choose({.cpu = 5000, .custom = {}})) << "in vain";
  EXPECT_FALSE(choose({.cpu = 1, .memory = 2000, .custom = {}}));
}

TEST_F(Victims, APlaceIsRoomToo) {
  task(0, 10);
  const Resources nothing{.custom = {}};
  EXPECT_THAT(choose_victims(nothing, 1, Room(nothing), candidates()), Optional(ElementsAre(0)));
}

TEST_F(Victims, WhatIsPromisedIsNotThere) {
  task(1000, 10);
  task(1000, 10);
  const Resources demand{.cpu = 1000, .custom = {}};
  Room room(demand);
  room.add({.cpu = 1000, .memory = 1000, .custom = {}}, 1);
  room.take({.cpu = 2000, .custom = {}}, 1);
  const auto chosen = choose_victims(demand, 1, room, candidates());
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->size(), 2u);
}

// Against any other choice: all that are chosen are needed, and none is chosen in vain.
TEST_F(Victims, AreEnoughAndNoneTooMany) {
  overlay::Rng rng(7);
  for (int round = 0; round < 500; ++round) {
    demands.clear();
    terms.clear();
    const std::uint32_t count = 1 + rng.below(12);
    for (std::uint32_t i = 0; i < count; ++i) {
      task(rng.below(3) * 500, static_cast<std::int16_t>(rng.below(5)), rng.below(10));
      if (rng.chance(0.3)) sched::set_amount(demands.back(), "gpu", 1 + rng.below(2));
    }
    Resources demand{.cpu = rng.below(4000), .memory = rng.below(60), .custom = {}};
    if (rng.chance(0.3)) sched::set_amount(demand, "gpu", 1 + rng.below(3));
    const auto room_after = [&](const std::vector<std::size_t>& stopped, std::size_t but) {
      Room room(demand);
      for (const std::size_t i : stopped) {
        if (i != but) room.add(demands[i], 1);
      }
      return room;
    };
    constexpr std::size_t kNone = 99;
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = i;
    const auto chosen = choose_victims(demand, 1, Room(demand), candidates());
    ASSERT_EQ(chosen.has_value(), room_after(all, kNone).fits()) << "round " << round;
    if (!chosen) continue;
    EXPECT_TRUE(room_after(*chosen, kNone).fits());
    for (const std::size_t spared : *chosen) {
      EXPECT_FALSE(room_after(*chosen, spared).fits()) << "one for nothing, round " << round;
    }
  }
}

}  // namespace
}  // namespace dunlin::test
