// SPDX-License-Identifier: MIT
#include "sim/measure/cell_load.h"

#include <gtest/gtest.h>

#include "sched/ledger/books_types.h"

namespace dunlin::sim {
namespace {

using sched::cell_id;

TEST(CellLoad, TellsKindsAndLevelsApart) {
  CellLoad load;
  load.count(sched::cell::MemberReport{.cell = cell_id(0, 7)});
  load.count(sched::cell::Lease{.cell = cell_id(0, 7)});
  load.count(sched::cell::MemberReport{.cell = cell_id(1, 7)});
  load.count(sched::raft::AppendEntries{.header = {.group = cell_id(2, 7).value}});
  load.count(sched::cell::SavingsOffer{.from = cell_id(0, 7), .to = cell_id(1, 9)});
  load.count(sched::cell::Gossip{});
  load.count(sched::cell::MemberReport{.cell = cell_id(15, 7)});
  EXPECT_EQ(load.sum(), 7u);
  EXPECT_EQ(load.messages[sched::cell::Message(sched::cell::MemberReport{}).index()], 3u);
  EXPECT_EQ(load.of_level, (std::array<std::uint32_t, kCellLevels>{2, 2, 1, 1}));
}

TEST(CellLoad, CpuTimeOfAThreadGrowsWhileItWorks) {
  const std::uint64_t began = thread_cpu_ns();
  volatile std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) sum = sum + i;
  EXPECT_GT(thread_cpu_ns(), began);
}

}  // namespace
}  // namespace dunlin::sim
