// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <string>
#include <utility>
#include <vector>

#include "node/store/store.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/raft_log.h"
#include "sched/raft/raft_members.h"
#include "tests/support/scratch.h"

// A database of three jobs and the books of a cell, for tests that damage it.
namespace dunlin::node {

using namespace std::chrono_literals;

inline constexpr sched::PeerId kHome{0xffeeddccbbaa9988};
inline constexpr sched::PeerId kWorker{0x8000000000000001};
inline constexpr sched::GroupId kGroup = 0xfedcba9876543210;
inline constexpr std::uint32_t kTasks = 6;

inline sched::JobId id(std::uint32_t number) {
  return {.home = kHome, .number = number, .lineage = 0x8765432187654321 + number};
}

inline sched::Job job(std::uint32_t number) {
  sched::TaskGroup group{.name = "main",
      .count = kTasks,
      .demand = {.cpu = 1500, .memory = 64, .custom = {{"gpu", 2}}},
      .constraints = {{"os", sched::Comparison::not_equal, "plan9"}},
      .time_limit = 90s,
      .spec = "what to run"};
  return {.id = id(number),
      .name = "train",
      .groups = {group},
      .submitted_at = 1'700'000'000'000'000'000,
      .owner = "anna",
      .service_class = "web"};
}

inline sched::Report report(std::uint32_t index, std::uint32_t attempt) {
  return {.index = index,
      .attempt = attempt,
      .status = static_cast<std::int32_t>(index),
      .wall = 5ms,
      .cpu = 3ms,
      .memory_peak = 1u << 20,
      .out_bytes = 7,
      .started_at = 9,
      .detail = "d"};
}

/// All that an agent reads of a database when it starts.
struct Content {
  std::vector<sched::Job> jobs;
  std::vector<sched::JobProgress> progress;
  std::vector<std::string> tasks;
  std::vector<std::string> reports;
  std::uint32_t incarnation = 0;
  std::vector<sched::StoredRaft> books;
  std::vector<std::string> damage;

  /// True if it says the same, whatever was damaged.
  bool says_what(const Content& other) const {
    return jobs == other.jobs && progress == other.progress && tasks == other.tasks &&
        reports == other.reports && incarnation == other.incarnation && books == other.books;
  }
};

class Damage : public ::testing::Test {
 protected:
  Damage() : path_(scratch_ / "dunlin.sqlite") {
    auto store = SqliteStore::open(scratch_.path());
    EXPECT_TRUE(store);
    fill(**store);
    store->reset();
    good_ = test::file_text(path_);
    intact_ = read().value();
    EXPECT_TRUE(intact_.damage.empty());
    EXPECT_EQ(intact_.jobs.size(), 3u);
    EXPECT_EQ(intact_.books.size(), 1u);
  }

  static void fill(SqliteStore& store) {
    EXPECT_TRUE(store.put_incarnation(1'800'000'000));
    for (std::uint32_t number = 1; number <= 3; ++number) {
      store.jobs().put_job(job(number));
      store.jobs().put_progress(id(number), {.restarts = number, .cancelled = number == 3});
      for (std::uint32_t task = 0; task < kTasks; ++task) {
        if (task % 2 == 0) store.jobs().put_report(id(number), report(task, 1), kWorker, false);
        if (task % 3 == 0)
          store.jobs().put_loss(id(number), {.index = task, .attempt = 2}, kWorker);
        if (task < 4) store.jobs().put_report(id(number), report(task, 3), kWorker, true);
      }
    }
    const std::vector<sched::RaftMember> members = {{.replica = 5,
        .node = {6},
        .address = overlay::Address::v4(0x0a000001, 7700),
        .role = sched::MemberRole::voter}};
    sched::RaftLog log({.state = {.group = kGroup, .replica = 5}, .entries = {}});
    log.set_term(store.raft(), 1);
    log.append(store.raft(),
        {{.term = 1, .kind = sched::EntryKind::change, .data = sched::encode_members(members)}});
    std::vector<sched::RaftEntry> commands(
        5, {.term = 1, .kind = sched::EntryKind::command, .data = "tickets"});
    log.append(store.raft(), commands);
    EXPECT_TRUE(store.commit());
  }

  /// Opens the database as an agent does.
  Result<Content> read() {
    Content content;
    auto opened = SqliteStore::open(scratch_.path());
    if (!opened) return tl::unexpected(opened.error());
    SqliteStore& store = **opened;
    const auto incarnation = store.incarnation();
    if (!incarnation) return tl::unexpected(incarnation.error());
    content.incarnation = *incarnation;
    const auto jobs = store.jobs().restore();
    if (!jobs) return tl::unexpected(jobs.error());
    for (const sched::StoredJob& stored : *jobs) {
      content.jobs.push_back(stored.job);
      content.progress.push_back(stored.progress);
      for (const sched::StoredTask& task : stored.tasks) {
        content.tasks.push_back(std::to_string(task.index) + " " + std::to_string(task.failures) +
            " " + std::to_string(task.losses) + " " + std::to_string(task.finished) + " " +
            std::to_string(task.status));
      }
      const auto rows = store.history().results({.job = stored.job.id});
      if (!rows) return tl::unexpected(rows.error());
      for (const ResultRow& row : *rows) content.reports.push_back(row.report.detail);
    }
    const auto aside = store.raft().set_damaged_aside();
    if (!aside) return tl::unexpected(aside.error());
    auto books = store.raft().restore();
    if (!books) return tl::unexpected(books.error());
    content.books = std::move(*books);
    content.damage = store.damage().lines();
    content.damage.insert(content.damage.end(), aside->begin(), aside->end());
    return content;
  }

  void restore_file(const std::string& bytes) {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
      std::filesystem::remove(entry.path());
    }
    test::write_file(path_, bytes);
  }

  void run_sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  /// The bytes in `good_` of the rows of a table: from the first cell of its one page to the end.
  std::pair<std::size_t, std::size_t> rows_of(const std::string& table) {
    sqlite3* handle = nullptr;
    sqlite3_open(path_.c_str(), &handle);
    const std::string sql = "select rootpage from sqlite_schema where name = '" + table + "'";
    std::size_t page = 0;
    sqlite3_exec(
        handle, sql.c_str(),
        [](void* to, int, char** columns, char**) {
          *static_cast<std::size_t*>(to) = std::stoul(columns[0]);
          return 0;
        },
        &page, nullptr);
    sqlite3_close(handle);
    EXPECT_NE(page, 0u);
    const std::size_t begin = (page - 1) * kPage;
    const auto at = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(good_[begin + i]));
    };
    EXPECT_TRUE(at(0) == 0x0d || at(0) == 0x0a) << table << " takes more than a page";
    return {begin + (at(5) << 8 | at(6)), begin + kPage};
  }

  static constexpr std::size_t kPage = 4096;
  test::Scratch scratch_;
  std::string path_;
  std::string good_;
  Content intact_;
};

}  // namespace dunlin::node
