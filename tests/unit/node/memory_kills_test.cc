// SPDX-License-Identifier: MIT
#include "node/memory_kills.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(MemoryKills, AreToldAndReadAgain) {
  EXPECT_EQ(memory_kills_text(1), "1 of its processes was killed for want of memory");
  EXPECT_EQ(memory_kills_text(12), "12 of its processes were killed for want of memory");
  for (const std::uint64_t count : {1u, 12u, 4'000'000'000u}) {
    EXPECT_EQ(memory_kills_in(memory_kills_text(count)), count);
  }
}

TEST(MemoryKills, AreNoneWhereTheDetailTellsSomethingElse) {
  for (const char* const other :
      {"", "12", "command 'mkae' not found", "2 of its processes were killed for want",
          "process 7 survives SIGKILL", " killed for want of memory"}) {
    EXPECT_EQ(memory_kills_in(other), 0u) << other;
  }
}

}  // namespace
}  // namespace dunlin::node
