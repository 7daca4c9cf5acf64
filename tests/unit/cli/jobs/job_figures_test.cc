// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_figures.h"

#include <cstdio>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

std::string shown(const Json& job) {
  ::testing::internal::CaptureStdout();
  show_measures(job);
  std::fflush(stdout);
  return ::testing::internal::GetCapturedStdout();
}

// A shell that ends well says nothing of what died under it.
TEST(JobFigures, TellOfProcessesThatWereKilledForWantOfMemory) {
  EXPECT_EQ(shown({{"memory_kills", 0}}), "");
  EXPECT_EQ(shown(Json::object()), "") << "an agent of before";
  EXPECT_EQ(shown({{"memory_kills", 1}}), "  killed   1 process for want of memory\n");
  EXPECT_EQ(shown({{"memory_kills", 3}}), "  killed   3 processes for want of memory\n");
}

}  // namespace
}  // namespace dunlin::cli
