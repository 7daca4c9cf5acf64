// SPDX-License-Identifier: MIT
#include "sim/measure/conservation.h"

#include <gmock/gmock.h>

#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Time moment_at(Duration since) {
  return Time{since};
}

/// A run in which one job of two tasks came and ended, each attempt by itself.
class Conservation : public ::testing::Test {
 protected:
  Conservation() {
    recorder.on_submit(moment_at(1s), job, 2, {});
    for (int i = 0; i < 2; ++i) recorder.on_begin(moment_at(2s), job, 1000);
    for (int i = 0; i < 2; ++i) {
      recorder.on_work(0, moment_at(2s), moment_at(5s), 1000);
      recorder.attempts().cease(moment_at(5s), true);
    }
    recorder.on(moment_at(6s), sched::JobFinished{.job = job, .succeeded = 2});
  }
  std::string law() const { return broken_law(recorder, offered, fates_of(recorder, false, {})); }

  Recorder recorder{{.from = moment_at(0s), .until = moment_at(20s)}, equal_machines(1, 4000)};
  const sched::JobId job{.home = {1}, .number = 1, .lineage = 3};
  Offered offered{.arrived = 1, .submitted = 1};
};

TEST_F(Conservation, HoldsWhereEachIsAccountedFor) {
  EXPECT_EQ(law(), "");
}

TEST_F(Conservation, MissesAJobThatIsInNoCount) {
  offered = {.arrived = 2, .submitted = 2};
  EXPECT_THAT(law(), HasSubstr("2 submitted jobs are not 1 accepted + 0 refused"));
  recorder.on_refusal(moment_at(1s), {}, "no room");
  EXPECT_EQ(law(), "");
  offered.arrived = 3;
  EXPECT_THAT(law(), HasSubstr("3 arrived jobs are not 2 submitted + 0 held + 0 on their way"));
  offered.held = 1;
  EXPECT_EQ(law(), "");
}

TEST_F(Conservation, MissesTasksThatAJobForgot) {
  const sched::JobId other{.home = {1}, .number = 2, .lineage = 3};
  recorder.on_submit(moment_at(1s), other, 5, {});
  offered = {.arrived = 2, .submitted = 2};
  EXPECT_EQ(law(), "") << "it has not ended";
  recorder.on(moment_at(6s), sched::JobFinished{.job = other, .succeeded = 4});
  EXPECT_THAT(law(), HasSubstr("7 accepted tasks are not 6 succeeded"));
}

TEST_F(Conservation, MissesAttemptsAndTheirWork) {
  recorder.on_begin(moment_at(7s), job, 1000);
  EXPECT_THAT(law(), HasSubstr("3 begun attempts are not 2 ended + 0 stopped + 0 running"));
  recorder.attempts().leave(moment_at(9s));
  EXPECT_THAT(law(), HasSubstr("without a measure of their work"));
  recorder.on_work(0, moment_at(7s), moment_at(10s), 1000);
  EXPECT_THAT(law(), HasSubstr("is not the time that ran"));
}

TEST_F(Conservation, TellsLostJobsFromOthers) {
  const sched::JobId again{.home = {1}, .number = 1, .lineage = 4};
  recorder.on_submit(moment_at(25s), again, 5, {});
  const auto nobody = [](const sched::JobId&) { return false; };
  EXPECT_EQ(fates_of(recorder, false, nobody).lost, 1u);
  EXPECT_EQ(fates_of(recorder, false, {}).unfinished, 1u);
  EXPECT_EQ(fates_of(recorder, true, nobody).lost, 0u) << "it came after the window";
}

}  // namespace
}  // namespace dunlin::sim
