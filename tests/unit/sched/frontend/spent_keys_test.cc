// SPDX-License-Identifier: MIT
#include "sched/frontend/spent_keys.h"

#include <gtest/gtest.h>
#include <string>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

/// The job of that submission, of one task.
Job with_key(std::uint64_t key, const std::string& owner) {
  Job job{.id = {.home = {99}, .number = static_cast<std::uint32_t>(key)},
      .name = "fit",
      .groups = {{.count = 1}},
      .owner = owner};
  job.key = {.high = key, .low = 1};
  return job;
}

TEST(SpentKeys, SayWhichJobItWas) {
  SpentKeys keys;
  keys.add(Time{1s}, with_key(7, "anna"));
  const auto* const spent = keys.find({.high = 7, .low = 1});
  ASSERT_NE(spent, nullptr);
  EXPECT_EQ(spent->id, (JobId{.home = {99}, .number = 7}));
  EXPECT_EQ(spent->owner, "anna");
  EXPECT_EQ(spent->name, "fit");
  EXPECT_EQ(spent->tasks, 1u);
  Job without = with_key(8, "anna");
  without.key = {};
  keys.add(Time{1s}, without);
  EXPECT_EQ(keys.size(), 1u);
}

TEST(SpentKeys, AreKeptForADay) {
  SpentKeys keys;
  keys.add(Time{0s}, with_key(1, "anna"));
  keys.add(Time{1h}, with_key(2, "anna"));
  keys.add(Time{0s}, with_key(3, "bob"));
  keys.expire(Time{24h - 1ns});
  EXPECT_EQ(keys.size(), 3u);
  keys.expire(Time{24h});
  EXPECT_EQ(keys.size(), 1u);
  EXPECT_NE(keys.find({.high = 2, .low = 1}), nullptr);
  keys.expire(Time{48h});
  EXPECT_EQ(keys.size(), 0u);
}

TEST(SpentKeys, ManyOfOneUserPushOutNoneOfOthers) {
  SpentKeys keys;
  keys.add(Time{0s}, with_key(1, "anna"));
  for (std::uint64_t key = 2; key < SpentKeys::kMax + 100; ++key) {
    keys.add(Time{1s}, with_key(key, "mallory"));
  }
  EXPECT_EQ(keys.size(), SpentKeys::kMax);
  EXPECT_NE(keys.find({.high = 1, .low = 1}), nullptr);
  EXPECT_EQ(keys.find({.high = 2, .low = 1}), nullptr) << "its oldest";
}

}  // namespace
}  // namespace dunlin::sched
