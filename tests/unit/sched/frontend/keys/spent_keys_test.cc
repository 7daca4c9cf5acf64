// SPDX-License-Identifier: MIT
#include "sched/frontend/keys/spent_keys.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

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

TEST(SpentKeys, AreStoredByTheirHashes) {
  EXPECT_EQ(hash_of({.high = 1, .low = 2}), 0xbcd9dbb49673066bu) << "rows of older agents have it";
  EXPECT_NE(hash_of({.high = 1, .low = 2}), hash_of({.high = 2, .low = 1}));
}

// The machine may have booted since, and somebody may have set the wall clock.
TEST(SpentKeys, OfAnEarlierLifeAreAsOldAsTheyAre) {
  SpentKeys before;
  std::vector<SpentKey> stored;
  for (std::uint64_t key = 1; key <= 4; ++key) {
    before.add(Time{0s}, with_key(key, "anna"));
    stored.push_back(*before.find({.high = key, .low = 1}));
  }
  stored[0].at = Time::min();
  stored[1].at = Time{10s} - 24h;
  stored[2].at = Time{-1h};
  stored[3].at = Time{500h};
  SpentKeys keys;
  keys.restore(Time{10s}, stored);
  keys.expire(Time{10s} + 59min);
  EXPECT_EQ(keys.size(), 4u) << "by a wall clock that is wrong none is forgotten at once";
  keys.expire(Time{10s} + 1h);
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys.find({.high = 3, .low = 1})->id.number, 3u);
  keys.expire(Time{23h});
  EXPECT_EQ(keys.find({.high = 3, .low = 1}), nullptr);
  ASSERT_NE(keys.find({.high = 4, .low = 1}), nullptr);
  keys.expire(Time{10s} + 24h);
  EXPECT_EQ(keys.size(), 0u) << "one of the future is of now";
}

}  // namespace
}  // namespace dunlin::sched
