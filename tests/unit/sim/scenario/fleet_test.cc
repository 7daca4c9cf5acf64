// SPDX-License-Identifier: MIT
#include "sim/scenario/fleet.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

Machine machine(std::uint32_t cpu, const std::string& disk, std::uint32_t gpus = 0) {
  Machine made{.total = {.cpu = cpu, .memory = 64, .custom = {}},
      .attributes = {{.key = "disk", .value = disk}}};
  sched::set_amount(made.total, "gpu", gpus);
  return made;
}

TEST(Fleet, EachMakeStandsOnce) {
  const std::vector<Machine> machines = {machine(1000, "ssd"), machine(2000, "ssd"),
      machine(1000, "ssd"), machine(1000, "hdd"), machine(1000, "ssd", 2), machine(2000, "ssd")};
  const Fleet fleet(machines);
  const Fleet copy = fleet;
  EXPECT_EQ(fleet.makes().size(), 4u);
  EXPECT_EQ(&fleet.makes(), &copy.makes());
  ASSERT_EQ(copy.size(), machines.size());
  std::size_t i = 0;
  for (const Machine& each : copy.all()) {
    EXPECT_EQ(each.total, machines[i].total) << i;
    EXPECT_EQ(each.attributes, machines[i].attributes) << i;
    EXPECT_EQ(&each, &copy[i]);
    ++i;
  }
  EXPECT_EQ(Fleet().size(), 0u);
}

}  // namespace
}  // namespace dunlin::sim
