// SPDX-License-Identifier: MIT
#include "node/task/devices.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

sched::Resources demand_of(std::string_view name, std::uint32_t count) {
  sched::Resources demand;
  sched::set_amount(demand, name, count);
  return demand;
}

std::vector<std::uint32_t> gpus(const Result<std::vector<TaskDevices>>& devices) {
  for (const TaskDevices& each : devices.value()) {
    if (each.resource == "gpu") return each.numbers;
  }
  return {99};
}

TEST(DevicePool, GivesTheLowestThatAreFreeAndNoneTwice) {
  DevicePool pool({{"gpu", 4}});
  const auto first = pool.take(demand_of("gpu", 2));
  const auto second = pool.take(demand_of("gpu", 1));
  EXPECT_THAT(gpus(first), ElementsAre(0, 1));
  EXPECT_THAT(gpus(second), ElementsAre(2));
  pool.release(*first);
  EXPECT_THAT(gpus(pool.take(demand_of("gpu", 3))), ElementsAre(0, 1, 3));
}

TEST(DevicePool, ATaskThatWantsNoneHasAnEntryWithNone) {
  DevicePool pool({{"fpga", 0}, {"gpu", 1}});
  EXPECT_THAT(*pool.take({}), ElementsAre(TaskDevices{"fpga", {}}, TaskDevices{"gpu", {}}));
  EXPECT_THAT(*pool.take(demand_of("license", 5)),
      ElementsAre(TaskDevices{"fpga", {}}, TaskDevices{"gpu", {}}))
      << "licenses are no devices";
  EXPECT_TRUE(pool.offers("gpu"));
  EXPECT_FALSE(pool.offers("fpga"));
  EXPECT_FALSE(pool.offers("license"));
}

TEST(DevicePool, TakesNoneWhereOneOfTheKindsIsShort) {
  DevicePool pool({{"fpga", 1}, {"gpu", 1}});
  auto both = demand_of("gpu", 2);
  sched::set_amount(both, "fpga", 1);
  const auto refused = pool.take(both);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("'gpu'"));
  EXPECT_TRUE(pool.take(demand_of("fpga", 1))) << "the refused one kept it";
}

TEST(DevicePool, WhatATaskOfAnEarlierAgentHasIsNotFree) {
  DevicePool pool({{"gpu", 2}});
  // The operator took devices away meanwhile.
  const std::vector<TaskDevices> kept = {{"gpu", {0, 7}}, {"fpga", {3}}};
  pool.hold(kept);
  EXPECT_THAT(gpus(pool.take(demand_of("gpu", 1))), ElementsAre(1));
  EXPECT_FALSE(pool.take(demand_of("gpu", 1)));
  pool.release(kept);
  EXPECT_THAT(gpus(pool.take(demand_of("gpu", 1))), ElementsAre(0));
}

TEST(DevicePool, GivesNoneWhileATaskMayHaveAny) {
  DevicePool pool({{"gpu", 2}});
  pool.hold_unknown();
  EXPECT_FALSE(pool.take(demand_of("gpu", 1)));
  EXPECT_THAT(gpus(pool.take({})), IsEmpty()) << "a task that wants none is none of its business";
  pool.release_unknown();
  EXPECT_TRUE(pool.take(demand_of("gpu", 1)));
}

TEST(DeviceCounts, CountWhatTheNodeHas) {
  const auto counts = device_counts({"gpu", "fpga"}, demand_of("gpu", 3));
  ASSERT_TRUE(counts);
  EXPECT_THAT(*counts, ElementsAre(std::pair("fpga", 0u), std::pair("gpu", 3u)));
}

TEST(DeviceCounts, RefuseWhatTasksCouldNotBeTold) {
  EXPECT_THAT(device_counts({"cpu"}, {}).error().text, HasSubstr("'cpu' is no name"));
  EXPECT_THAT(device_counts({"gpu=2"}, {}).error().text, HasSubstr("agent.resources"));
  EXPECT_THAT(device_counts({"tpu.v4", "tpu-v4"}, {}).error().text,
      HasSubstr("DUNLIN_TPU_V4S; rename one"));
  EXPECT_THAT(
      device_counts({"gpu"}, demand_of("gpu", 1025)).error().text, HasSubstr("at most 1024"));
  EXPECT_TRUE(device_counts({"gpu"}, demand_of("gpu", 1024)));
}

TEST(DeviceVariable, IsInCapitals) {
  EXPECT_EQ(device_variable("gpu"), "DUNLIN_GPUS");
  EXPECT_EQ(device_variable("tpu.v4"), "DUNLIN_TPU_V4S");
}

}  // namespace
}  // namespace dunlin::node
