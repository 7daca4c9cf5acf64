// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <gmock/gmock.h>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <utility>

#include "node/store/store.h"
#include "tests/support/scratch.h"

// A database of its own for each test, and jobs and reports to put into it.
namespace dunlin::node::store_test {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

inline constexpr sched::PeerId kHome{0xffeeddccbbaa9988};
inline constexpr sched::PeerId kWorker{0x8000000000000001};

inline sched::JobId id(std::uint32_t number) {
  return {.home = kHome, .number = number, .lineage = 0x8765432187654321 + number};
}
inline sched::Job job(std::uint32_t number, std::uint32_t count = 3) {
  sched::Job job{.id = id(number),
      .name = "train \"x\"",
      .groups = {},
      .submitted_at = 1'700'000'000'000'000'000,
      .owner = "anna",
      .service_class = number % 2 == 0 ? "web" : ""};
  if (number % 3 == 0) job.deadline = 90s;
  sched::TaskGroup group{.name = "main",
      .count = count,
      .demand = {.cpu = 1500, .memory = 64, .custom = {{"gpu", 2}}},
      .constraints = {{"os", sched::Comparison::not_equal, "plan9"}},
      .priority = 70,
      .retries = 2,
      .time_limit = 90s,
      .duration = 30s,
      .spec = std::string("\0\xff spec", 7),
      .entries = {}};
  for (std::uint32_t i = 0; i < count; ++i) group.entries.push_back("line " + std::to_string(i));
  job.groups = {group};
  return job;
}
inline sched::Report report(
    std::uint32_t index, std::uint32_t attempt = 1, std::int32_t status = 0) {
  return {.index = index,
      .attempt = attempt,
      .outcome = sched::Outcome::exited,
      .status = status,
      .wall = 5ms,
      .cpu = 3ms,
      .memory_peak = 1u << 20,
      .out_bytes = 7,
      .err_bytes = 8,
      .started_at = 9,
      .detail = "d"};
}

class Store : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto store = SqliteStore::open(scratch_.path());
    EXPECT_TRUE(store) << store.error().text;
    return store ? std::move(*store) : nullptr;
  }
  Error open_fails() {
    auto store = SqliteStore::open(scratch_.path());
    EXPECT_FALSE(store);
    return store ? Error{} : store.error();
  }
  void run_sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((scratch_ / "dunlin.sqlite").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  test::Scratch scratch_;
};
}  // namespace dunlin::node::store_test
