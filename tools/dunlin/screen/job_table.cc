// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/job_table.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/text.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// The list of jobs, and the lines below it. Whatever may be missing from the list is said: nodes
// that did not answer, jobs that are lost with their home, an agent that has no neighbour.
namespace dunlin::cli {
namespace {

/// Agents of before name no cause: there was one.
std::string orphan_cause_text(std::string_view cause) {
  if (cause == "lost") return "whose home lost its disk";
  if (cause == "away") return "whose home is down; if its disk is lost";
  return "whose home and books are lost";
}

}  // namespace

Table job_table(const Json& jobs) {
  Table table({{"JOB"}, {"NAME"}, {"USER", Align::left, 5}, {"STATE"}, {"DONE", Align::right},
      {"RUN", Align::right}, {"WAIT", Align::right}, {"FAIL", Align::right},
      {"AGE", Align::right, 4}, {"CLASS", Align::left, 1, true}, {"PRIO", Align::right, 1, true},
      {"DEMAND", Align::left, 2, true}, {"STARTED", Align::left, 1, true},
      {"ENDED", Align::left, 2, true}, {"EXIT", Align::right, 2, true},
      {"WORST", Align::left, 1, true}, {"REASON", Align::left, 3}});
  // 0: not yet. As a time it would be in 1970.
  const auto time_of = [](const Json& job, const char* key) {
    const auto at = value<std::int64_t>(job, key);
    return at == 0 ? std::string("-") : iso_time(at);
  };
  for (const Json& job : jobs) {
    const auto counts = counts_of(member(job, "counts"));
    const auto state = value<std::string>(job, "state");
    const auto groups = value<std::uint64_t>(job, "groups", 1);
    const auto reason = value<std::string>(job, "reason");
    std::string demand = demand_text(member(job, "demand"));
    // The first group's, and how many others there are: the line has no room for all.
    if (groups > 1) demand += " +" + std::to_string(groups - 1);
    const auto user = value<std::string>(job, "owner");
    table.add({job_name(job), config::shortened(value<std::string>(job, "name"), 24),
        user.empty() ? "-" : config::shortened(user, 16), {state, colour_of_state(state)},
        std::to_string(counts.done), std::to_string(counts.running), std::to_string(counts.waiting),
        {std::to_string(counts.failed), counts.failed != 0 ? Colour::red : Colour::none},
        age_text(seconds_of(job, "age_ns")), value<std::string>(job, "class", "-"),
        std::to_string(value<int>(job, "priority")), std::move(demand),
        time_of(job, "started_at_ns"), time_of(job, "ended_at_ns"),
        member(job, "exit").is_number() ? std::to_string(value<int>(job, "exit")) : "-",
        value<std::string>(job, "worst_outcome", "-"), reason.empty() ? "-" : reason});
  }
  return table;
}

std::string job_name(const Json& job) {
  // The name that means this job at the agent that was asked. An agent of before sends none: its
  // own number then.
  const auto known = value<std::string>(job, "known_as");
  return known.empty() ? std::to_string(value<std::uint32_t>(job, "number")) : known;
}

std::string job_totals(const Json& answer, std::size_t shown, bool all) {
  // In the order of what a user looks for; states of no job are left out.
  constexpr std::array<std::string_view, 6> kStates = {
      "running", "waiting", "held", "done", "failed", "cancelled"};
  const Json& totals = member(answer, "totals");
  std::uint64_t jobs = 0;
  std::uint64_t ended = 0;
  std::string text;
  for (const std::string_view state : kStates) {
    const auto of = value<std::uint64_t>(totals, state);
    jobs += of;
    if (state != "running" && state != "waiting" && state != "held") ended += of;
    if (of == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(of) + " " + std::string(state);
  }
  // Totals are of the cluster: none at all mostly means that it is new, and so is the reader.
  if (jobs == 0) return "no jobs yet; try: dunlin run -- echo hello\n";
  const auto nodes = value<std::uint64_t>(answer, "nodes");
  const auto matching = value<std::uint64_t>(answer, "matching");
  const std::string where = nodes > 1 ? " on " + count_text(nodes, "node") : "";
  text = count_text(jobs, "job") + where + ": " + text;
  if (matching > shown) {
    text +=
        "; " + std::to_string(shown) + " of " + std::to_string(matching) + " are shown (--limit N)";
  }
  // Otherwise a user whose job has just ended would miss it.
  if (!all && ended != 0) text += "; --all shows what ended";
  return text + "\n";
}

std::string silent_nodes_text(const Json& answer) {
  // A rack that is down must not fill the screen.
  constexpr std::size_t kShown = 8;
  const Json& silent = member(answer, "silent");
  if (!silent.is_array() || silent.empty()) return "";
  std::string text = count_text(silent.size(), "node") + " did not answer: ";
  for (std::size_t i = 0; i < silent.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + value<std::string>(silent[i], "name", "?") + " (" +
        value<std::string>(silent[i], "state") + ")";
  }
  if (silent.size() > kShown) {
    text += ", and " + std::to_string(silent.size() - kShown) + " more";
  }
  return text;
}

std::string not_joined_line(const Json& answer) {
  const auto why = value<std::string>(answer, "not_joined");
  return why.empty() ? "" : printable(why) + "\n";
}

// No node drives these jobs, so no list has them; the reader may be able to.
std::string orphans_text(const Json& answer) {
  constexpr std::size_t kShown = 8;
  const Json& orphans = member(answer, "orphans");
  if (!orphans.is_array()) return "";
  std::string text;
  for (std::size_t i = 0; i < orphans.size() && i < kShown; ++i) {
    const Json& each = orphans[i];
    const auto jobs = value<std::uint64_t>(each, "jobs");
    const std::string origin = value<std::string>(each, "origin_name", "?") + ".";
    const std::string first = origin + std::to_string(value<std::uint32_t>(each, "first"));
    const std::string last = origin + std::to_string(value<std::uint32_t>(each, "last"));
    std::string line = "node " + value<std::string>(each, "node_name", "?") + " has records of " +
        count_text(jobs, "job") + " (" + first + (jobs > 1 ? " to " + last : "");
    if (each.contains("age_ns")) {
      line += std::string(", ") + (jobs > 1 ? "the last " : "") + "submitted " +
          age_text(seconds_of(each, "age_ns")) + " ago";
    }
    // A standby that was behind may have missed the last of what was promised.
    if (!value<bool>(each, "in_sync")) line += ", perhaps without what came after";
    line += "), " + orphan_cause_text(value<std::string>(each, "cause")) +
        ": dunlin node take-over " + value<std::string>(each, "known_as", first) + ", at that node";
    text += printable(line) + "\n";
  }
  return text;
}

}  // namespace dunlin::cli
