// SPDX-License-Identifier: MIT
#include "sched/plan/node_speed.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dunlin::sched {
namespace {

/// Each task counts so much of all.
constexpr double kWeight = 1.0 / 100;
/// Fewer tasks say nothing: their lengths differ by chance.
constexpr std::uint32_t kTasksMin = 16;
/// What is told changes if the tasks say more or less by this part.
constexpr double kToldSlop = 0.15;
/// Shorter tasks show how long a start takes, not how fast the node is.
constexpr Duration kTimeMin = std::chrono::milliseconds(20);
/// Slower or faster than this is no speed: something else is wrong.
constexpr double kLearntMin = 0.1;
constexpr double kLearntMax = 10;

}  // namespace

void NodeSpeed::learn(Duration measured, Duration took) {
  if (measured < kTimeMin || took <= Duration{0}) return;
  const auto nanoseconds = [](Duration time) { return static_cast<double>(time.count()); };
  measured_ += nanoseconds(measured) - kWeight * measured_;
  took_ += nanoseconds(took) - kWeight * took_;
  tasks_ = std::min(tasks_ + 1, kTasksMin);
  if (tasks_ < kTasksMin) return;
  const double speed = kSpeedUsual * std::clamp(measured_ / took_, kLearntMin, kLearntMax);
  if (std::abs(speed - told_) > kToldSlop * told_) {
    told_ = static_cast<std::uint32_t>(std::lround(speed));
  }
}

}  // namespace dunlin::sched
