// SPDX-License-Identifier: MIT
#include "sched/logs/shelter.h"

#include <gtest/gtest.h>
#include <vector>

// When the books of a log outlive its home, and others.
namespace dunlin::sched::logs {
namespace {

std::vector<cell::Keeper> keepers(const std::vector<std::uint64_t>& machines) {
  std::vector<cell::Keeper> made;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    made.push_back({.node = PeerId{100 + i}, .machine = machines[i]});
  }
  return made;
}

/// Voters on these machines, of `voters` in all; the home is on machine 1.
bool outlive(const std::vector<std::uint64_t>& machines, std::size_t voters, std::size_t required) {
  return logs::outlive(votes_of(keepers(machines)), voters, machine_of(1, PeerId{7}), required);
}

TEST(Shelter, BooksOutliveTheHomesMachine) {
  EXPECT_FALSE(outlive({1}, 1, 1)) << "a young cell";
  EXPECT_FALSE(outlive({1, 2}, 2, 1));
  EXPECT_TRUE(outlive({1, 2, 3}, 3, 1));
  EXPECT_TRUE(outlive({2, 3}, 2, 1)) << "the home keeps none";
  EXPECT_FALSE(outlive({1, 1, 2}, 3, 1)) << "two of three are lost with the home";
  EXPECT_FALSE(outlive({1, 2}, 3, 1)) << "one of them is silent";
  EXPECT_TRUE(outlive({2, 2, 3}, 3, 1));
}

TEST(Shelter, BooksOutliveOthersBesideIt) {
  EXPECT_FALSE(outlive({1, 2, 3}, 3, 2));
  EXPECT_TRUE(outlive({1, 2, 3, 4, 5}, 5, 2));
  EXPECT_FALSE(outlive({1, 2, 2, 3, 4}, 5, 2)) << "machines 1 and 2 have three of five";
  EXPECT_TRUE(outlive({2, 3, 4}, 3, 2)) << "the home keeps none";
  EXPECT_TRUE(outlive({1, 2, 3, 4, 5, 6, 7, 8, 9}, 9, 4));
  EXPECT_FALSE(outlive({1, 2, 3, 4, 5, 6, 7}, 7, 4));
}

TEST(Shelter, NodesThatDoNotSayTheirMachineCountAsOneEach) {
  EXPECT_TRUE(outlive({0, 0, 0}, 3, 1));
  const Votes votes = votes_of(keepers({0, 0, 0}));
  EXPECT_FALSE(logs::outlive(votes, 5, machine_of(0, PeerId{100}), 1));
}

TEST(Shelter, AMarkIsThatOfTheCellAndItsNodesInAnyOrder) {
  replica::LogFacts facts{.log = 7, .origin = PeerId{1}, .cell = CellId{3}, .contacts = {}};
  const std::uint64_t none = mark_of(facts);
  facts.contacts = {{.node = PeerId{1}}, {.node = PeerId{2}}};
  const std::uint64_t two = mark_of(facts);
  EXPECT_NE(none, two);
  std::swap(facts.contacts[0], facts.contacts[1]);
  EXPECT_EQ(mark_of(facts), two);
  facts.cell = CellId{4};
  EXPECT_NE(mark_of(facts), two);
}

}  // namespace
}  // namespace dunlin::sched::logs
