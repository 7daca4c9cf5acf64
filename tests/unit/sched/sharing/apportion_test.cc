// SPDX-License-Identifier: MIT
#include "sched/sharing/apportion.h"

#include <gtest/gtest.h>
#include <numeric>

#include "overlay/rng.h"

namespace dunlin::sched {
namespace {

using Parts = std::vector<Tickets>;

TEST(Apportion, LargestRemaindersGetTheLastTickets) {
  EXPECT_EQ(apportion(10, Parts{1, 1, 1}), (Parts{4, 3, 3}));
  EXPECT_EQ(apportion(100, Parts{50, 33, 17}), (Parts{50, 33, 17}));
  EXPECT_EQ(apportion(7, Parts{10, 10, 15}), (Parts{2, 2, 3}));
  EXPECT_EQ(apportion(5, Parts{0, 0}), (Parts{0, 0}));
  EXPECT_EQ(apportion(0, Parts{1, 2}), (Parts{0, 0}));
  EXPECT_EQ(apportion(kTicketsMax, Parts{kTicketsMax, kTicketsMax}),
      (Parts{kTicketsMax / 2, kTicketsMax / 2}));
}

TEST(Apportion, NobodyGetsMoreThanItsCap) {
  EXPECT_EQ(apportion(100, Parts{1, 1, 2}, Parts{10, 100, 100}), (Parts{10, 30, 60}));
  EXPECT_EQ(apportion(100, Parts{1, 1}, Parts{10, 20}), (Parts{10, 20}));
  EXPECT_EQ(apportion(100, Parts{0, 1}, Parts{50, 20}), (Parts{0, 20}));
}

TEST(Apportion, SumsAreExact) {
  overlay::Rng rng(3);
  for (int seed = 0; seed < 5000; ++seed) {
    const std::size_t size = 1 + rng.index(6);
    Parts weights;
    Parts caps;
    Tickets room = 0;
    Tickets heavy = 0;
    for (std::size_t i = 0; i < size; ++i) {
      weights.push_back(rng.below(5));
      caps.push_back(rng.below(50));
      heavy += weights[i];
      if (weights[i] > 0) room += caps[i];
    }
    const Tickets total = rng.below(200);
    const auto plain = apportion(total, weights);
    ASSERT_EQ(std::accumulate(plain.begin(), plain.end(), Tickets{0}), heavy > 0 ? total : 0);
    const auto capped = apportion(total, weights, caps);
    ASSERT_EQ(std::accumulate(capped.begin(), capped.end(), Tickets{0}), std::min(total, room));
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_LE(capped[i], caps[i]);
      // Within one ticket of what is due.
      ASSERT_LE(std::abs(plain[i] * heavy - (heavy > 0 ? total : 0) * weights[i]), heavy);
    }
  }
}

}  // namespace
}  // namespace dunlin::sched
