// SPDX-License-Identifier: MIT
#include "overlay/top_k.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "overlay/rng.h"

namespace dunlin::overlay {
namespace {

std::vector<std::size_t> peers_of(const TopK& best) {
  std::vector<std::size_t> peers;
  for (std::size_t i = 0; i < best.size(); ++i) peers.push_back(best[i]);
  return peers;
}

TEST(TopK, AreTheFirstOfASortedList) {
  Rng rng{1};
  for (const std::size_t size_max : {1u, 9u, 20u, 64u}) {
    for (const std::uint32_t offered : {0u, 5u, 20u, 100u}) {
      std::vector<TopK::Place> places;
      for (std::uint32_t i = 0; i < offered; ++i) places.push_back({rng.below(3), rng()});
      std::vector<std::size_t> sorted;
      for (std::size_t i = 0; i < places.size(); ++i) sorted.push_back(i);
      std::ranges::sort(
          sorted, [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
      sorted.resize(std::min(sorted.size(), size_max));

      TopK best(size_max);
      for (std::size_t i = 0; i < places.size(); ++i) best.offer(places[i], i);
      EXPECT_EQ(peers_of(best), sorted) << size_max << " of " << offered;
    }
  }
}

TEST(TopK, WantNobodyWhoRanksLastOnceFull) {
  TopK best(2);
  best.offer({.turn = 3}, 0);
  EXPECT_TRUE(best.wants({.turn = 9}));
  best.offer({.turn = 5}, 1);
  EXPECT_FALSE(best.wants({.turn = 9}));
  EXPECT_TRUE(best.wants({.turn = 4}));
  EXPECT_FALSE(TopK(0).wants({}));
}

}  // namespace
}  // namespace dunlin::overlay
