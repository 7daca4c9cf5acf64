// SPDX-License-Identifier: MIT
#include "web/metrics/board.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "node/client/json.h"

namespace dunlin::web {
namespace {

using client::Json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Metric& metric_named(std::string_view name) {
  const auto found = std::ranges::find(all_metrics(), name, &Metric::name);
  EXPECT_NE(found, all_metrics().end()) << name;
  return *found;
}

TEST(Board, SumsOrPicksAFewNodes) {
  const auto query = [](std::string_view name) { return board_query(metric_named(name)); };
  EXPECT_EQ(query("dunlin_tasks_running"), R"(sum(dunlin_tasks_running{instance=~"$instance"}))");
  EXPECT_EQ(query("dunlin_slots"), R"(sum by (state) (dunlin_slots{instance=~"$instance"}))");
  EXPECT_EQ(query("dunlin_uptime_seconds"),
      R"(bottomk(10, dunlin_uptime_seconds{instance=~"$instance"}))");
  EXPECT_EQ(query("dunlin_nodes"), R"(max by (state) (dunlin_nodes{instance=~"$instance"}))");
  EXPECT_EQ(query("dunlin_commits_total"),
      R"(sum(rate(dunlin_commits_total{instance=~"$instance"}[$__rate_interval])))");
  EXPECT_EQ(query("dunlin_events_total"),
      R"(sum by (event) (rate(dunlin_events_total{instance=~"$instance"}[$__rate_interval])))");
  EXPECT_EQ(board_legend(metric_named("dunlin_slots")), "{{state}}");
  EXPECT_EQ(board_legend(metric_named("dunlin_uptime_seconds")), "{{instance}}");
  EXPECT_EQ(board_legend(metric_named("dunlin_tasks_running")), "Tasks running");
}

TEST(Board, HasAPanelForEachMetricAndOneForAlarms) {
  const Json board = Json::parse(board_text());
  EXPECT_EQ(board["title"], "Dunlin");
  std::map<std::string, int> asked;
  for (const Json& panel : board["panels"]) {
    if (panel["type"] == "row") continue;
    ASSERT_EQ(panel["targets"].size(), 1u) << panel;
    EXPECT_FALSE(panel["description"].get<std::string>().empty()) << panel;
    ++asked[panel["targets"][0]["expr"]];
  }
  EXPECT_EQ(asked.size(), all_metrics().size() + 1);
  for (const Metric& metric : all_metrics()) {
    EXPECT_EQ(asked[board_query(metric)], 1) << metric.name;
  }
  for (const auto& [query, times] : asked) {
    EXPECT_THAT(query, ::testing::AnyOf(HasSubstr("dunlin_"), StartsWith("ALERTS{"))) << query;
  }
}

// Grafana takes panels that lie upon each other, and shows one of them.
TEST(Board, PanelsHavePlacesOfTheirOwn) {
  const Json board = Json::parse(board_text());
  std::set<std::pair<int, int>> taken;
  std::set<int> ids;
  for (const Json& panel : board["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second) << panel["id"];
    const Json& at = panel["gridPos"];
    ASSERT_LE(at["x"].get<int>() + at["w"].get<int>(), 24) << panel["title"];
    for (int x = at["x"]; x < at["x"].get<int>() + at["w"].get<int>(); ++x) {
      for (int y = at["y"]; y < at["y"].get<int>() + at["h"].get<int>(); ++y) {
        EXPECT_TRUE(taken.emplace(x, y).second) << panel["title"] << " at " << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace dunlin::web
