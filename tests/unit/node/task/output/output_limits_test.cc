// SPDX-License-Identifier: MIT
#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "node/task/output/output.h"
#include "tests/support/scratch.h"
#include "tests/unit/node/task/output/output_support.h"

// What output may take of the disk, and whose goes beyond that.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class OutputLimits : public OutputTest {};

TEST_F(OutputLimits, RemovesTheOldestJobsFirst) {
  auto store = open(250'000);
  for (std::uint32_t job = 1; job <= 4; ++job) {
    write(store, task(0, job), 1, std::string(100'000, 'z'));
  }
  store.sweep();
  EXPECT_LE(store.bytes(), 250'000u);
  EXPECT_FALSE(store.read(task(0, 1), std::nullopt, OutputStream::out, 0, 1).found);
  EXPECT_FALSE(store.read(task(0, 2), std::nullopt, OutputStream::out, 0, 1).found);
  EXPECT_TRUE(store.read(task(0, 4), std::nullopt, OutputStream::out, 0, 1).found);
}

TEST_F(OutputLimits, CutsWhatOneTaskWrites) {
  auto store = open(1u << 30, 1000);
  store.begin(task(1), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << std::string(5000, 'w');
  store.sweep();
  EXPECT_EQ(fs::file_size(store.live_path(0, OutputStream::out)), 1000u);
  std::ofstream(store.live_path(0, OutputStream::out), std::ios::app) << std::string(5000, 'w');
  EXPECT_TRUE(store.end(task(1), 1, 6000, 0));
  EXPECT_EQ(all(store, task(1)).size(), 1000u);
  const auto is_at_limit = [&](std::uint32_t index) {
    return store.read(task(index), 1, OutputStream::out, 0, 10).at_limit;
  };
  EXPECT_TRUE(is_at_limit(1));
  write(store, task(2), 1, std::string(999, 'w'));
  EXPECT_FALSE(is_at_limit(2));
}

TEST_F(OutputLimits, CountsWhatFilesOccupyNotTheirHoles) {
  auto store = open(1u << 20);
  write(store, task(0, 1), 1, "nine byte");
  for (std::uint32_t i = 0; i < 6; ++i) {
    store.begin(task(i, 2), 1, 0);
    test::write_file(store.live_path(0, OutputStream::out), "x");
    fs::resize_file(store.live_path(0, OutputStream::out), 1u << 30);
    store.sweep();
    EXPECT_TRUE(store.end(task(i, 2), 1, 1u << 30, 0));
  }
  store.sweep();
  EXPECT_LT(store.bytes(), 1u << 20);
  EXPECT_EQ(all(store, task(0, 1)), "nine byte");
  EXPECT_EQ(store.read(task(5, 2), 1, OutputStream::out, 0, 1).data, "x");
}

// On a full disk old output goes first, the oldest of it before the rest; not what runs, nor what
// is so new that somebody may look at it.
TEST_F(OutputLimits, OnAFullDiskTheOldestIsGivenUpFirst) {
  constexpr std::uint32_t kJobs = 7;
  // What was written since the last call was written so long ago.
  const auto age = [&](std::chrono::minutes by) {
    const auto now = fs::file_time_type::clock::now();
    for (const auto& file : fs::recursive_directory_iterator(scratch_.path() + "/o")) {
      const bool is_new = fs::last_write_time(file) > now - std::chrono::minutes(5);
      if (file.is_regular_file() && is_new) fs::last_write_time(file, now - by);
    }
  };
  {
    auto store = open();
    for (std::uint32_t job = 1; job <= kJobs; ++job) {
      write(store, task(0, job), 1, "x");
      if (job < kJobs) age(std::chrono::minutes(60 - job));
    }
  }
  auto store = open();
  store.begin(task(1, 1), 1, 0);  // Another task of the oldest job.
  const auto kept = [&] {
    std::vector<std::uint32_t> jobs;
    for (std::uint32_t job = 1; job <= kJobs; ++job) {
      const auto piece = store.read(task(0, job), std::nullopt, OutputStream::out, 0, 1);
      if (piece.found) jobs.push_back(job);
    }
    return jobs;
  };
  ASSERT_EQ(kept().size(), kJobs);
  EXPECT_EQ(store.give_up_old(), 4u);
  EXPECT_EQ(kept(), (std::vector<std::uint32_t>{1, 6, 7}));
  EXPECT_EQ(store.give_up_old(), 1u);
  EXPECT_EQ(store.give_up_old(), 0u);
  EXPECT_EQ(kept(), (std::vector<std::uint32_t>{1, 7}));
}

// Each job leaves a directory and two files, however little its tasks wrote.
TEST_F(OutputLimits, CountsFilesWithLittleInThem) {
  auto store = open(256u << 10);
  for (std::uint32_t job = 1; job <= 500; ++job) write(store, task(0, job), 1, "x");
  const auto count = [&] {
    return std::distance(
        fs::directory_iterator(scratch_.path() + "/o/000000000000feed"), fs::directory_iterator());
  };
  EXPECT_EQ(count(), 500);
  sweep(store, 256u << 10);
  EXPECT_LT(count(), 50);
  EXPECT_EQ(all(store, task(0, 500)), "x");
}

// Who keeps the most loses first; after a restart, too.
TEST_F(OutputLimits, WhatOneUserKeepsPushesOutNothingOfOthers) {
  const auto write_as = [&](OutputStore& store, const char* user, std::uint32_t job) {
    store.begin(task(0, job), 1, 0, {.user = user});
    const std::string text(20'000, 'z');
    std::ofstream(store.live_path(0, OutputStream::out)) << text;
    EXPECT_TRUE(store.end(task(0, job), 1, text.size(), 0));
  };
  const auto is_kept = [&](OutputStore& store, std::uint32_t job) {
    return store.read(task(0, job), std::nullopt, OutputStream::out, 0, 1).found;
  };
  {
    auto store = open(500'000);
    write_as(store, "other", 1);
    write_as(store, "other", 2);
    for (std::uint32_t job = 10; job < 40; ++job) write_as(store, "member", job);
    sweep(store, 500'000);
    EXPECT_TRUE(is_kept(store, 1)) << "the oldest of all";
    EXPECT_FALSE(is_kept(store, 10));
    EXPECT_TRUE(is_kept(store, 39));
  }
  auto store = open(500'000);
  for (std::uint32_t job = 40; job < 60; ++job) write_as(store, "member", job);
  sweep(store, 500'000);
  EXPECT_TRUE(is_kept(store, 1));
  EXPECT_TRUE(is_kept(store, 2));
  EXPECT_FALSE(is_kept(store, 20));
}

// A home that others took over from would say that it has forgotten the job.
TEST_F(OutputLimits, OutputOfWhichItIsNotKnownWhetherItRoamsIsNotAskedAfter) {
  {
    auto store = open();
    store.begin(task(0, 1), 1, 0);
    std::ofstream(store.live_path(0, OutputStream::out)) << "x";
    EXPECT_TRUE(store.end(task(0, 1), 1, 1, 0));
  }
  auto store = open();
  EXPECT_EQ(all(store, task(0, 1)), "x");
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(store.kept_after({}, 9, kEver).jobs.empty());
}

TEST_F(OutputLimits, TellsWhichJobsItKeeps) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  const auto numbers = [](const OutputStore::KeptJobs& kept) {
    std::vector<std::uint32_t> all;
    all.reserve(kept.jobs.size());
    for (const sched::JobId& job : kept.jobs) all.push_back(job.number);
    return all;
  };
  const auto write_as = [&](OutputStore& store, std::uint64_t home, std::uint32_t job, bool roams) {
    const sched::TaskId id{.job = {.home = {home}, .number = job, .lineage = 7}, .index = 0};
    store.begin(id, 1, 0, {.user = "member", .roams = roams});
    std::ofstream(store.live_path(0, OutputStream::out)) << "x";
    EXPECT_TRUE(store.end(id, 1, 1, 0));
  };
  {
    auto store = open();
    EXPECT_TRUE(store.kept_after({}, 2, kEver).jobs.empty());
    for (std::uint32_t job = 1; job <= 3; ++job) write_as(store, 5, job, false);
    write_as(store, 5, 4, true);
    write_as(store, 6, 1, false);
  }
  auto store = open();
  const auto first = store.kept_after({}, 2, kEver);
  EXPECT_EQ(numbers(first), (std::vector<std::uint32_t>{1, 2}));
  const auto second = store.kept_after(first.last, 2, kEver);
  EXPECT_EQ(numbers(second), std::vector<std::uint32_t>{3}) << "job 4 may be another node's by now";
  const auto third = store.kept_after(second.last, 2, kEver);
  EXPECT_EQ(numbers(third), std::vector<std::uint32_t>{1});
  EXPECT_EQ(third.jobs.front().home, overlay::PeerId{6});
  EXPECT_EQ(third.last, sched::JobId{}) << "those were all";
  EXPECT_TRUE(store.kept_after({}, 2, 1).jobs.empty()) << "they were written to since";
}

}  // namespace
}  // namespace dunlin::node
