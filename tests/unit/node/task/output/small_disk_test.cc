// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "node/task/output/output.h"
#include "tests/unit/node/task/output/output_support.h"

// A member's output filled a small disk and made its node sick, within the limits.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class OutputOnASmallDisk : public OutputTest {
 protected:
  static constexpr std::uint64_t kMiB = 1u << 20;

  static void write_as(OutputStore& store, const char* user, std::uint32_t job, std::size_t bytes) {
    store.begin(task(0, job), 1, 0, {.user = user});
    std::ofstream(store.live_path(0, OutputStream::out)) << std::string(bytes, 'z');
    EXPECT_TRUE(store.end(task(0, job), 1, bytes, 0));
  }
  static bool is_kept(OutputStore& store, std::uint32_t job) {
    return store.read(task(0, job), std::nullopt, OutputStream::out, 0, 1).found;
  }
};

TEST_F(OutputOnASmallDisk, WhoeverHasTheMostGivesItUpHoweverFreshItIs) {
  auto store = open();
  write_as(store, "other", 1, 100'000);
  for (std::uint32_t job = 2; job <= 5; ++job) write_as(store, "member", job, kMiB);
  EXPECT_EQ(store.sweep(), OutputStore::Swept{}) << "nothing is missing";
  EXPECT_EQ(store.sweep({.bytes = 3 * kMiB}), (OutputStore::Swept{.jobs = 3}));
  EXPECT_TRUE(is_kept(store, 1)) << "the oldest of all";
  EXPECT_FALSE(is_kept(store, 4));
  EXPECT_TRUE(is_kept(store, 5));
  EXPECT_EQ(store.sweep({.bytes = 100 * kMiB}), (OutputStore::Swept{.jobs = 1}));
  EXPECT_TRUE(is_kept(store, 1)) << "little, and fresh";
}

// Others fill the disk: to give up what little there is would lose it for nothing.
TEST_F(OutputOnASmallDisk, OutputThatDoesNotFillTheDiskStays) {
  auto store = open();
  for (std::uint32_t job = 1; job <= 4; ++job) write_as(store, "member", job, kMiB);
  EXPECT_EQ(store.sweep({.bytes = 500 * kMiB, .bytes_min = 5 * kMiB}), OutputStore::Swept{});
  EXPECT_EQ(
      store.sweep({.bytes = 500 * kMiB, .bytes_min = 3 * kMiB}), (OutputStore::Swept{.jobs = 2}));
  EXPECT_TRUE(is_kept(store, 4));
}

TEST_F(OutputOnASmallDisk, TheLimitGoesOnToHoldBesides) {
  auto store = open(2 * kMiB);
  for (std::uint32_t job = 1; job <= 4; ++job) write_as(store, "member", job, kMiB);
  EXPECT_EQ(store.sweep({.bytes = 1}), OutputStore::Swept{}) << "the limit alone demanded more";
  EXPECT_LE(store.bytes(), 2 * kMiB);
}

TEST_F(OutputOnASmallDisk, FilesThatLackAreGivenBackByJobs) {
  auto store = open();
  for (std::uint32_t job = 1; job <= 100; ++job) write_as(store, "member", job, 5'000);
  write_as(store, "other", 200, 2 * kMiB);
  const std::string path = store.live_path(0, OutputStream::out);
  store.begin(task(0, 201), 1, 0, {.user = "other"});
  std::ofstream(path) << std::string(kMiB, 'a');
  const auto swept = store.sweep({.files = true});
  EXPECT_GE(swept.jobs, 1u);
  EXPECT_LE(swept.jobs, 13u) << "an eighth, and as many as its time allows";
  EXPECT_EQ(swept.cut, 0u);
  EXPECT_FALSE(is_kept(store, 1));
  EXPECT_TRUE(is_kept(store, 200)) << "of the user with fewer jobs";
  EXPECT_EQ(fs::file_size(path), kMiB) << "no file goes by a cut";
}

class CutOutput : public OutputOnASmallDisk {
 protected:
  /// A task of a member has written 4 MiB, and is cut to its half.
  void cut(OutputStore& store) {
    store.begin(task(0, 2), 1, 0, {.user = "member"});
    std::ofstream(path) << std::string(4 * kMiB, 'a');
    EXPECT_EQ(store.sweep({.bytes = kMiB}), (OutputStore::Swept{.cut = 1}));
  }
  void expect_first_half(OutputStore& store) {
    EXPECT_EQ(all(store, task(0, 2)), std::string(2 * kMiB, 'a'));
    EXPECT_TRUE(store.read(task(0, 2), 1, OutputStream::out, 0, 1).cut_off);
    EXPECT_FALSE(fs::exists(path + ".cut"));
  }

  std::string path = scratch_.path() + "/o/live/0.out";
};

TEST_F(CutOutput, WhatRunsIsCutWhereNothingElseOfItsUserIsLeft) {
  auto store = open();
  write_as(store, "other", 1, 2 * kMiB);
  cut(store);
  EXPECT_TRUE(is_kept(store, 1)) << "another's, who has less";
  EXPECT_EQ(fs::file_size(path), 2 * kMiB);
  std::ofstream(path, std::ios::app) << std::string(kMiB, 'b');
  EXPECT_EQ(store.read(task(0, 2), 1, OutputStream::out, 0, 1).total, 2 * kMiB)
      << "what follows comes behind a gap";
  store.sweep();
  EXPECT_EQ(fs::file_size(path), 2 * kMiB);
  std::ofstream(path, std::ios::app) << std::string(kMiB, 'c');
  EXPECT_TRUE(store.end(task(0, 2), 1, 6 * kMiB, 0));
  expect_first_half(store);
}

TEST_F(CutOutput, ItStaysCutWhenTheAgentComesBack) {
  for (const bool ended : {false, true}) {
    SCOPED_TRACE(ended);
    fs::remove_all(scratch_.path() + "/o");
    auto before = open();
    cut(before);
    std::ofstream(path, std::ios::app) << std::string(kMiB, 'b');
    auto store = open();
    store.clear_live({0});
    store.begin(task(0, 2), 1, 0, {.user = "member", .again = true});
    if (!ended) {
      EXPECT_EQ(store.read(task(0, 2), 1, OutputStream::out, 0, 1).total, 2 * kMiB);
      EXPECT_TRUE(store.end(task(0, 2), 1, 5 * kMiB, 0));
    } else {
      EXPECT_TRUE(store.end_again(task(0, 2), 1, 5 * kMiB, 0));
    }
    expect_first_half(store);
  }
}

// An agent may die between the cut and the end, and what it noted lies there for the next task.
TEST_F(CutOutput, ANoteOfAnEarlierAttemptCutsNoOther) {
  {
    auto before = open();
    cut(before);
  }
  auto store = open();
  store.clear_live({0});
  ASSERT_TRUE(fs::exists(path + ".cut"));
  store.begin(task(0, 2), 2, 0, {.user = "member", .again = true});
  std::ofstream(path) << std::string(3 * kMiB, 'a');
  EXPECT_EQ(store.read(task(0, 2), 2, OutputStream::out, 0, 1).total, 3 * kMiB);
}

TEST_F(CutOutput, AnotherStreamOfTheTaskIsWhole) {
  auto store = open();
  cut(store);
  std::ofstream(store.live_path(0, OutputStream::err)) << "warning";
  EXPECT_TRUE(store.end(task(0, 2), 1, 4 * kMiB, 7));
  EXPECT_FALSE(store.read(task(0, 2), 1, OutputStream::err, 0, 1).cut_off);
}

TEST_F(CutOutput, TheNextTaskOfTheSlotIsNot) {
  auto store = open();
  cut(store);
  EXPECT_TRUE(store.end(task(0, 2), 1, 4 * kMiB, 0));
  write_as(store, "member", 3, 3 * kMiB);
  EXPECT_EQ(all(store, task(0, 3)).size(), 3 * kMiB);
}

TEST_F(CutOutput, ALittleStays) {
  auto store = open();
  store.begin(task(0, 1), 1, 0, {.user = "member"});
  std::ofstream(path) << std::string(kMiB, 'a');
  EXPECT_EQ(store.sweep({.bytes = 100 * kMiB}).cut, 2u);
  EXPECT_EQ(fs::file_size(path), 256u << 10);
}

// What runs will be kept soon, and go then; only a disk cannot wait.
TEST_F(CutOutput, TheLimitOfAllOutputCutsNothing) {
  auto store = open(kMiB);
  store.begin(task(0, 1), 1, 0, {.user = "member"});
  std::ofstream(path) << std::string(4 * kMiB, 'a');
  store.sweep();
  EXPECT_EQ(fs::file_size(path), 4 * kMiB);
}

}  // namespace
}  // namespace dunlin::node
