// SPDX-License-Identifier: MIT
#include "sched/federation/owners.h"

#include <gmock/gmock.h>

namespace dunlin::sched::federation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::size_t size_max(const Owners& owners) {
  std::size_t size = 0;
  for (const auto& [master, members] : owners.partitions()) size = std::max(size, members.size());
  return size;
}
std::size_t size_min(const Owners& owners) {
  std::size_t size = owners.members();
  for (const auto& [master, members] : owners.partitions()) size = std::min(size, members.size());
  return size;
}

TEST(Owners, MembersWithoutMastersHaveNoOwner) {
  Owners owners;
  EXPECT_THAT(owners.join({1}), ElementsAre(Owners::Move{{1}, {}}));
  EXPECT_EQ(owners.owner_of({1}), PeerId{});
  EXPECT_THAT(owners.attach({100}), ElementsAre(Owners::Move{{1}, {100}}));
  EXPECT_THAT(owners.attach({100}), IsEmpty()) << "it is attached already";
  EXPECT_THAT(owners.detach({100}), ElementsAre(Owners::Move{{1}, {}}));
  EXPECT_THAT(owners.detach({100}), IsEmpty());
  EXPECT_THAT(owners.leave({1}), IsEmpty());
  EXPECT_EQ(owners.members(), 0);
}

TEST(Owners, AMasterGetsItsPartFromTheLargest) {
  Owners owners;
  owners.attach({100});
  for (std::uint64_t member = 1; member <= 10; ++member) owners.join({member});
  EXPECT_THAT(owners.attach({200}), SizeIs(5));
  EXPECT_THAT(owners.attach({300}), SizeIs(3));
  EXPECT_EQ(size_max(owners), 4);
  EXPECT_EQ(size_min(owners), 3);
}

/// The bounds and the disjoint union, after each of many steps drawn by chance.
TEST(OwnersProperty, SizesDifferByOneAndNoMoreMembersMoveThanMust) {
  Rng rng(3);
  for (int world = 0; world < 50; ++world) {
    Owners owners;
    std::map<PeerId, PeerId> told;
    for (int step = 0; step < 200; ++step) {
      const PeerId member{1 + rng.below(60)};
      const PeerId master{1000 + rng.below(8)};
      const std::size_t masters = owners.partitions().size();
      const std::size_t members = owners.members();
      std::vector<Owners::Move> moves;
      std::size_t bound = 1;
      switch (rng.below(4)) {
        case 0:
          moves = owners.join(member);
          break;
        case 1:
          moves = owners.leave(member);
          told.erase(member);
          break;
        case 2:
          moves = owners.attach(master);
          bound = members / (masters + 1) + masters + 1;
          break;
        default:
          moves = owners.detach(master);
          bound = masters == 0 ? 0 : (members + masters - 1) / masters + masters;
      }
      ASSERT_LE(moves.size(), bound);
      for (const Owners::Move& move : moves) told[move.member] = move.owner;

      ASSERT_EQ(told.size(), owners.members()) << "each change was told";
      std::size_t sum = 0;
      for (const auto& [owner, members_of] : owners.partitions()) {
        sum += members_of.size();
        for (const PeerId each : members_of) ASSERT_EQ(told.at(each), owner);
      }
      if (owners.partitions().empty()) continue;
      ASSERT_EQ(sum, owners.members()) << "a disjoint union";
      ASSERT_LE(size_max(owners), size_min(owners) + 1);
    }
  }
}

}  // namespace
}  // namespace dunlin::sched::federation
