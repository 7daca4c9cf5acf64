// SPDX-License-Identifier: MIT
#include "sched/plan/slot_pool.h"

#include <gtest/gtest.h>
#include <limits>

namespace dunlin::sched {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

PlanWorker of_speed(std::uint32_t slots, double speed) {
  return {.node = PeerId{slots * 10ull + 1}, .slots = slots, .speed = speed};
}

TEST(SlotPool, GivesTheFastestFirst) {
  const std::vector<PlanWorker> workers = {of_speed(2, 0.5), of_speed(3, 2), of_speed(1, 1)};
  SlotPool pool(workers);
  EXPECT_EQ(pool.speed_of(), (std::vector<std::size_t>{2, 0, 1}));
  const SlotsBySpeed four = pool.draw(4, kAny, pool.none(), pool.speeds());
  EXPECT_EQ(four, (SlotsBySpeed{3, 1, 0}));
  EXPECT_DOUBLE_EQ(pool.throughput(four), 7);
  pool.take(four);
  EXPECT_EQ(pool.free(), 2u);
  EXPECT_EQ(pool.draw(9, kAny, pool.none(), pool.speeds()), (SlotsBySpeed{0, 0, 2}));
  EXPECT_EQ(pool.free(), 2u) << "to draw is not to take";
}

TEST(SlotPool, DrawsNoMoreThanTheThroughputAskedFor) {
  const std::vector<PlanWorker> workers = {of_speed(10, 1)};
  const SlotPool pool(workers);
  EXPECT_EQ(count(pool.draw(10, 2.5, pool.none(), pool.speeds())), 3u);
  EXPECT_EQ(count(pool.draw(10, 3.0, pool.none(), pool.speeds())), 3u)
      << "no slot more for the sake of rounding";
  EXPECT_EQ(count(pool.draw(2, 100, pool.none(), pool.speeds())), 2u);
  EXPECT_EQ(count(pool.draw(10, 0, pool.none(), pool.speeds())), 0u);
}

TEST(SlotPool, DrawsThoseNamedFirstAsFarAsTheyAreFree) {
  const std::vector<PlanWorker> workers = {of_speed(3, 2), of_speed(4, 1)};
  SlotPool pool(workers);
  EXPECT_EQ(pool.draw(3, kAny, {0, 2}, pool.speeds()), (SlotsBySpeed{1, 2}));
  EXPECT_EQ(pool.draw(3, 2, {0, 2}, pool.speeds()), (SlotsBySpeed{0, 2}));
  pool.take({0, 3});
  EXPECT_EQ(pool.draw(3, kAny, {0, 2}, pool.speeds()), (SlotsBySpeed{2, 1}));
}

TEST(SlotPool, SpeedsThatAreNearlyTheSameCountAsEqual) {
  const std::vector<PlanWorker> workers = {
      of_speed(1, 1.0), of_speed(1, 1.02), of_speed(1, 0.99), of_speed(1, 1.2)};
  const SlotPool pool(workers);
  EXPECT_EQ(pool.speed_of(), (std::vector<std::size_t>{1, 1, 1, 0}));
}

}  // namespace
}  // namespace dunlin::sched
