// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

#include "sim/workload/trace_workload.h"
#include "tests/support/scratch.h"
#include "tests/unit/sim/equal_machines.h"

// The trace that sim/experiments/sharing-requests.toml is about.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

TEST(MakeRequests, EachClassIsTheBusiestInTurn) {
  if (std::system("command -v python3 > /dev/null") != 0) {
    GTEST_SKIP() << "UNTESTED: there is no python3 here, which tools/make-requests is for";
  }
  const test::Scratch scratch;
  const std::string make = DUNLIN_SOURCE_DIR "/tools/make-requests --rate 100 --seconds 60 > ";
  ASSERT_EQ(std::system((make + scratch / "requests").c_str()), 0);
  TraceSetting setting{
      .params = {}, .kind = WorkloadKind::requests, .machines = equal_machines(10, 1000)};
  setting.params.data = scratch.path();
  setting.params.file = "requests";
  setting.params.strict = true;
  setting.demand = {.cpu = 1000, .memory = 0, .custom = {}};
  auto trace = TraceWorkload::open(setting);
  ASSERT_TRUE(trace) << trace.error().text;
  std::map<std::string, int> counts[3];
  double seconds = 0;
  int all = 0;
  while (const auto next = trace->next()) {
    const auto part = static_cast<std::size_t>(next->at.time_since_epoch() / 20s);
    ++counts[std::min<std::size_t>(part, 2)][next->job.service_class];
    seconds += std::chrono::duration<double>(next->facts.longest).count();
    ++all;
  }
  EXPECT_NEAR(all, 6000, 6 * 78) << "six deviations of a Poisson process";
  EXPECT_NEAR(seconds / all, 0.5, 0.05);
  const char* const busiest[] = {"web", "batch", "test"};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(counts[i].size(), 3u);
    for (const auto& [name, count] : counts[i]) {
      EXPECT_NEAR(count / 2000.0, name == busiest[i] ? 0.6 : 0.2, 0.07) << name << " in part " << i;
    }
  }
}

}  // namespace
}  // namespace dunlin::sim
