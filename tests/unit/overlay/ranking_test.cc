// SPDX-License-Identifier: MIT
#include "overlay/ranking.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using test::with_free;

TEST(Utility, IsTheFreeShare) {
  Descriptor peer;
  peer.cpu_free = 1000;
  peer.cpu_total = 4000;
  peer.memory_free = 512;
  peer.memory_total = 1024;
  EXPECT_DOUBLE_EQ(utility(peer, Utility::cpu), .25);
  EXPECT_DOUBLE_EQ(utility(peer, Utility::memory), .5);
  EXPECT_DOUBLE_EQ(utility(peer, Utility::cpu_memory), .125);
}

TEST(Utility, OfNothingIsNothingAndOfALieIsOne) {
  Descriptor peer;
  EXPECT_EQ(utility(peer, Utility::cpu_memory), 0);
  peer.cpu_free = 8000;
  peer.cpu_total = 4000;
  EXPECT_EQ(utility(peer, Utility::cpu), 1);
}

// KompicsToolbox: an equal beats anything; of two above the closer; of two below the closer; of one
// on each side the higher.
TEST(Preference, GradientWantsEqualsThenTheClosestAboveThenTheClosestBelow) {
  const Preference prefer(Ranking::gradient, Utility::cpu, with_free(1, 50));
  EXPECT_TRUE(prefer(with_free(2, 50), with_free(3, 51)));
  EXPECT_TRUE(prefer(with_free(2, 60), with_free(3, 70)));
  EXPECT_TRUE(prefer(with_free(2, 40), with_free(3, 30)));
  EXPECT_TRUE(prefer(with_free(2, 100), with_free(3, 49)));
}

TEST(Preference, HighestWantsTheHighest) {
  const Preference prefer(Ranking::highest, Utility::cpu, with_free(1, 50));
  EXPECT_TRUE(prefer(with_free(2, 100), with_free(3, 50)));
  EXPECT_TRUE(prefer(with_free(2, 51), with_free(3, 50)));
}

TEST(Preference, TiesAreBrokenUpwardsFromTheOwnIdAndAround) {
  for (const Ranking ranking : {Ranking::gradient, Ranking::highest}) {
    const Preference prefer(ranking, Utility::cpu, with_free(5, 50));
    EXPECT_TRUE(prefer(with_free(6, 50), with_free(7, 50)));
    EXPECT_TRUE(prefer(with_free(9, 50), with_free(2, 50)));
    EXPECT_TRUE(prefer(with_free(2, 50), with_free(4, 50)));
  }
}

// An idle cluster: utilities all equal. Nobody may be everybody's choice.
TEST(Preference, EqualsSpreadOverEachOther) {
  std::vector<Descriptor> peers;
  for (std::uint64_t id = 1; id <= 100; ++id) peers.push_back(with_free(id, 100));
  std::vector<int> chosen(101);
  for (const Descriptor& base : peers) {
    std::vector<Descriptor> others = peers;
    std::erase(others, base);
    std::ranges::sort(others, Preference(Ranking::highest, Utility::cpu_memory, base));
    for (int i = 0; i < 20; ++i) ++chosen[others[static_cast<std::size_t>(i)].id.value];
  }
  for (std::uint64_t id = 1; id <= 100; ++id) EXPECT_EQ(chosen[id], 20) << id;
}

// Defect (id2210): a comparator that returns 0 or 1 only, an undefined sort.
TEST(Preference, IsAStrictTotalOrderOnRandomAndOnEqualUtilities) {
  Rng rng(1);
  for (const Ranking ranking : {Ranking::gradient, Ranking::highest}) {
    for (const std::uint32_t levels : {1u, 3u, 101u}) {
      for (int round = 0; round < 20; ++round) {
        std::vector<Descriptor> peers;
        for (std::uint64_t id = 1; id <= 12; ++id) {
          peers.push_back(with_free(rng() | 1, rng.below(levels)));
        }
        const Preference prefer(ranking, Utility::cpu, with_free(rng(), rng.below(levels)));
        for (const Descriptor& a : peers) {
          EXPECT_FALSE(prefer(a, a));
          for (const Descriptor& b : peers) {
            EXPECT_EQ(prefer(a, b), a.id != b.id && !prefer(b, a));
            for (const Descriptor& c : peers) {
              EXPECT_TRUE(!prefer(a, b) || !prefer(b, c) || prefer(a, c));
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dunlin::overlay
