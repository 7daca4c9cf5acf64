// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_view.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "config/text.h"
#include "tools/dunlin/screen/table.h"

// A launch on a terminal is a table that is painted over, since forty hosts take a while and people
// want to see which one is slow. In a log it is a line for each host that is done. Troubles are
// told whole at the end, each with its cure.
namespace dunlin::cli {
namespace {

/// A screen of 24 lines holds them, and what was there before.
constexpr std::size_t kRowsShown = 16;

/// Hosts in that phase.
std::size_t count_phase(const std::vector<HostLaunch>& hosts, HostPhase phase) {
  return static_cast<std::size_t>(
      std::ranges::count_if(hosts, [&](const HostLaunch& host) { return host.phase() == phase; }));
}

/// One word for people. "failed" hides what is known of the agent: the problem says more.
std::string state_of(const HostLaunch& host) {
  if (host.phase() == HostPhase::failed) return "failed";
  return host.report().agent.empty() ? "unknown" : host.report().agent;
}

Colour colour_of_host(std::string_view state) {
  if (state == "up") return Colour::green;
  return state == "failed" || state == "mute" ? Colour::red : Colour::yellow;
}

}  // namespace

std::string host_line(const HostLaunch& host) {
  const HostReport& report = host.report();
  const std::string name = host.host().text();
  if (host.phase() == HostPhase::failed) return name + ": FAILED: " + report.problem;
  std::string line = name + ": " + state_of(host);
  if (!report.did.empty()) line += ", " + report.did;
  if (!report.address.empty() && report.agent == "up") line += ", at " + report.address;
  return line;
}

std::string hosts_summary(const std::vector<HostLaunch>& hosts) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  // Good ones first; states that no host is in are left out.
  for (const char* const state : {"up", "down", "none", "mute", "removed", "failed"}) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count_if(hosts, [&](const HostLaunch& host) {
          const bool over = host.phase() == HostPhase::done || host.phase() == HostPhase::failed;
          return over && state_of(host) == state;
        }));
    if (count != 0) counts.emplace_back(state, count);
  }
  std::string text;
  for (const auto& [state, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  }
  return text.empty() ? "none done" : text;
}

std::string progress_text(
    const std::vector<HostLaunch>& hosts, const Terminal& terminal, std::size_t rows) {
  // Each line is cut to the width: one that wraps would spoil the count of lines to paint over.
  const std::size_t columns = terminal.columns == 0 ? 80 : terminal.columns;
  std::string text;
  std::size_t shown = 0;
  for (const HostLaunch& host : hosts) {
    // Hosts that wait or are done are only counted: of forty there are few at work at once.
    if (host.phase() != HostPhase::at_work || shown + 1 >= rows) continue;
    ++shown;
    text += config::shortened(
                host.host().text() + "  " + std::string(word_of(host.step())), columns - 1) +
        "\n";
  }
  const std::size_t waiting =
      count_phase(hosts, HostPhase::waiting) + count_phase(hosts, HostPhase::seedless);
  const std::string last = hosts_summary(hosts) + "; " +
      std::to_string(count_phase(hosts, HostPhase::at_work)) + " at work, " +
      std::to_string(waiting) + " wait";
  return text + config::shortened(last, columns - 1) + "\n";
}

std::string hosts_table(const std::vector<HostLaunch>& hosts, const Terminal& terminal) {
  Table table({{"HOST"}, {"AGENT"}, {"ADDRESS"}, {"TASKS", Align::right}, {"VERSION"}, {"REMARK"}});
  std::string problems;
  for (const HostLaunch& host : hosts) {
    const HostReport& report = host.report();
    const std::string state = state_of(host);
    const auto or_dash = [](const std::string& text) -> std::string {
      return text.empty() ? "-" : text;
    };
    // What went wrong is told whole below: a cure that is cut is no help.
    table.add({host.host().text(), {state, colour_of_host(state)}, or_dash(report.address),
        or_dash(report.tasks), or_dash(report.version), report.did});
    if (!report.problem.empty()) {
      problems +=
          config::wrapped(host.host().text() + ": " + report.problem, terminal.columns, 2) + "\n";
    }
  }
  return table.render(terminal) + (problems.empty() ? "" : "\n") + problems;
}

Json hosts_json(const std::vector<HostLaunch>& hosts) {
  Json list = Json::array();
  for (const HostLaunch& host : hosts) {
    const HostReport& report = host.report();
    list.push_back({{"host", host.host().text()}, {"agent", state_of(host)}, {"did", report.did},
        {"problem", report.problem}, {"directory", report.directory}, {"address", report.address},
        {"name", report.name}, {"version", report.version}, {"programs", report.programs},
        {"tasks", report.tasks}});
  }
  return list;
}

LaunchView::LaunchView(const Terminal& terminal, bool quiet) : terminal_(terminal), quiet_(quiet) {}

void LaunchView::clear() {
  // Up over our own lines, and erased from there: what stood above stays.
  if (painted_ != 0) std::fprintf(stderr, "\x1b[%zuA\x1b[J", painted_);
  painted_ = 0;
  last_.clear();
}

void LaunchView::show(const std::vector<HostLaunch>& hosts) {
  if (quiet_ || !terminal_.interactive) return;
  const std::string text = progress_text(hosts, terminal_, kRowsShown);
  // The driver calls ten times a second, or more: a terminal on a slow line is painted when needed.
  if (text == last_) return;
  clear();
  std::fputs(text.c_str(), stderr);
  painted_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  last_ = text;
}

// On a terminal the table has it, and the painting would go over this line.
void LaunchView::done(const HostLaunch& host) {
  if (quiet_ || terminal_.interactive) return;
  std::fprintf(stderr, "%s\n", host_line(host).c_str());
}

}  // namespace dunlin::cli
