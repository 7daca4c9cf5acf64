// SPDX-License-Identifier: MIT
#include "web/metrics/metrics_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>

#include "tests/support/docs/markdown.h"
#include "web/metrics/metric_table.h"

namespace dunlin::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsText, IsWhatPrometheusReads) {
  const std::string text = metrics_text(R"({"version":"1.2","state":"up","running":3,
    "uptime_ns":2500000000,"total":{"cpu_milli":2500,"memory_mib":2},"store_error":null,
    "slots":{"busy":2},"node_states":{"up":4,"down":1},"longest_wait_ns":90000000000,
    "cells":{"leased":true,"managed":2,"voters":3,"broken":0},
    "disk":{"size_bytes":100,"free_bytes":60,"needed_bytes":50},
    "counters":{"event_joined":4,"datagrams_sent":7,"dropped_replay":1,"commits":9,
    "commits_failed":2,"later_counter":5,"Odd name":1,"wrong":"text"}})");
  for (const char* const line :
      {"dunlin_build_info{version=\"1.2\"} 1\n", "dunlin_tasks_running 3\n",
          "dunlin_uptime_seconds 2.5\n", "dunlin_cpu_cores{kind=\"offered\"} 2.5\n",
          "dunlin_memory_bytes{kind=\"offered\"} 2097152\n", "dunlin_slots{state=\"busy\"} 2\n",
          "dunlin_node_state{state=\"up\"} 1\n", "dunlin_node_state{state=\"sick\"} 0\n",
          "dunlin_nodes{state=\"down\"} 1\n", "dunlin_job_wait_seconds 90\n",
          "dunlin_cell_leased 1\n", "dunlin_cells_managed 2\n", "dunlin_cells_broken 0\n",
          "dunlin_cell_voters 3\n", "dunlin_disk_bytes{kind=\"free\"} 60\n",
          "dunlin_disk_bytes{kind=\"needed\"} 50\n", "dunlin_store_ok 1\n",
          "dunlin_events_total{event=\"joined\"} 4\n",
          "dunlin_datagrams_total{direction=\"sent\"} 7\n",
          "dunlin_dropped_total{reason=\"replay\"} 1\n", "dunlin_commits_total 9\n",
          "dunlin_commits_failed_total 2\n", "# TYPE dunlin_events_total counter\n",
          "# TYPE dunlin_disk_bytes gauge\n",
          "# HELP dunlin_later_counter_total The counter later_counter of the agent\n"
          "# TYPE dunlin_later_counter_total counter\ndunlin_later_counter_total 5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("Odd")));
  EXPECT_THAT(text, Not(HasSubstr("wrong")));
  EXPECT_THAT(metrics_text(R"({"store_error":"disk full"})"), HasSubstr("dunlin_store_ok 0\n"));
}

// An agent of an earlier build has no room on its disk to tell of: a 0 would raise an alarm.
TEST(MetricsText, WhatIsNotToldIsMissing) {
  EXPECT_THAT(metrics_text("nonsense"), Not(HasSubstr("dunlin_tasks_running")));
  const std::string text = metrics_text(R"({"disk":null,"cells":null,"counters":7})");
  EXPECT_THAT(text, Not(HasSubstr("dunlin_disk_bytes")));
  EXPECT_THAT(text, Not(HasSubstr("dunlin_cell_leased")));
  const std::string alone = metrics_text(R"({"cells":{"leased":false,"voters":null}})");
  EXPECT_THAT(alone, HasSubstr("dunlin_cell_leased 0\n"));
  EXPECT_THAT(alone, Not(HasSubstr("dunlin_cell_voters")));
}

TEST(MetricTable, EachReadingIsOfAMetricAndBack) {
  std::map<std::string, std::size_t> readings;
  for (const Reading& each : all_readings()) {
    ++readings[std::string(each.name)];
    const auto metric = std::ranges::find(all_metrics(), each.name, &Metric::name);
    ASSERT_NE(metric, all_metrics().end()) << each.name;
    EXPECT_EQ(metric->origin, Origin::reading) << each.name;
    EXPECT_EQ(metric->label.empty(), each.value.empty()) << each.name;
  }
  for (const Metric& each : all_metrics()) {
    EXPECT_EQ(readings.contains(std::string(each.name)), each.origin == Origin::reading)
        << each.name;
    EXPECT_EQ(is_counter(each), each.name.ends_with("_total")) << each.name;
    EXPECT_EQ(is_counter(each), !each.from.empty()) << each.name;
    EXPECT_FALSE(each.help.empty() || each.help.ends_with('.')) << each.name;
  }
}

TEST(MetricTable, IsAsTheGuideSays) {
  const test::MarkdownTable table = test::table_under(
      test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/web.md"), "Metrics", "metric");
  using Row = std::pair<std::string, std::string>;  // Its type and its label.
  std::map<std::string, Row> told;
  for (const auto& row : table.rows) {
    const auto labels = test::quoted_words(row.at(2));
    told[test::quoted_words(row.at(0)).at(0)] = {row.at(1), labels.empty() ? "" : labels[0]};
  }
  std::map<std::string, Row> known;
  for (const Metric& each : all_metrics()) {
    known[std::string(each.name)] = {
        is_counter(each) ? "counter" : "gauge", std::string(each.label)};
  }
  EXPECT_EQ(told, known);
}

}  // namespace
}  // namespace dunlin::web
