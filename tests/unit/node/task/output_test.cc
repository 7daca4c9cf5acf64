// SPDX-License-Identifier: MIT
#include "node/task/output.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class Output : public ::testing::Test {
 protected:
  OutputStore open(std::uint64_t total = 1u << 30, std::uint64_t task = 0) {
    auto store = OutputStore::open(
        {.directory = scratch_.path() + "/o", .total_limit = total, .task_limit = task});
    EXPECT_TRUE(store) << store.error().text;
    return std::move(*store);
  }
  static sched::TaskId task(std::uint32_t index, std::uint32_t job = 1) {
    return {.job = {.home = {0xfeed}, .number = job}, .index = index};
  }
  /// As a task in slot 0 would.
  static void write(OutputStore& store,
      const sched::TaskId& task,
      std::uint32_t attempt,
      const std::string& out,
      const std::string& err = "") {
    store.begin(task, attempt, 0);
    if (!out.empty()) std::ofstream(store.live_path(0, OutputStream::out), std::ios::app) << out;
    if (!err.empty()) std::ofstream(store.live_path(0, OutputStream::err), std::ios::app) << err;
    EXPECT_TRUE(store.end(task, attempt, out.size(), err.size()));
  }
  static std::string all(OutputStore& store,
      const sched::TaskId& task,
      std::optional<std::uint32_t> attempt = std::nullopt,
      OutputStream stream = OutputStream::out) {
    return store.read(task, attempt, stream, 0, 64u << 20).data;
  }
  /// A sweep takes a few milliseconds at most, and goes on the next time.
  static void sweep(OutputStore& store, std::uint64_t limit) {
    for (int i = 0; i < 500 && store.bytes() > limit; ++i) store.sweep();
    EXPECT_LE(store.bytes(), limit);
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.path() + "/o")) {
      const auto live = entry.path().parent_path().filename() == "live";
      if (entry.is_regular_file() && !(live && entry.file_size() == 0)) ++count;
    }
    return count;
  }

  test::Scratch scratch_;
};

TEST_F(Output, KeepsWhatTasksWroteAndTwoFilesPerJob) {
  auto store = open();
  for (std::uint32_t i = 0; i < 100; ++i) {
    write(store, task(i), 1, "out of " + std::to_string(i), i % 2 == 0 ? "" : "err");
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(all(store, task(i)), "out of " + std::to_string(i));
    EXPECT_EQ(all(store, task(i), 1, OutputStream::err), i % 2 == 0 ? "" : "err");
    EXPECT_TRUE(store.read(task(i), std::nullopt, OutputStream::err, 0, 9).found);
  }
  EXPECT_EQ(files(), 2u);
}

// A power failure took the end of the stream, and not the index.
TEST_F(Output, CountsOnlyWhatIsThere) {
  auto store = open();
  write(store, task(0), 1, "first");
  write(store, task(1), 1, "second");
  write(store, task(2), 1, "third");
  for (const auto& entry : fs::recursive_directory_iterator(scratch_.path() + "/o")) {
    if (entry.path().filename() == "stream") fs::resize_file(entry.path(), 8);
  }
  const auto total = [&](std::uint32_t index) {
    return store.read(task(index), 1, OutputStream::out, 0, 64).total;
  };
  EXPECT_EQ(all(store, task(0)), "first");
  EXPECT_EQ(all(store, task(1)), "sec");
  EXPECT_EQ(total(0), 5u);
  EXPECT_EQ(total(1), 3u) << "or its reader waits for the rest";
  EXPECT_EQ(total(2), 0u);
  EXPECT_TRUE(store.read(task(2), 1, OutputStream::out, 2, 64).data.empty());
}

TEST_F(Output, LeavesNothingOfSilentTasks) {
  auto store = open();
  write(store, task(1), 1, "");
  EXPECT_EQ(files(), 0u);
  const auto piece = store.read(task(1), std::nullopt, OutputStream::out, 0, 10);
  EXPECT_FALSE(piece.found);
  EXPECT_TRUE(piece.ended);
}

TEST_F(Output, ReadsPieces) {
  auto store = open();
  write(store, task(1), 1, "before");
  write(store, task(2), 1, "0123456789");
  write(store, task(3), 1, "after");
  const auto piece = store.read(task(2), 1, OutputStream::out, 4, 3);
  EXPECT_EQ(piece.data, "456");
  EXPECT_EQ(piece.total, 10u);
  EXPECT_EQ(store.read(task(2), 1, OutputStream::out, 8, 100).data, "89")
      << "not into the next task's";
  EXPECT_EQ(store.read(task(2), 1, OutputStream::out, 10, 100).data, "");
  EXPECT_EQ(store.read(task(2), 1, OutputStream::out, ~0ull, 100).data, "");
}

TEST_F(Output, TellsAttemptsApart) {
  auto store = open();
  write(store, task(1), 1, "first");
  write(store, task(1), 2, "second");
  EXPECT_EQ(all(store, task(1)), "second");
  EXPECT_EQ(all(store, task(1), 1), "first");
  EXPECT_EQ(store.read(task(1), std::nullopt, OutputStream::out, 0, 9).attempt, 2);
  store.begin(task(1), 3, 5);
  std::ofstream(store.live_path(5, OutputStream::out)) << "third";
  const auto live = store.read(task(1), std::nullopt, OutputStream::out, 0, 9);
  EXPECT_EQ(live.data, "third");
  EXPECT_FALSE(live.ended);
  EXPECT_TRUE(store.read(task(1), 2, OutputStream::out, 0, 9).ended);
}

// A number may come again, when a frontend loses its disk: what the first job of it wrote here is
// never shown as the second's.
TEST_F(Output, TellsLineagesApart) {
  const sched::TaskId before = task(1);
  sched::TaskId after = before;
  after.job.lineage = 0x0123456789abcdef;
  sched::TaskId other = before;
  other.job.lineage = 0x0123456789abcdee;
  {
    auto store = open();
    write(store, before, 1, "before lineages");
    write(store, after, 1, "after");
    EXPECT_FALSE(store.read(other, std::nullopt, OutputStream::out, 0, 99).found);
    store.begin(other, 1, 5);
    EXPECT_EQ(all(store, after), "after") << "the running one is another job's";
  }
  EXPECT_TRUE(fs::exists(scratch_ / "o/000000000000feed/1-0123456789abcdef/stream"));
  EXPECT_TRUE(fs::exists(scratch_ / "o/000000000000feed/1/stream")) << "as it always was";
  auto store = open();
  EXPECT_EQ(all(store, before), "before lineages");
  EXPECT_EQ(all(store, after), "after");
  store.forget(before.job);
  EXPECT_EQ(all(store, before), "");
  EXPECT_EQ(all(store, after), "after");
}

TEST_F(Output, GivesLargeOutputAFileOfItsOwn) {
  auto store = open();
  const std::string large(1u << 20, 'x');
  write(store, task(1), 1, large);
  write(store, task(2), 1, "small");
  EXPECT_EQ(all(store, task(1)), large);
  EXPECT_EQ(all(store, task(2)), "small") << "the slot began empty";
  EXPECT_EQ(store.read(task(1), 1, OutputStream::out, large.size() - 2, 100).data, "xx");
}

// An agent may die at any step of end(), and its warden tells the next one of the same end.
TEST_F(Output, AnEndIsFinishedWhereverItWasCutOff) {
  for (const std::size_t size : {std::size_t{4}, std::size_t{300'000}}) {
    const std::string text(size, 'x');
    const auto index = static_cast<std::uint32_t>(size);
    {
      auto store = open();
      store.begin(task(index), 1, 0);
      std::ofstream(store.live_path(0, OutputStream::out)) << text;
      EXPECT_TRUE(store.end_again(task(index), 1, size, 0)) << "nothing was done";
    }
    auto store = open();
    const auto bytes = store.bytes();
    const auto end_again = [&] {
      store.begin(task(index), 1, 0);
      EXPECT_TRUE(store.end_again(task(index), 1, size, 0));
      EXPECT_EQ(all(store, task(index)), text);
      EXPECT_EQ(store.bytes(), bytes) << "it is kept once";
    };
    end_again();
    // The live file was not emptied yet.
    std::ofstream(store.live_path(0, OutputStream::out)) << text;
    end_again();
    EXPECT_FALSE(fs::exists(store.live_path(0, OutputStream::out)));
  }
}

TEST_F(Output, AFileThatWasMovedButNotRecordedIsRecorded) {
  const std::string text(300'000, 'x');
  auto store = open();
  write(store, task(1), 1, text);
  fs::path job;
  for (const auto& entry : fs::recursive_directory_iterator(scratch_.path() + "/o")) {
    if (entry.path().filename() == "index") job = entry.path();
  }
  fs::remove(job);
  auto later = open();
  later.begin(task(1), 1, 0);
  EXPECT_TRUE(later.end_again(task(1), 1, text.size(), 0));
  EXPECT_EQ(all(later, task(1)), text);
}

TEST_F(Output, SurvivesARestartButForLiveOutput) {
  {
    auto store = open();
    write(store, task(1), 1, "kept");
    write(store, task(2), 1, std::string(1u << 20, 'y'));
    store.begin(task(3), 1, 7);
    std::ofstream(store.live_path(7, OutputStream::out)) << "unfinished";
    std::ofstream(store.live_path(8, OutputStream::err)) << "still written";
  }
  auto store = open();
  store.clear_live({8});
  EXPECT_EQ(all(store, task(1)), "kept");
  EXPECT_EQ(all(store, task(2)).size(), 1u << 20);
  EXPECT_FALSE(store.read(task(3), std::nullopt, OutputStream::out, 0, 10).found);
  EXPECT_FALSE(fs::exists(store.live_path(7, OutputStream::out)));
  EXPECT_TRUE(fs::exists(store.live_path(8, OutputStream::err))) << "its task was taken back";
  EXPECT_GT(store.bytes(), 1u << 20);
  write(store, task(1), 2, "more");
  EXPECT_EQ(all(store, task(1)), "more");
  EXPECT_EQ(all(store, task(1), 1), "kept");
}

TEST_F(Output, MendsATornIndex) {
  auto store = open();
  write(store, task(1), 1, "one");
  const auto index = scratch_.path() + "/o/000000000000feed/1/index";
  ASSERT_TRUE(fs::exists(index));
  std::ofstream(index, std::ios::app) << "torn";
  EXPECT_EQ(all(store, task(1)), "one");
  write(store, task(2), 1, "two");
  EXPECT_EQ(all(store, task(1)), "one");
  EXPECT_EQ(all(store, task(2)), "two");
}

TEST_F(Output, ForgetsAJob) {
  auto store = open();
  write(store, task(1, 1), 1, "one");
  write(store, task(1, 2), 1, "two");
  store.forget(task(1, 1).job);
  EXPECT_FALSE(store.read(task(1, 1), std::nullopt, OutputStream::out, 0, 10).found);
  EXPECT_EQ(all(store, task(1, 2)), "two");
  store.forget(task(1, 2).job);
  EXPECT_EQ(store.bytes(), 0u);
  EXPECT_EQ(files(), 0u);
  store.forget(task(1, 3).job);
}

TEST_F(Output, RemovesTheOldestJobsFirst) {
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

TEST_F(Output, CutsWhatOneTaskWrites) {
  auto store = open(1u << 30, 1000);
  store.begin(task(1), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << std::string(5000, 'w');
  store.sweep();
  EXPECT_EQ(fs::file_size(store.live_path(0, OutputStream::out)), 1000u);
  std::ofstream(store.live_path(0, OutputStream::out), std::ios::app) << std::string(5000, 'w');
  EXPECT_TRUE(store.end(task(1), 1, 6000, 0));
  EXPECT_EQ(all(store, task(1)).size(), 1000u);
}

TEST_F(Output, TellsThatOutputIsLost) {
  auto store = open();
  write(store, task(1), 1, "x");
  fs::remove_all(scratch_.path() + "/o/000000000000feed/1");
  store.begin(task(2), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << "y";
  EXPECT_FALSE(store.end(task(2), 1, 1, 0));
  EXPECT_FALSE(fs::exists(store.live_path(0, OutputStream::out)))
      << "the next task would inherit it";
}

// A directory that was another user's may hold what that user prepared.
TEST_F(Output, WritesThroughNoLink) {
  auto store = open();
  const std::string target = scratch_.path() + "/target";
  test::write_file(target, "root's");
  const std::string job = scratch_.path() + "/o/000000000000feed/1";
  fs::create_directories(job);
  fs::create_symlink(target, job + "/stream");
  store.begin(task(1), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << "theirs";
  EXPECT_FALSE(store.end(task(1), 1, 6, 0));
  fs::remove_all(scratch_.path() + "/o/000000000000feed");
  fs::create_directory(scratch_.path() + "/elsewhere");
  fs::create_directory_symlink(
      scratch_.path() + "/elsewhere", scratch_.path() + "/o/000000000000feed");
  store.begin(task(1), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << "theirs";
  EXPECT_FALSE(store.end(task(1), 1, 6, 0));
  EXPECT_TRUE(fs::is_empty(scratch_.path() + "/elsewhere"));
  fs::create_symlink(target, store.live_path(0, OutputStream::out));
  store.begin(task(2), 1, 0);
  EXPECT_EQ(store.read(task(2), 1, OutputStream::out, 0, 10).data, "");
  EXPECT_FALSE(store.end(task(2), 1, 6, 0));
  EXPECT_EQ(test::file_text(target), "root's");
}

TEST_F(Output, CountsWhatFilesOccupyNotTheirHoles) {
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

// Each job leaves a directory and two files, however little its tasks wrote.
TEST_F(Output, CountsFilesWithLittleInThem) {
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
TEST_F(Output, WhatOneUserKeepsPushesOutNothingOfOthers) {
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

TEST_F(Output, TellsWhichJobsItKeeps) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  const auto numbers = [](const OutputStore::KeptJobs& kept) {
    std::vector<std::uint32_t> all;
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

// Against the plainest of models: a map of texts.
TEST_F(Output, AgreesWithAModel) {
  auto store = open();
  std::minstd_rand random(7);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, OutputStream>, std::string>
      model;
  const auto draw = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  for (int step = 0; step < 6000; ++step) {
    const std::uint32_t job = 1 + draw(3);
    const std::uint32_t index = draw(500);
    const auto attempt = static_cast<std::uint32_t>(1 + draw(3));
    if (model.contains({job, index, attempt, OutputStream::out})) {
      const auto& text = model[{job, index, attempt, OutputStream::out}];
      ASSERT_EQ(all(store, task(index, job), attempt), text) << "step " << step;
      continue;
    }
    const std::string text = std::to_string(random()) + std::string(draw(100), '.');
    write(store, task(index, job), attempt, text);
    model[{job, index, attempt, OutputStream::out}] = text;
  }
  for (const auto& [key, text] : model) {
    const auto& [job, index, attempt, stream] = key;
    ASSERT_EQ(all(store, task(index, job), attempt, stream), text);
  }
}

}  // namespace
}  // namespace dunlin::node
