// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/progress.h"

#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

const TaskCounts kCounts = {
    .done = 566, .failed = 0, .cancelled = 0, .running = 16, .waiting = 418};

TEST(Progress, SaysHowFarAndHowFast) {
  EXPECT_EQ(progress_text(kCounts, 212),
      "56 %  566 done, 16 running, 418 waiting, 0 failed  212/s  3.0 s left");
  EXPECT_EQ(progress_text(kCounts, 0), "56 %  566 done, 16 running, 418 waiting, 0 failed");
  EXPECT_EQ(progress_text({}, 0), "0 %  0 done, 0 running, 0 waiting, 0 failed");
}

}  // namespace
}  // namespace dunlin::cli
