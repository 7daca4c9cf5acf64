// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/host_file.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace dunlin::cli {
namespace {

TEST(HostFile, IsReadIfItIsAList) {
  const test::Scratch scratch;
  std::ofstream(scratch / "list") << "n1\n";
  EXPECT_EQ(host_list_file(scratch / "list"), "n1\n");
  std::ofstream(scratch / "large") << std::string((1 << 20) + 1, 'x');
  for (const char* const name : {"large", "missing"}) {
    const auto refused = host_list_file(scratch / name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().text.find(name), std::string::npos);
  }
}

TEST(HostFile, AllocationsAreThoseOfTheirJobs) {
  const test::Scratch scratch;
  ::unsetenv("SLURM_JOB_NODELIST");
  ::unsetenv("PBS_NODEFILE");
  EXPECT_FALSE(slurm_allocation());
  EXPECT_FALSE(pbs_allocation());
  std::ofstream(scratch / "nodes") << "n1\nn1\nn2\n";
  ::setenv("SLURM_JOB_NODELIST", "n[1-3]", 1);
  ::setenv("PBS_NODEFILE", (scratch / "nodes").c_str(), 1);
  EXPECT_EQ(slurm_allocation()->size(), 3u);
  EXPECT_EQ(pbs_allocation()->size(), 2u);
  ::unsetenv("SLURM_JOB_NODELIST");
  ::unsetenv("PBS_NODEFILE");
}

}  // namespace
}  // namespace dunlin::cli
