// SPDX-License-Identifier: MIT
#include "web/agent/node_list.h"

#include <gtest/gtest.h>
#include <set>

namespace dunlin::web {
namespace {

using client::Json;

Json node(const std::string& name, const std::string& state, int free_cpu) {
  return {{"node", "id-" + name}, {"name", name}, {"state", state}, {"version", "1"},
      {"total", {{"cpu_milli", 4'000}, {"memory_mib", 1'000}}},
      {"free", {{"cpu_milli", free_cpu}, {"memory_mib", 250}}},
      {"slots", {{"all", 4}, {"busy", 1}, {"available", 3}}}, {"running", 1}, {"age_ns", free_cpu}};
}

Json three() {
  return {{"self", "id-a"}, {"not_joined", ""},
      {"nodes", {node("c", "up", 1'000), node("a", "up", 4'000), node("b", "down", 2'000)}}};
}

std::string names(const Json& page) {
  std::string text;
  for (const Json& each : page["nodes"]) text += each["name"].get<std::string>();
  return text;
}

TEST(NodeList, SortsFiltersAndAddsUp) {
  const Json page = *node_page(three(), {});
  EXPECT_EQ(names(page), "abc");
  EXPECT_EQ(page["total"], 3);
  EXPECT_TRUE(page["next"].is_null());
  EXPECT_EQ(page["totals"], (Json{{"up", 2}, {"down", 1}}));
  EXPECT_EQ(page["versions"], (Json{{"1", 3}}));
  EXPECT_EQ(page["capacity"]["cpu_milli"], 8'000);
  EXPECT_EQ(page["capacity"]["cpu_free_milli"], 5'000);
  EXPECT_EQ(page["capacity"]["slots"]["busy"], 2);
  EXPECT_EQ(page["self"], "id-a");
  EXPECT_EQ(names(*node_page(three(), {.sort = "-free_cpu"})), "abc");
  EXPECT_EQ(names(*node_page(three(), {.sort = "free_cpu"})), "cba");
  EXPECT_EQ(names(*node_page(three(), {.state = "up"})), "ac");
  EXPECT_EQ(names(*node_page(three(), {.name = "b"})), "b");
  EXPECT_FALSE(node_page(three(), {.sort = "colour"}));
  EXPECT_FALSE(node_page(three(), {.after = "nonsense"}));
}

TEST(NodeList, EachNodeIsOnOnePage) {
  Json many = {{"nodes", Json::array()}};
  for (int i = 0; i < 95; ++i) {
    many["nodes"].push_back(node("n." + std::to_string(i), i % 3 == 0 ? "down" : "up", i % 7));
  }
  for (const char* const sort : {"name", "-name", "state", "free_cpu", "-age", "running"}) {
    std::set<std::string> seen;
    NodeWish wish{.sort = sort, .limit = 10};
    for (int pages = 0; pages < 10; ++pages) {
      const Json page = *node_page(many, wish);
      for (const Json& each : page["nodes"]) {
        EXPECT_TRUE(seen.insert(each["name"]).second) << sort << " " << each["name"];
      }
      if (page["next"].is_null()) break;
      wish.after = page["next"];
    }
    EXPECT_EQ(seen.size(), 95u) << sort;
  }
}

TEST(NodeList, CellsBecomeAGridOfNodesThatAreUp) {
  const Json told = {{"total", 9}, {"ages_ns", {1, 2}},
      {"cells",
          {{{"memory", 15}, {"cpu", 0}, {"nodes", {{"up", 3}, {"draining", 1}}}},
              {{"memory", 15}, {"cpu", 19}, {"nodes", {{"sick", 5}}}}}}};
  const Json bins = node_bins(told);
  ASSERT_EQ(bins["grid"].size(), 20u);
  ASSERT_EQ(bins["grid"][0].size(), 20u);
  EXPECT_EQ(bins["grid"][15][0], 3);
  EXPECT_EQ(bins["grid"][15][19], 0) << "what lies there is of use to nobody";
  EXPECT_EQ(bins["total"], 9);
  EXPECT_EQ(bins["cells"].size(), 2u);
  EXPECT_EQ(bins["ages_ns"].size(), 2u);
}

// What an agent says is never trusted.
TEST(NodeList, BearsAnything) {
  const Json odd = {{"nodes", {1, nullptr, "x", {{"state", 7}, {"free", "much"}}, Json::array()}}};
  EXPECT_EQ((*node_page(odd, {}))["total"], 5);
  const Json cells = {{"cells",
      {1, nullptr, {{"memory", 20}, {"cpu", 0}, {"nodes", {{"up", 1}}}},
          {{"memory", -1}, {"cpu", "x"}, {"nodes", {{"up", -1}}}}, {{"nodes", 7}}}}};
  EXPECT_EQ(node_bins(cells)["grid"].size(), 20u);
  EXPECT_EQ(node_bins(cells)["grid"][0][0], 0);
  EXPECT_EQ(node_bins(Json::array())["grid"].size(), 20u);
}

}  // namespace
}  // namespace dunlin::web
