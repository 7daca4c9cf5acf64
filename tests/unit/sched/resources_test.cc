// SPDX-License-Identifier: MIT
#include "sched/resources.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

Resources resources(std::uint32_t cpu, std::uint32_t memory, std::uint32_t gpus = 0) {
  Resources r{.cpu = cpu, .memory = memory, .custom = {}};
  set_amount(r, "gpu", gpus);
  return r;
}

TEST(Resources, FitInEveryDimensionOrNotAtAll) {
  const Resources node = resources(4000, 1024, 2);
  EXPECT_TRUE(fits(resources(4000, 1024, 2), node));
  EXPECT_FALSE(fits(resources(4001, 1, 0), node));
  EXPECT_FALSE(fits(resources(1, 1025, 0), node));
  EXPECT_FALSE(fits(resources(1, 1, 3), node));
  EXPECT_FALSE(fits(resources(1, 1, 1), resources(4000, 1024)));
  EXPECT_TRUE(fits({}, {}));
}

TEST(Resources, HowManyFitIsBoundByTheScarcest) {
  EXPECT_EQ(how_many_fit(resources(1000, 100), resources(4000, 350), 64), 3u);
  EXPECT_EQ(how_many_fit(resources(1000, 0, 1), resources(9000, 0, 2), 64), 2u);
  EXPECT_EQ(how_many_fit(resources(1, 1), resources(4000, 4000), 64), 64u);
  EXPECT_EQ(how_many_fit({}, {}, 7), 7u);
}

TEST(Resources, TakeAndGiveAreInverse) {
  const Resources before = resources(4000, 1024, 2);
  Resources free = before;
  take(free, resources(1000, 100, 1), 2);
  EXPECT_EQ(free, resources(2000, 824, 0));
  give(free, resources(1000, 100, 1), 2);
  EXPECT_EQ(free, before);
}

TEST(ResourcesDeathTest, OverCommitmentIsABug) {
  Resources free = resources(1000, 100);
  EXPECT_DEATH(take(free, resources(600, 1), 2), "over-committed");
}

TEST(Resources, CustomOnesStaySortedAndZeroIsNotListed) {
  Resources r;
  set_amount(r, "tape", 1);
  set_amount(r, "gpu", 2);
  ASSERT_EQ(r.custom.size(), 2u);
  EXPECT_EQ(r.custom[0].name, "gpu");
  set_amount(r, "gpu", 0);
  EXPECT_EQ(r.custom.size(), 1u);
  EXPECT_EQ(amount_of(r, "gpu"), 0u);
}

TEST(Resources, ReadsCpu) {
  EXPECT_EQ(parse_cpu("2"), 2000u);
  EXPECT_EQ(parse_cpu("0.5"), 500u);
  EXPECT_EQ(parse_cpu("250m"), 250u);
  for (const char* bad : {"", "two", "-1", "1x", "m", "1e99", "nan"}) {
    EXPECT_FALSE(parse_cpu(bad)) << bad;
  }
}

TEST(Resources, ReadsMemoryOnlyWithAUnit) {
  EXPECT_EQ(parse_memory("512M"), 512u);
  EXPECT_EQ(parse_memory("4G"), 4096u);
  EXPECT_EQ(parse_memory("1.5GiB"), 1536u);
  EXPECT_EQ(parse_memory("100MB"), 100u);
  EXPECT_EQ(parse_memory("1K"), 1u) << "rounded up";
  for (const char* bad : {"", "512", "4X", "-1G", "G", "9999999T"}) {
    EXPECT_FALSE(parse_memory(bad)) << bad;
  }
}

// agent.output_task_limit = "100KiB" acted as 1 MiB.
TEST(Resources, ReadsSizesToTheByte) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("100KiB"), 102'400u);
  EXPECT_EQ(parse_size("1.5K"), 1536u);
  EXPECT_EQ(parse_size("1GiB"), 1u << 30);
  EXPECT_EQ(parse_size("4095T"), std::uint64_t{4095} << 40);
  for (const char* bad : {"", "512", "4X", "-1G", "G", "4096T"}) {
    EXPECT_FALSE(parse_size(bad)) << bad;
  }
}

// It was called no amount at all.
TEST(Resources, SaysThatAnAmountIsTooLarge) {
  EXPECT_EQ(parse_memory("4095T"), 4095u << 20);
  for (const char* large : {"4096T", "99999T", "99999999999999G"}) {
    const auto memory = parse_memory(large);
    ASSERT_FALSE(memory) << large;
    EXPECT_EQ(memory.error().text,
        "'" + std::string(large) + "' is too large: it must be less than 4096T");
  }
  Resources resources;
  const auto count = parse_amount("gpu=5000000000", resources);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().text, "'gpu=5000000000' is too large: it must be at most 4294967295");
}

TEST(Resources, ReadsRatesBySecond) {
  EXPECT_EQ(parse_rate("100M/s"), 100u * 1024);
  EXPECT_EQ(parse_rate("1.5GiB/s"), 1536u * 1024);
  EXPECT_EQ(parse_rate("0.1KB/s"), 1u) << "rounded up";
  EXPECT_EQ(parse_rate("2T/s"), sched::kRateMax);
  for (const char* bad : {"", "100", "100/s", "4X/s", "-1G/s", "M/s", "1M/m", "1M/s/s", "3T/s"}) {
    EXPECT_FALSE(parse_rate(bad)) << bad;
  }
}

TEST(Resources, ASizeIsNoRateAndTheCureIsNamed) {
  const auto wrong = parse_rate("100M");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text, "'100M' is a size; a rate is by the second: 100M/s");
}

TEST(Resources, RatesAreToldToPeople) {
  const Resources r{.cpu = 1000,
      .memory = 0,
      .custom = {},
      .disk_read = 512,
      .net_in = 100 * 1024,
      .net_out = sched::kUnlimited};
  EXPECT_EQ(to_string(r), "1 cpu, 512 KiB/s disk read, 100 MiB/s network in");
  EXPECT_EQ(sched::rate_text(3 << 19), "1.5 GiB/s");
}

TEST(Resources, RatesFitLikeAllElse) {
  const Resources total{.cpu = 4000, .memory = 0, .custom = {}, .net_in = 100};
  const Resources task{.cpu = 1000, .memory = 0, .custom = {}, .disk_write = 1000, .net_in = 30};
  Resources free = sched::all_of(total);
  EXPECT_EQ(how_many_fit(task, free, 9), 3u) << "the disk has no limit";
  take(free, task, 3);
  EXPECT_EQ(free.net_in, 10u);
  EXPECT_EQ(free.disk_write, sched::kUnlimited);
  EXPECT_FALSE(fits(task, free));
  EXPECT_TRUE(in_the_way(task, task, free));
  EXPECT_FALSE(in_the_way({.cpu = 1000, .memory = 0, .custom = {}}, task, free))
      << "it takes nothing of what is lacking";
  give(free, task, 3);
  EXPECT_EQ(free, sched::all_of(total));
}

TEST(Resources, ReadsAmounts) {
  Resources r;
  EXPECT_TRUE(parse_amount("gpu=2", r));
  EXPECT_TRUE(parse_amount("license", r));
  EXPECT_EQ(amount_of(r, "gpu"), 2u);
  EXPECT_EQ(amount_of(r, "license"), 1u);
  for (const char* bad : {"", "=1", "gpu=", "gpu=-1", "gpu=x", "cpu=1", "memory=1", "net_in=1"}) {
    EXPECT_FALSE(parse_amount(bad, r)) << bad;
  }
}

TEST(Resources, AreWrittenForPeople) {
  EXPECT_EQ(to_string(resources(1500, 512, 2)), "1.5 cpu, 512 MiB, 2 gpu");
  EXPECT_EQ(to_string(resources(1000, 0)), "1 cpu");
  EXPECT_EQ(memory_text(1023), "1023 MiB");
  EXPECT_EQ(memory_text(32051), "31.3 GiB");
}

}  // namespace
}  // namespace dunlin::sched
