// SPDX-License-Identifier: MIT
#include "node/control/use/figures.h"

#include <gtest/gtest.h>

#include "node/control/use/enforced.h"

namespace dunlin::node {
namespace {

TEST(UseJson, SaysWhatWasCounted) {
  EXPECT_TRUE(use_json({}).is_null());
  EXPECT_EQ(use_json({.cpu_peak = 1500}), (Json{{"cpu_peak_milli", 1500}}));
  const Json disk = use_json({.disk_read = 7, .disk_write_peak = 9, .has_disk = true});
  EXPECT_EQ(disk,
      (Json{{"disk_read_bytes", 7}, {"disk_written_bytes", 0}, {"disk_read_peak_kib", 0},
          {"disk_write_peak_kib", 9}}));
  EXPECT_EQ(use_json({.net_sent = 5, .has_net = true}).at("net_sent_bytes"), 5);
}

TEST(UseJson, OfSeveralTasksInPercentiles) {
  UseFigures figures;
  EXPECT_TRUE(figures.json().is_null());
  figures.add({});
  EXPECT_TRUE(figures.json().is_null());
  figures.add({.cpu_peak = 500});
  figures.add({.cpu_peak = 1500, .disk_written = 10, .has_disk = true});
  figures.add({.disk_written = 30, .has_disk = true});
  const Json json = figures.json();
  EXPECT_EQ(json.at("cpu_peak_milli").at("p50"), 1000);
  EXPECT_EQ(json.at("cpu_peak_milli").at("count"), 2) << "of the third it is not known";
  EXPECT_EQ(json.at("disk_written_bytes").at("max"), 30);
  EXPECT_FALSE(json.contains("net_sent_bytes"));
}

TEST(Enforced, SaysByWhat) {
  EXPECT_EQ(limits_text("v1", true, false), "v1+disk");
  EXPECT_EQ(limits_text("v2", true, true), "v2+disk+net");
  EXPECT_LE(limits_text("v2", true, true).size(), sched::Facts::kLimitsMax);
  EXPECT_EQ(limits_text("rlimit", false, false), "rlimit");
  EXPECT_EQ(enforced_json("v1+net").at("network"), "cgroup_skb");
  EXPECT_EQ(enforced_json("v2+disk"),
      (Json{{"cpu", "cpu.weight"}, {"memory", "memory.max"}, {"disk", "io.max"},
          {"network", nullptr}}));
  EXPECT_EQ(enforced_json("v1+disk").at("disk"), "blkio.throttle");
  EXPECT_TRUE(enforced_json("v1").at("disk").is_null());
  EXPECT_EQ(enforced_json("rlimit").at("memory"), "watched");
  for (const char* word : {"none", "", "sim", "v3+disk", "rlimit2+net"}) {
    const Json json = enforced_json(word);
    for (const Json& by : json) EXPECT_TRUE(by.is_null()) << word;
  }
}

}  // namespace
}  // namespace dunlin::node
