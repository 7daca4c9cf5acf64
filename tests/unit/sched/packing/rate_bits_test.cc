// SPDX-License-Identifier: MIT
#include "sched/packing/rate_bits.h"

#include <gtest/gtest.h>

#include "overlay/rng.h"

namespace dunlin::test {
namespace {

using overlay::Descriptor;
using overlay::Rng;
using sched::kUnlimited;
using sched::Resources;

Resources draw_total(Rng& rng) {
  Resources total;
  for (const sched::Rate& rate : sched::kRates) {
    if (rng.chance(0.8)) total.*rate.amount = 1 + (rng.below(sched::kRateMax) >> rng.below(31));
  }
  return total;
}

Resources draw_free(const Resources& total, Rng& rng) {
  Resources free = sched::all_of(total);
  for (const sched::Rate& rate : sched::kRates) {
    if (total.*rate.amount > 0) free.*rate.amount = rng.below(total.*rate.amount + 1);
  }
  return free;
}

Descriptor told(const Resources& total, const Resources& free) {
  Descriptor node;
  node.rates_total = sched::rates_total_bits(total);
  node.rates_used = sched::rates_used_bits(free, total);
  return node;
}

// A node that would do is never passed by; one that would not is taken for it rarely.
TEST(RateBits, TellNoLessThanThereIsAndLittleMore) {
  Rng rng(11);
  for (int i = 0; i < 20'000; ++i) {
    const Resources total = draw_total(rng);
    const Resources free = draw_free(total, rng);
    const Descriptor node = told(total, free);
    const Resources said = sched::told_total(node);
    const Resources left = sched::told_free(node);
    for (const sched::Rate& rate : sched::kRates) {
      const double all = total.*rate.amount;
      ASSERT_GE(said.*rate.amount, total.*rate.amount);
      ASSERT_LE(said.*rate.amount, all * 1.125 + 1);
      if (all == 0) {
        ASSERT_EQ(left.*rate.amount, kUnlimited);
        continue;
      }
      ASSERT_GE(left.*rate.amount, free.*rate.amount);
      ASSERT_LE(left.*rate.amount, (free.*rate.amount + all / 255) * 1.125 + 2);
    }
  }
}

TEST(RateBits, AreNoneWhereNothingIsDeclaredOrTaken) {
  Resources total{.cpu = 4000, .memory = 100, .custom = {}};
  EXPECT_EQ(sched::rates_total_bits(total), 0u);
  EXPECT_EQ(sched::rates_used_bits(sched::all_of(total), total), 0u);
  // The slots of a worker count without limit what it does not declare.
  EXPECT_EQ(sched::rates_used_bits(sched::all_of(total), sched::all_of(total)), 0u);
  total.net_out = 1000;
  EXPECT_NE(sched::rates_total_bits(total), 0u);
  EXPECT_EQ(sched::rates_used_bits(sched::all_of(total), total), 0u);
}

TEST(RateBits, SayWhatFits) {
  Resources total{.custom = {}};
  total.disk_write = 1024;
  Resources free = total;
  free.disk_write = 256;
  const Descriptor node = told(total, free);
  Resources demand{.custom = {}};
  demand.net_in = 5000;
  EXPECT_TRUE(sched::rates_fit(demand, node)) << "it declares no limit";
  demand.disk_write = 256;
  EXPECT_TRUE(sched::rates_fit(demand, node));
  demand.disk_write = 512;
  EXPECT_FALSE(sched::rates_fit(demand, node));
  EXPECT_TRUE(sched::rates_could_fit(demand, node));
  demand.disk_write = 2048;
  EXPECT_FALSE(sched::rates_could_fit(demand, node));
}

TEST(RateBits, OfStrangersAreAllUnderstood) {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    Descriptor node;
    node.rates_total = byte * 0x01010101u;
    node.rates_used = 0xffffffffu;
    for (const sched::Rate& rate : sched::kRates) {
      EXPECT_LE(sched::told_total(node).*rate.amount, sched::kRateMax);
      EXPECT_EQ(sched::told_free(node).*rate.amount, byte == 0 ? kUnlimited : 0u);
    }
  }
}

}  // namespace
}  // namespace dunlin::test
