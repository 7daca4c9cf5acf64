// SPDX-License-Identifier: MIT
#include "sched/worker/share/usage_meter.h"

#include <chrono>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "sched/worker/share/stride.h"

namespace dunlin::sched {
namespace {

using std::chrono::seconds;

TEST(UsageMeter, AveragesWhatWasOccupied) {
  const auto at = [](int second) { return Time{seconds(second)}; };
  UsageMeter meter(at(0));
  meter.start(at(0), 1, kWholeNode / 2);
  meter.start(at(2), 2, kWholeNode / 4);
  meter.stop(at(6), 2, kWholeNode / 4);
  using Usage = std::vector<std::pair<ClassId, Tickets>>;
  EXPECT_EQ(meter.take(at(10), 8000), (Usage{{1, 4000}, {2, 800}}));
  // The next period knows what still runs, and nothing of the past.
  EXPECT_EQ(meter.take(at(11), 8000), (Usage{{1, 4000}}));
  meter.stop(at(11), 1, kWholeNode / 2);
  EXPECT_EQ(meter.take(at(20), 8000), Usage{});
  EXPECT_EQ(meter.take(at(20), 8000), Usage{});  // A period of no length.
}

TEST(UsageMeter, TimeGoesForwardAndNoMoreIsLeftThanWasTaken) {
  UsageMeter meter(Time{seconds(10)});
  meter.start(Time{seconds(10)}, 1, 100);
  EXPECT_DEATH(meter.start(Time{seconds(9)}, 1, 100), "time goes back");
  EXPECT_DEATH(meter.stop(Time{seconds(11)}, 1, 101), "more than it took");
}

}  // namespace
}  // namespace dunlin::sched
