// SPDX-License-Identifier: MIT
#include "node/task/output/output.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "tests/support/scratch.h"
#include "tests/unit/node/task/output/output_support.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class Output : public OutputTest {};

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
