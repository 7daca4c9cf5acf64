// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/report.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "config/text.h"
#include "node/control/json.h"
#include "sched/resources.h"
#include "tools/dunlin/screen/text.h"

// Words for what agents tell. Members that are missing or of another type read as nothing: an agent
// may be older or younger than this program, and a list must not fail for one odd line.
namespace dunlin::cli {

sched::Resources resources_of(const Json& json) {
  sched::Resources resources{.cpu = value<std::uint32_t>(json, "cpu_milli"),
      .memory = value<std::uint32_t>(json, "memory_mib"),
      .custom = {}};
  const Json& rates = member(json, "rates");
  for (const sched::Rate& rate : sched::kRates) {
    if (rates.is_object()) resources.*rate.amount = value<std::uint32_t>(rates, rate.key);
  }
  const Json& custom = member(json, "custom");
  if (!custom.is_object()) return resources;
  for (const auto& [name, count] : custom.items()) {
    // One odd member does not hide the others.
    if (count.is_number()) set_amount(resources, name, as<std::uint32_t>(count));
  }
  return resources;
}

std::string demand_text(const Json& resources) {
  const auto demand = resources_of(resources);
  return demand == sched::Resources{} ? "-" : to_string(demand);
}

// A demand that the user did not say is marked: users look for a number that they did not write.
std::string group_demand_text(const Json& group, const std::string& after) {
  std::string text = demand_text(member(group, "demand")) + after;
  std::string guessed;
  for (const Json& word : member(group, "guessed")) {
    if (!word.is_string()) continue;
    const auto key = word.get<std::string>();
    const auto* const rate = std::ranges::find(sched::kRates, key, &sched::Rate::key);
    const bool is_rate = rate != sched::kRates.end();
    guessed += (guessed.empty() ? "" : ", ") + (is_rate ? std::string(rate->words) : key);
  }
  return guessed.empty() ? text : text + " (estimated: " + guessed + ")";
}

TaskCounts counts_of(const Json& counts) {
  const auto of = [&](const char* state) { return value<std::uint64_t>(counts, state); };
  return {.done = of("done"),
      .failed = of("failed"),
      .cancelled = of("cancelled"),
      // A task that is told to end runs until it has.
      .running = of("running") + of("cancelling"),
      .waiting = of("waiting")};
}

// The protocol has nanoseconds everywhere; people and texts have seconds.
double seconds_of(const Json& object, std::string_view key) {
  return value<double>(object, key) / 1e9;
}

std::string outcome_text(const Json& task) {
  const auto outcome = value<std::string>(task, "outcome");
  const int status = value<int>(task, "status");
  if (outcome == "exited") return "exit " + std::to_string(status);
  if (outcome == "signalled") {
    return "signal " + std::to_string(status) + " (" + strsignal(status) + ")";
  }
  if (outcome == "time_limit") return "time limit exceeded";
  if (outcome == "out_of_memory") return "out of memory";
  if (outcome == "not_found") return "command not found";
  if (outcome == "not_executable") return "command not executable";
  if (outcome == "spawn_failed") {
    // Callers add the detail, which says why. Without one the errno does, if there is one.
    const bool told = status == 0 || !value<std::string>(task, "detail").empty();
    return told ? "could not start" : std::string("could not start: ") + std::strerror(status);
  }
  if (outcome == "killed") return "stopped on request";
  if (outcome == "preempted") return "preempted";
  if (outcome == "lost") return "lost";
  return outcome.empty() ? value<std::string>(task, "state", "unknown") : outcome;
}

// With a blank before it, so that it may stand behind a number, or not at all.
std::string entry_text(const Json& task) {
  constexpr std::size_t kColumns = 60;
  const auto entry = node::text_bytes_of(member(task, "entry"));
  return entry ? " '" + config::shortened(printable(*entry), kColumns) + "'" : "";
}

std::string ending_text(const Json& task, const std::string& ending) {
  const auto detail = value<std::string>(task, "detail");
  const auto outcome = value<std::string>(task, "outcome");
  // These details are sentences that say it all: "command 'mkae' not found".
  const bool alone = outcome == "not_found" || outcome == "not_executable";
  if (detail.empty()) return ending;
  return alone ? detail : ending + " (" + detail + ")";
}

// The agent knows what a shell would say (128 + signal, 127, ...); 1 if it does not tell.
int status_of(const Json& task) {
  return value<int>(task, "shell_status", 1);
}

Colour colour_of_state(std::string_view state) {
  if (state == "running" || state == "up") return Colour::green;
  if (state == "failed" || state == "down") return Colour::red;
  if (state == "waiting" || state == "held" || state == "draining" || state == "suspect" ||
      state == "sick" || state == "unreachable" || state == "cancelling") {
    return Colour::yellow;
  }
  return state == "cancelled" ? Colour::dim : Colour::none;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace dunlin::cli
