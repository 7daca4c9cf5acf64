// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/job_table.h"

#include <algorithm>
#include <array>

#include "config/text.h"
#include "tools/dunlin/connection/report.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

Table job_table(const Json& jobs) {
  Table table({{"JOB", Align::right}, {"NAME"}, {"STATE"}, {"DONE", Align::right},
      {"RUN", Align::right}, {"WAIT", Align::right}, {"FAIL", Align::right}, {"DEMAND"},
      {"PRIO", Align::right}, {"AGE", Align::right}, {"REASON"}});
  for (auto at = jobs.rbegin(); at != jobs.rend(); ++at) {
    const Json& job = *at;
    const auto counts = counts_of(member(job, "counts"));
    const auto state = value<std::string>(job, "state");
    const auto groups = value<std::uint64_t>(job, "groups", 1);
    const auto reason = value<std::string>(job, "reason");
    std::string demand = demand_text(member(job, "demand"));
    if (groups > 1) demand += " +" + std::to_string(groups - 1);
    table.add({std::to_string(value<std::uint32_t>(job, "number")),
        config::shortened(value<std::string>(job, "name"), 24), {state, colour_of_state(state)},
        std::to_string(counts.done), std::to_string(counts.running), std::to_string(counts.waiting),
        {std::to_string(counts.failed), counts.failed != 0 ? Colour::red : Colour::none},
        std::move(demand), std::to_string(value<int>(job, "priority")),
        age_text(seconds_of(job, "age_ns")), reason.empty() ? "-" : reason});
  }
  return table;
}

std::string job_totals(const Json& jobs, bool all_shown) {
  constexpr std::array<std::string_view, 5> kStates = {
      "running", "waiting", "done", "failed", "cancelled"};
  std::array<std::uint64_t, kStates.size()> of{};
  std::uint64_t finished = 0;
  for (const Json& job : jobs) {
    const auto* state = std::ranges::find(kStates, value<std::string>(job, "state"));
    if (state != kStates.end()) ++of[static_cast<std::size_t>(state - kStates.begin())];
    if (value<bool>(job, "finished")) ++finished;
  }
  if (jobs.empty()) return "no jobs yet; try: dunlin run -- echo hello\n";
  std::string text = count_text(jobs.size(), "job") + ": ";
  bool first = true;
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (of[i] == 0) continue;
    text += (first ? "" : ", ") + std::to_string(of[i]) + " " + std::string(kStates[i]);
    first = false;
  }
  if (!all_shown && finished != 0) text += " (dunlin jobs --all shows those that ended)";
  return text + "\n";
}

}  // namespace dunlin::cli
