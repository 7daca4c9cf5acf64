// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sstream>
#include <string>
#include <vector>

#include "sim/command/run_command.h"
#include "sim/report/report.h"
#include "tests/support/docs/markdown.h"

// What a run prints, as its reader finds it in the manual.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// What stands at the left of each row, without the kinds of jobs before "completion".
std::vector<std::string> labels_of(const std::string& table) {
  constexpr std::size_t kColumns = 24;
  std::vector<std::string> labels;
  std::istringstream lines(table);
  bool below_head = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_note = line.starts_with("p50 to p99");
    std::string label = line.substr(0, kColumns);
    if (const auto kind = label.find(": "); kind != std::string::npos) label.erase(0, kind + 2);
    const auto first = label.find_first_not_of(' ');
    if (below_head && !is_note && first != std::string::npos) {
      labels.push_back(label.substr(first, label.find_last_not_of(' ') + 1 - first));
    }
    below_head = below_head || line.ends_with("  max");
  }
  return labels;
}

// Rows were called otherwise there.
TEST(ReportWords, AreThoseOfTheManual) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 10s, .warm_up = 2s, .drain = 10s};
  scenario.cluster.peers = 20;
  scenario.workload = {.load = 0.5, .tasks_per_job = 10, .task_time = 500ms, .first_job = 3s};
  Simulation run(scenario, nullptr);
  run.run();
  const auto labels = labels_of(table_of(run));
  EXPECT_THAT(labels,
      ::testing::IsSupersetOf(
          {"queueing delay", "over longest", "completion", "served by a machine", "messages"}));
  const std::string manual = test::page_text(DUNLIN_SOURCE_DIR "/docs/lab/manual.md");
  for (const std::string& label : labels) EXPECT_THAT(manual, HasSubstr(label));
}

// "1,000 peers" was said of 30.
TEST(ReportWords, ATitleSaysWhatWasSetOtherwise) {
  const std::string title = "Hello: 1,000 peers";
  EXPECT_EQ(title_with(title, {}), title);
  const std::vector<std::string> one = {"cluster.peers=30"};
  EXPECT_EQ(title_with(title, one), "Hello: 1,000 peers (but cluster.peers=30)");
  EXPECT_EQ(title_with("", one), "");
  const std::vector<std::string> many(9, "load=1");
  EXPECT_EQ(
      title_with(title, many), "Hello: 1,000 peers (but load=1, load=1, load=1, load=1, ...)");
}

}  // namespace
}  // namespace dunlin::sim
