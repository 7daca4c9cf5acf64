// SPDX-License-Identifier: MIT
#include "web/metrics/alert_rules.h"

#include <algorithm>
#include <cctype>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/docs/markdown.h"
#include "web/metrics/metric_table.h"

// What the rules name must be there: a rule about a series that nobody tells never fires, and
// nobody finds out.
namespace dunlin::web {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string operators_guide() {
  return test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/operators.md");
}

/// A heading as addresses have it: "Drain, stop, upgrade" is "drain-stop-upgrade".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-') anchor += static_cast<char>(std::tolower(byte));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

/// The counters that the guide lists, by which a test of node/ holds those that there are.
std::set<std::string> counters_of_guide() {
  std::set<std::string> counters;
  for (const test::MarkdownTable& table : test::tables_of(operators_guide())) {
    if (table.head.front() != "counter") continue;
    for (const auto& row : table.rows) {
      for (const std::string& name : test::quoted_words(row.front())) counters.insert(name);
    }
  }
  return counters;
}

/// The values that a selector `label="a"` or `label=~"a|b"` names.
std::vector<std::string> alternatives(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '|');) all.push_back(part);
  return all;
}

/// True if that metric has a series with the label's value.
bool is_told(const Metric& metric, const std::string& value) {
  if (metric.origin == Origin::state) {
    return value == "up" || value == "draining" || value == "sick" || value == "stopping";
  }
  if (metric.origin == Origin::family) {
    return counters_of_guide().contains(std::string(metric.from) + value);
  }
  return std::ranges::any_of(all_readings(),
      [&](const Reading& each) { return each.name == metric.name && each.value == value; });
}

TEST(AlertRules, NameSeriesThatAreTold) {
  static const std::regex selector(R"re((dunlin_[a-z_]+)(?:\{([a-z]+)=~?"([^"]*)"\})?)re");
  for (const AlertRule& rule : all_alert_rules()) {
    const std::string expr(rule.expr);
    for (std::sregex_iterator at(expr.begin(), expr.end(), selector), end; at != end; ++at) {
      const auto metric = std::ranges::find(all_metrics(), (*at)[1].str(), &Metric::name);
      ASSERT_NE(metric, all_metrics().end()) << rule.name << ": " << (*at)[1];
      if (!(*at)[2].matched) continue;
      EXPECT_EQ((*at)[2].str(), metric->label) << rule.name;
      for (const std::string& value : alternatives((*at)[3])) {
        EXPECT_TRUE(is_told(*metric, value)) << rule.name << ": " << value;
      }
    }
    const bool any = expr.find("dunlin_") != expr.npos || expr.starts_with("up{job=\"dunlin\"}");
    EXPECT_TRUE(any) << rule.name;
  }
}

TEST(AlertRules, NameASectionOfTheGuide) {
  std::set<std::string> anchors;
  std::istringstream lines(operators_guide());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ") || line.starts_with("### ")) {
      anchors.insert(anchor_of(line.substr(line.find(' ') + 1)));
    }
  }
  for (const AlertRule& rule : all_alert_rules()) {
    EXPECT_THAT(anchors, Contains(std::string(rule.section))) << rule.name;
  }
}

TEST(AlertRules, AreAsTheGuideSays) {
  const test::MarkdownTable table = test::table_under(operators_guide(), "Alarms", "alarm");
  using Row = std::pair<std::string, std::string>;  // Severity, and after how long.
  std::map<std::string, Row> told;
  for (const auto& row : table.rows) {
    told[test::quoted_words(row.at(0)).at(0)] = {row.at(1), row.at(2)};
  }
  std::map<std::string, Row> known;
  for (const AlertRule& each : all_alert_rules()) {
    known[std::string(each.name)] = {
        std::string(each.severity), each.after == "0s" ? "at once" : std::string(each.after)};
  }
  EXPECT_EQ(told, known);
  EXPECT_EQ(known.size(), all_alert_rules().size()) << "two of one name";
}

TEST(AlertRules, SayWhatToDo) {
  for (const AlertRule& rule : all_alert_rules()) {
    EXPECT_THAT(rule.name, ::testing::StartsWith("Dunlin"));
    EXPECT_THAT(
        (std::set<std::string_view>{"critical", "warning", "info"}), Contains(rule.severity))
        << rule.name;
    EXPECT_TRUE(rule.cure.ends_with('.')) << rule.name;
    EXPECT_FALSE(rule.summary.empty() || rule.summary.ends_with('.')) << rule.name;
    EXPECT_EQ(rule.summary.find('\n'), rule.summary.npos) << rule.name;
  }
}

TEST(AlertRules, AreYamlWithEveryTextQuoted) {
  const std::string text = alert_rules_text();
  EXPECT_THAT(text, HasSubstr("groups:\n  - name: dunlin\n    rules:\n      - alert: '"));
  EXPECT_THAT(text,
      HasSubstr("      - alert: 'DunlinNodeSick'\n"
                "        expr: 'dunlin_node_state{state=\"sick\"} == 1'\n"
                "        for: '1m'\n"
                "        labels:\n"
                "          severity: 'warning'\n"
                "        annotations:\n"
                "          summary: '{{ $labels.instance }} is sick"));
  EXPECT_THAT(text, HasSubstr("          page: 'docs/guide/operators.md#sick-nodes'\n"));
  EXPECT_THAT(text, HasSubstr("The gateway''s /readyz"));
  // Every line holds quotes in pairs, so nothing goes on in the next one.
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    EXPECT_EQ(std::ranges::count(line, '\'') % 2, 0) << line;
  }
}

}  // namespace
}  // namespace dunlin::web
