// SPDX-License-Identifier: MIT
#include "node/control/bins/node_bins.h"

#include <gtest/gtest.h>
#include <string>

namespace dunlin::node {
namespace {

/// A node of 4 CPUs and 1,000 MiB.
NodeFigures full_node(std::string_view state, std::uint32_t cpu_free, std::uint32_t memory_free) {
  return {.state = state,
      .version = "1",
      .cpu = 4000,
      .cpu_free = cpu_free,
      .memory = 1000,
      .memory_free = memory_free,
      .running = 2,
      .queued = 1,
      .slots = {.all = 4, .occupied = 0, .busy = 3, .down = 0},
      .age_ns = cpu_free,
      .tells = true};
}

TEST(NodeBins, CountNodesByWhatIsInUse) {
  NodeBins bins;
  bins.add(full_node("up", 4000, 1000));
  bins.add(full_node("up", 4000, 1000));
  bins.add(full_node("up", 1000, 250));
  bins.add(full_node("draining", 1000, 250));
  bins.add(full_node("up", 0, 0));
  const Json told = bins.json();
  EXPECT_EQ(told["total"], 5);
  EXPECT_EQ(told["totals"], (Json{{"draining", 1}, {"up", 4}}));
  ASSERT_EQ(told["cells"].size(), 3u);
  EXPECT_EQ(told["cells"][0], (Json{{"memory", 0}, {"cpu", 0}, {"nodes", {{"up", 2}}}}));
  EXPECT_EQ(told["cells"][1],
      (Json{{"memory", 15}, {"cpu", 15}, {"nodes", {{"draining", 1}, {"up", 1}}}}));
  EXPECT_EQ(told["cells"][2]["cpu"], 19) << "the last step has its end";
  EXPECT_EQ(told["steps"], 20);
  ASSERT_EQ(told["ages_ns"].size(), 21u);
  EXPECT_EQ(told["ages_ns"][0], 0);
  EXPECT_EQ(told["ages_ns"][20], 4000);
}

TEST(NodeBins, CapacityIsOfNodesThatAreUp) {
  NodeBins bins;
  bins.add(full_node("up", 1000, 250));
  bins.add(full_node("up", 3000, 500));
  bins.add(full_node("sick", 4000, 1000));
  const Json capacity = bins.json()["capacity"];
  EXPECT_EQ(capacity["cpu_milli"], 8000);
  EXPECT_EQ(capacity["cpu_free_milli"], 4000);
  EXPECT_EQ(capacity["memory_mib"], 2000);
  EXPECT_EQ(capacity["memory_free_mib"], 750);
  EXPECT_EQ(capacity["running"], 4);
  EXPECT_EQ(capacity["queued"], 2);
  EXPECT_EQ(capacity["slots"]["all"], 8);
  EXPECT_EQ(capacity["slots"]["available"], 2);
}

TEST(NodeBins, ASilentNodeHasNoPlace) {
  NodeBins bins;
  NodeFigures silent = full_node("down", 4000, 1000);
  silent.tells = false;
  bins.add(silent);
  const Json told = bins.json();
  EXPECT_EQ(told["totals"], (Json{{"down", 1}}));
  EXPECT_TRUE(told["cells"].empty());
  EXPECT_EQ(told["capacity"]["cpu_milli"], 0);
  EXPECT_TRUE(NodeBins().json()["ages_ns"].empty());
}

// Nodes tell sizes and versions: a node that has told none is empty, and one that tells more free
// than it has, too.
TEST(NodeBins, BearAnythingAndStayBounded) {
  NodeBins bins;
  NodeFigures odd = full_node("up", UINT32_MAX, UINT32_MAX);
  bins.add(odd);
  odd.cpu = odd.memory = 0;
  odd.version = "";
  bins.add(odd);
  odd = full_node("up", 1, 1);
  odd.cpu = odd.memory = UINT32_MAX;
  bins.add(odd);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::string version = "v" + std::to_string(i);
    NodeFigures each = full_node("up", i % 4001, i % 1001);
    each.version = version;
    bins.add(each);
  }
  const Json told = bins.json();
  EXPECT_EQ(told["cells"][0]["memory"], 0);
  EXPECT_EQ(told["cells"][0]["cpu"], 0);
  EXPECT_LE(told["cells"].size(), 400u);
  EXPECT_EQ(told["versions"].size(), NodeBins::kVersionsMax + 1);
  EXPECT_EQ(told["versions"]["others"], 5000 - 31) << "31 besides version 1";
  EXPECT_LT(told.dump().size(), 30'000u);
}

}  // namespace
}  // namespace dunlin::node
