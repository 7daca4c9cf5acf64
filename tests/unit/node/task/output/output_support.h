// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "node/task/output/output.h"
#include "tests/support/scratch.h"

namespace dunlin::node {

/// A directory for the output of tasks.
class OutputTest : public ::testing::Test {
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
  /// Without those that are there always.
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry :
        std::filesystem::recursive_directory_iterator(scratch_.path() + "/o")) {
      const bool live = entry.path().parent_path().filename() == "live";
      const bool counts = entry.path().filename() != "reserve" && !(live && entry.file_size() == 0);
      if (entry.is_regular_file() && counts) ++count;
    }
    return count;
  }

  test::Scratch scratch_;
};

}  // namespace dunlin::node
