// SPDX-License-Identifier: MIT
#include "node/control/use/figure_book.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "node/store/results.h"
#include "sched/frontend/job_state.h"
#include "tests/support/builders.h"

namespace dunlin::node {
namespace {

/// What is on the disk of an agent of one job, whose rows it counts.
class KeptResults final : public TaskHistory {
 public:
  Result<std::vector<ResultRow>> results(const ResultQuery& query) override {
    std::vector<ResultRow> found;
    for (const ResultRow& row : rows) {
      if (row.report.index >= query.first && found.size() < query.limit) found.push_back(row);
    }
    ++reads;
    rows_max = std::max(rows_max, found.size());
    return found;
  }
  Result<std::vector<AttemptRow>> attempts(const sched::JobId&, std::uint32_t) override {
    return std::vector<AttemptRow>{};
  }
  Result<std::vector<AttemptRow>> attempts_page(const AttemptQuery&) override {
    return std::vector<AttemptRow>{};
  }
  std::shared_ptr<const sched::Job> record(const sched::JobId&) override { return nullptr; }
  Result<std::vector<StoredUsage>> usage(const UsageQuery&) override {
    return std::vector<StoredUsage>{};
  }

  std::vector<ResultRow> rows;
  std::size_t reads = 0;
  std::size_t rows_max = 0;  ///< Of one read.
};

class FigureBookTest : public ::testing::Test {
 protected:
  /// Task i ran for i + 1 ms.
  static sched::Report report(std::uint32_t index) {
    return {.index = index, .attempt = 1, .wall = std::chrono::milliseconds(index + 1)};
  }
  /// A job of which so many tasks, the first ones, ended in an earlier life of the agent.
  static sched::JobState job(std::uint32_t tasks, std::uint32_t ended = 0) {
    sched::Job job = test::job(tasks);
    job.id = {.home = {1}, .number = 7};
    sched::JobState state(std::move(job), {});
    std::vector<sched::StoredTask> stored(ended);
    for (std::uint32_t i = 0; i < ended; ++i) {
      stored[i].index = i;
      stored[i].finished = true;
    }
    if (ended > 0) state.restore({}, stored, {}, {});
    return state;
  }
  void store(std::uint32_t first, std::uint32_t behind) {
    for (std::uint32_t i = first; i < behind; ++i) disk.rows.push_back({report(i), {1}});
  }
  /// Reads to the end. How many reads that took.
  std::size_t read(const sched::JobState& job, std::uint32_t epoch = 1) {
    const std::size_t before = disk.reads;
    while (disk.reads - before < 1000) {
      const auto whole = book.read(disk, job, epoch, now += FigureBook::kPause);
      EXPECT_TRUE(whole) << whole.error().text;
      if (!whole || *whole) return disk.reads - before;
    }
    ADD_FAILURE() << "it is never whole";
    return 0;
  }
  Json told() const {
    Json json;
    book.last().put(json);
    return json;
  }

  static constexpr std::uint32_t kMany = 50 * FigureBook::kPiece;
  /// Another one, without results.
  static sched::JobState another(std::uint32_t tasks, std::uint32_t number) {
    sched::Job record = test::job(tasks);
    record.id = {.home = {1}, .number = number};
    return {std::move(record), {}};
  }

  KeptResults disk;
  FigureBook book;
  overlay::Time now{std::chrono::hours(1)};
};

TEST_F(FigureBookTest, AllResultsOfALargeJobAreReadOnceInPieces) {
  const auto state = job(kMany, kMany);
  store(0, kMany);
  EXPECT_EQ(read(state), 50u);
  EXPECT_EQ(disk.rows_max, FigureBook::kPiece);
  EXPECT_EQ(told()["run"]["count"], kMany);
  EXPECT_EQ(told()["run"]["max"], std::int64_t{kMany} * 1'000'000);
  EXPECT_NEAR(told()["run"]["p50"].get<double>(), kMany * 5e5, kMany * 5e3);
  EXPECT_EQ(read(state), 0u);
}

TEST_F(FigureBookTest, AJobIsFollowedFromItsFirstResult) {
  const auto state = job(kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) book.on_result(state, 1, report(kMany - 1 - i));
  EXPECT_EQ(read(state), 0u);
  EXPECT_EQ(told()["run"]["count"], kMany);
}

TEST_F(FigureBookTest, ResultsThatComeWhileOthersAreReadCountOnce) {
  const auto state = job(kMany, 1000);
  store(0, 1000);
  ASSERT_FALSE(*book.read(disk, state, 1, now));
  // One that was read already comes from nowhere else: these are of tasks that ran meanwhile.
  book.on_result(state, 1, report(kMany - 1));
  book.on_result(state, 1, report(1000));
  store(1000, 1001);
  disk.rows.push_back({report(kMany - 1), {1}});
  read(state);
  EXPECT_EQ(told()["run"]["count"], 1002);
  book.on_result(state, 1, report(1001));
  EXPECT_EQ(read(state), 0u);
  EXPECT_EQ(told()["run"]["count"], 1003);
}

TEST_F(FigureBookTest, AResultThatIsTakenBackHasThemReadAgain) {
  const auto state = job(kMany, 1000);
  store(0, 1000);
  read(state);
  book.on_retry(state.id());
  disk.rows.pop_back();
  EXPECT_GT(read(state), 0u);
  EXPECT_EQ(told()["run"]["count"], 999);
}

TEST_F(FigureBookTest, ASecondResultTakesThePlaceOfTheFirst) {
  const auto state = job(kMany, 1000);
  store(0, 1000);
  read(state);
  book.on_result(state, 1, report(5));
  EXPECT_GT(read(state), 0u);
  EXPECT_EQ(told()["run"]["count"], 1000);
}

TEST_F(FigureBookTest, AnotherHomeMayHaveRecordedResultsMeanwhile) {
  const auto state = job(kMany, 1000);
  store(0, 1000);
  read(state, 1);
  store(1000, 1010);
  EXPECT_GT(read(state, 3), 0u);
  EXPECT_EQ(told()["run"]["count"], 1010);
}

TEST_F(FigureBookTest, OfASmallJobTheyAreReadEachTime) {
  const auto state = job(3, 2);
  store(0, 2);
  EXPECT_EQ(read(state), 1u);
  disk.rows[0].report.wall = std::chrono::seconds(9);
  EXPECT_EQ(read(state), 1u);
  EXPECT_EQ(told()["run"]["max"], 9'000'000'000);
}

// A job that fills its last piece would never have been whole.
TEST_F(FigureBookTest, AJobMayHaveAsManyTasksAsAPieceHasRows) {
  for (const std::uint32_t tasks : {FigureBook::kPiece, 2 * FigureBook::kPiece}) {
    SCOPED_TRACE(tasks);
    disk.rows.clear();
    store(0, tasks);
    book = {};
    const auto state = job(tasks, tasks);
    EXPECT_EQ(read(state), tasks / FigureBook::kPiece);
    EXPECT_EQ(told()["run"]["count"], tasks);
  }
}

// A client may ask for the same large job 256 times in one turn, and for as many jobs.
TEST_F(FigureBookTest, OnePieceIsReadAtATimeHoweverManyAsk) {
  const auto first = job(kMany, kMany);
  const auto other = another(kMany, 8);
  store(0, kMany);
  for (int asks = 0; asks < 256; ++asks) {
    EXPECT_FALSE(*book.read(disk, first, 1, now));
    EXPECT_FALSE(*book.read(disk, other, 1, now));
  }
  EXPECT_EQ(disk.reads, 1u);
  EXPECT_EQ(read(first), 49u) << "the other did not put it off";
  EXPECT_EQ(read(other), 50u);
}

TEST_F(FigureBookTest, AJobThatIsNotAskedForAnyMoreMakesWay) {
  const auto first = job(kMany, kMany);
  store(0, kMany);
  ASSERT_FALSE(*book.read(disk, first, 1, now));
  now += FigureBook::kPatience;
  EXPECT_EQ(read(another(kMany, 8)), 50u);
}

TEST_F(FigureBookTest, SmallJobsPushOutNoLargeOne) {
  const auto large = job(kMany, kMany);
  store(0, kMany);
  read(large);
  for (std::uint32_t i = 0; i < 2 * FigureBook::kJobsMax; ++i) read(another(3, 100 + i));
  EXPECT_EQ(read(large), 0u);
}

TEST_F(FigureBookTest, HasNotMoreJobsThanItMay) {
  for (std::uint32_t number = 1; number <= 2 * FigureBook::kJobsMax; ++number) {
    book.on_result(another(kMany, number), 1, report(0));
  }
  store(0, 1);
  const auto first = another(kMany, 1);
  EXPECT_EQ(read(first), 1u) << "the oldest went";
}

}  // namespace
}  // namespace dunlin::node
