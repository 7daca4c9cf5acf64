// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/node/program.h"
#include "tests/web/gateway_world.h"
#include "web/metrics/alert_rules.h"
#include "web/metrics/board.h"

// What is told for Prometheus, judged by Prometheus itself: its own checker, and a server of it
// that scrapes a gateway. Debian's package `prometheus` has both.
namespace dunlin::web {
namespace {

using node::Json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Where a program of that name is; empty if it is not installed.
std::string program_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string file = std::string(folder) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

/// The exit status of a command line, and all that it said.
std::pair<int, std::string> run_shell(const std::string& line) {
  std::FILE* const out = ::popen((line + " 2>&1").c_str(), "re");
  if (out == nullptr) return {-1, "popen failed"};
  std::string said;
  std::array<char, 4'096> bytes{};
  for (std::size_t size = 1; size > 0;) {
    size = std::fread(bytes.data(), 1, bytes.size(), out);
    said.append(bytes.data(), size);
  }
  return {::pclose(out), said};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

/// A Prometheus in a process of its own, which scrapes one address each second.
class TestPrometheus {
 public:
  TestPrometheus(const std::string& program, const std::string& folder, std::uint16_t target)
      : port_(node::free_port()) {
    write_text(folder + "/alerts.yml", alert_rules_text());
    write_text(folder + "/prometheus.yml",
        "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
        "rule_files: [alerts.yml]\n"
        "scrape_configs:\n"
        "  - job_name: dunlin\n"
        "    static_configs: [{targets: ['127.0.0.1:" +
            std::to_string(target) + "']}]\n");
    const std::vector<std::string> words = {program, "--config.file=" + folder + "/prometheus.yml",
        "--storage.tsdb.path=" + folder + "/data", "--log.level=warn",
        "--web.listen-address=127.0.0.1:" + std::to_string(port_)};
    const std::string log = folder + "/prometheus.log";
    pid_ = ::fork();
    if (pid_ != 0) return;
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    argv.push_back(nullptr);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execv(argv[0], const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  ~TestPrometheus() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  TestPrometheus(const TestPrometheus&) = delete;
  TestPrometheus& operator=(const TestPrometheus&) = delete;

  /// The series that an expression yields now; it stands in an address as it is.
  Json ask(const std::string& expression) const {
    HttpClient client(port_);
    client.send(request_text("GET", "/api/v1/query?query=" + expression, "Connection: close\r\n"));
    const Json answer = client.answer().json();
    if (!answer.is_object() || !answer.contains("data")) return Json::array();
    return answer["data"]["result"];
  }

 private:
  std::uint16_t port_;
  pid_t pid_ = -1;
};

/// What to tell promtool of, to see that an alarm is raised.
struct Alarm {
  std::string name;
  /// Series and their values, as promtool has them: "0+1x100" grows by 1 each minute.
  std::vector<std::pair<std::string, std::string>> series;
  int minutes = 90;  ///< When it must be raised.
};

std::string info(const std::string& instance, const std::string& version) {
  return "dunlin_build_info{instance=\"" + instance + "\",version=\"" + version + "\"}";
}

std::vector<Alarm> all_alarms() {
  const std::string still = "1x100";
  const std::string grows = "0+1x100";
  const auto grown = [&grows](const std::string& name, const std::string& series) {
    return Alarm{name, {{series, grows}}};
  };
  std::string restarts;
  for (int i = 0; i < 30; ++i) restarts += "0 60 120 ";
  return {
      {"DunlinUnreachable", {{"up{job=\"dunlin\",instance=\"a\"}", "0x100"}}},
      {"DunlinNodeDown", {{"dunlin_nodes{instance=\"a\",state=\"down\"}", still}}},
      {"DunlinNodeAlone",
          {{"dunlin_nodes{instance=\"a\",state=\"up\"}", still}, {info("a", "1"), still},
              {info("b", "1"), still}}},
      {"DunlinNodeSick", {{"dunlin_node_state{instance=\"a\",state=\"sick\"}", still}}},
      {"DunlinDrainForgotten", {{"dunlin_node_state{instance=\"a\",state=\"draining\"}", "1x1500"}},
          1450},
      {"DunlinRestarts", {{"dunlin_uptime_seconds{instance=\"a\"}", restarts}}},
      {"DunlinVersionsDiffer", {{info("a", "1"), still}, {info("b", "2"), still}}},
      grown("DunlinOtherWireVersion",
          "dunlin_dropped_total{instance=\"a\",reason=\"other_version\"}"),
      {"DunlinStoreFailing", {{"dunlin_store_ok{instance=\"a\"}", "0x100"}}},
      grown("DunlinCommitsFailed", "dunlin_commits_failed_total{instance=\"a\"}"),
      {"DunlinRowsDamaged", {{"dunlin_rows_damaged_total{instance=\"a\"}", still}}},
      {"DunlinDiskNearFull",
          {{"dunlin_disk_bytes{instance=\"a\",kind=\"free\"}", "12x100"},
              {"dunlin_disk_bytes{instance=\"a\",kind=\"needed\"}", "10x100"}}},
      {"DunlinJobWaits", {{"dunlin_job_wait_seconds{instance=\"a\"}", "0+60x100"}}},
      {"DunlinTasksLost",
          {{"dunlin_events_total{instance=\"a\",event=\"task_lost\"}", grows},
              {"dunlin_nodes{instance=\"a\",state=\"down\"}", "0x100"}}},
      {"DunlinCellWithoutManager", {{"dunlin_cell_leased{instance=\"a\"}", "1x9 0x90"}}},
      grown("DunlinGrantsLapsed", "dunlin_events_total{instance=\"a\",event=\"grants_lapsed\"}"),
      {"DunlinFewVoters",
          {{"dunlin_cell_voters{instance=\"a\"}", "2x100"}, {info("a", "1"), still},
              {info("b", "1"), still}, {info("c", "1"), still}}},
      {"DunlinBooksBroken", {{"dunlin_cells_broken{instance=\"a\"}", still}}},
      grown("DunlinCellStrangers", "dunlin_cell_total{instance=\"a\",what=\"strangers\"}"),
      grown("DunlinLogOrphaned", "dunlin_events_total{instance=\"a\",event=\"log_orphaned\"}"),
      grown("DunlinClockDiffers", "dunlin_dropped_total{instance=\"a\",reason=\"clock\"}"),
      grown("DunlinWrongKey", "dunlin_dropped_total{instance=\"a\",reason=\"key\"}"),
      grown("DunlinRequestsFailed", "dunlin_requests_failed_total{instance=\"a\"}"),
  };
}

/// A cluster of three nodes in which all is well, though much goes on.
Alarm nothing() {
  Alarm calm;
  for (const std::string name : {"a", "b", "c"}) {
    const std::string of = "{instance=\"" + name + "\"";
    calm.series.insert(calm.series.end(),
        {{"up" + of + ",job=\"dunlin\"}", "1x100"}, {info(name, "1"), "1x100"},
            {"dunlin_nodes" + of + ",state=\"up\"}", "3x100"},
            {"dunlin_nodes" + of + ",state=\"down\"}", "0x100"},
            {"dunlin_node_state" + of + ",state=\"up\"}", "1x100"},
            {"dunlin_node_state" + of + ",state=\"sick\"}", "0x100"},
            {"dunlin_node_state" + of + ",state=\"draining\"}", "0x100"},
            {"dunlin_uptime_seconds" + of + "}", "0+60x100"},
            {"dunlin_store_ok" + of + "}", "1x100"},
            {"dunlin_rows_damaged_total" + of + "}", "0x100"},
            {"dunlin_commits_failed_total" + of + "}", "7x100"},
            {"dunlin_disk_bytes" + of + ",kind=\"free\"}", "16x100"},
            {"dunlin_disk_bytes" + of + ",kind=\"needed\"}", "10x100"},
            {"dunlin_job_wait_seconds" + of + "}", "40x100"},
            {"dunlin_cell_leased" + of + "}", "1x100"}, {"dunlin_cell_voters" + of + "}", "3x100"},
            {"dunlin_dropped_total" + of + ",reason=\"replayed\"}", "0+5x100"},
            {"dunlin_events_total" + of + ",event=\"task_ended\"}", "0+900x100"}});
  }
  return calm;
}

/// A test of rules as promtool reads it: which alarms are raised, and no other one.
std::string rule_test(const Alarm& alarm) {
  std::string text = "  - interval: 1m\n    input_series:\n";
  for (const auto& [series, values] : alarm.series) {
    text += "      - {series: '" + series + "', values: '" + values + "'}\n";
  }
  const std::string raised =
      alarm.name.empty() ? "[]" : "[{labels: '{alertname=\"" + alarm.name + "\"}', value: 1}]";
  return text +
      "    promql_expr_test:\n"
      "      - {expr: 'count by (alertname) (ALERTS{alertstate=\"firing\"})', eval_time: " +
      std::to_string(alarm.minutes) + "m, exp_samples: " + raised + "}\n";
}

/// A query of the board with what Grafana puts in place of its variables.
std::string with_values(std::string query) {
  for (const auto& [from, to] :
      {std::pair<std::string, std::string>{"$instance", ".*"}, {"$__rate_interval", "5m"}}) {
    for (auto at = query.find(from); at != query.npos; at = query.find(from)) {
      query.replace(at, from.size(), to);
    }
  }
  return query;
}

class Prometheus : public node::AgentWorld {
 protected:
  void SetUp() override {
    promtool = program_in_path("promtool");
    prometheus = program_in_path("prometheus");
    if (promtool.empty() || prometheus.empty()) {
      GTEST_SKIP() << "NOT TESTED: there is no Prometheus here (tools/install-packages web)";
    }
  }
  /// Runs `promtool WORDS` in the folder of this test.
  std::pair<int, std::string> check(const std::string& words) const {
    return run_shell("cd " + home + " && " + promtool + " " + words);
  }

  std::string promtool;
  std::string prometheus;
};

TEST_F(Prometheus, TakesTheRulesAsTheCommandPrintsThem) {
  const node::ProgramRun printed = node::run_dunlin("/no/agent", {"metrics", "--alerts"});
  ASSERT_EQ(printed.status, 0) << printed.err;
  write_text(home + "/alerts.yml", printed.out);
  const auto [status, said] = check("check rules alerts.yml");
  EXPECT_EQ(status, 0) << said;
  EXPECT_THAT(said, HasSubstr(std::to_string(all_alert_rules().size()) + " rules found"));
}

TEST_F(Prometheus, RaisesEachAlarmAndNoneWhereAllIsWell) {
  write_text(home + "/alerts.yml", alert_rules_text());
  std::string tests = "rule_files: [alerts.yml]\nevaluation_interval: 1m\ntests:\n";
  std::vector<std::string> names;
  for (const Alarm& alarm : all_alarms()) {
    tests += rule_test(alarm);
    names.push_back(alarm.name);
  }
  tests += rule_test(nothing());
  write_text(home + "/tests.yml", tests);
  const auto [status, said] = check("test rules tests.yml");
  EXPECT_EQ(status, 0) << said;
  for (const AlertRule& rule : all_alert_rules()) {
    EXPECT_THAT(names, ::testing::Contains(std::string(rule.name))) << "is not tried";
  }
}

TEST_F(Prometheus, UnderstandsEachQueryOfTheBoard) {
  const node::ProgramRun printed = node::run_dunlin("/no/agent", {"metrics", "--grafana"});
  ASSERT_EQ(printed.status, 0) << printed.err;
  const Json board = Json::parse(printed.out, nullptr, false);
  ASSERT_TRUE(board.is_object());
  std::string rules = "groups:\n  - name: board\n    rules:\n";
  std::size_t count = 0;
  for (const Json& panel : board["panels"]) {
    for (const Json& target : panel.value("targets", Json::array())) {
      rules += "      - {record: 'board:" + std::to_string(count++) + "', expr: '" +
          with_values(target["expr"]) + "'}\n";
    }
  }
  write_text(home + "/board.yml", rules);
  const auto [status, said] = check("check rules board.yml");
  EXPECT_EQ(status, 0) << said;
  EXPECT_EQ(count, all_metrics().size() + 1);
}

TEST_F(Prometheus, FindsNoFaultWithWhatAnAgentTells) {
  node::TestAgent& agent = add("a");
  wait_for_nodes(agent, 1);
  const node::ProgramRun told = node::run_dunlin(agent.socket(), {"metrics"});
  ASSERT_EQ(told.status, 0) << told.err;
  write_text(home + "/metrics.txt", told.out);
  const auto [status, said] = check("check metrics < metrics.txt");
  EXPECT_EQ(status, 0) << said;
  EXPECT_EQ(said, "") << "it has advice";
  EXPECT_THAT(told.out, Not(HasSubstr(" The counter "))) << "a counter has no line in the table";
}

TEST_F(Prometheus, ScrapesAGatewayBeforeAnAgent) {
  node::TestAgent& agent = add("a");
  wait_for_nodes(agent, 1);
  const TestGateway gateway(agent, home + "/web", {"--metrics"});
  const std::string folder = home + "/prometheus";
  std::filesystem::create_directories(folder);
  const TestPrometheus server(prometheus, folder, gateway.port());
  ASSERT_TRUE(eventually([&] {
    const Json up = server.ask("dunlin_node_state%7Bstate%3D%22up%22%7D");
    return up.size() == 1 && up[0]["value"][1] == "1";
  }));
  EXPECT_EQ(server.ask("up%7Bjob%3D%22dunlin%22%7D")[0]["value"][1], "1");
  EXPECT_EQ(server.ask("dunlin_nodes%7Bstate%3D%22up%22%7D")[0]["value"][1], "1");
  EXPECT_EQ(server.ask("dunlin_disk_bytes").size(), 3u);
  EXPECT_TRUE(server.ask("ALERTS%7Balertstate%3D%22firing%22%7D").empty());
  // An agent that is gone is a scrape that fails.
  agent.kill9();
  EXPECT_TRUE(eventually([&] {
    const Json up = server.ask("up%7Bjob%3D%22dunlin%22%7D");
    return up.size() == 1 && up[0]["value"][1] == "0";
  }));
}

}  // namespace
}  // namespace dunlin::web
