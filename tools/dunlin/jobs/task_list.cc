// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/task_list.h"

#include <algorithm>

#include "config/text.h"
#include "node/control/json.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// Tasks are walked over page by page, because a job may have a million of them and an agent must
// not stand still for one listing. Columns come from what an attempt reported at its end: of one
// that runs they are "-", since 0 would look like a measurement.
namespace dunlin::cli {
namespace {

// Tasks that are asked for at a time: few enough that the agent's loop does not stand still for it.
constexpr std::uint32_t kPage = 1000;

/// From the first task that was named to the last: gaps are read over, as one walk is cheaper than
/// a request for each range.
NumberRange span_of(const TaskSelector& selector) {
  NumberRange span{0, UINT32_MAX};
  if (selector.tasks.empty()) return span;
  span = selector.tasks.front();
  for (const NumberRange& range : selector.tasks) {
    span = {std::min(span.first, range.first), std::max(span.last, range.last)};
  }
  return span;
}

/// The attempts of a task before the last one, a row each.
void add_attempts(Table& table, const Json& task) {
  for (const Json& attempt : member(task, "attempts")) {
    const bool lost = value<bool>(attempt, "lost");
    const auto span = [&](const char* key) {
      return lost ? std::string("-") : span_text(seconds_of(attempt, key));
    };
    const auto lost_at = value<std::int64_t>(attempt, "lost_at_ns");
    std::string ending = lost
        ? "lost with its node" + (lost_at == 0 ? "" : ", noticed " + iso_time(lost_at))
        : ending_text(attempt, outcome_text(attempt));
    table.add({std::to_string(value<std::uint32_t>(task, "index")), "-", "before",
        std::to_string(value<int>(attempt, "attempt")),
        value<std::string>(attempt, "worker_name", "-"), span("wall_ns"), span("cpu_ns"), "-", "-",
        "-", "-", "-", std::move(ending)});
  }
}

// A job may have millions of tasks: they come in pages, beginning at the first that was named, and
// the walk ends behind the last.
Result<void> walk(Connection& agent,
    Json request,
    const TaskSelector& selector,
    const std::function<bool(const Json&)>& visit) {
  const NumberRange span = span_of(selector);
  Json from = span.first;
  while (from.is_number()) {
    request["from"] = from;
    request["limit"] = kPage;
    const auto page = agent.ask("tasks", request);
    if (!page) return tl::unexpected(page.error());
    for (const Json& task : member(*page, "tasks")) {
      const auto index = value<std::uint32_t>(task, "index");
      // Tasks come in ascending order, so nothing that was named follows.
      if (index > span.last) return {};
      if (selector.includes(index) && !visit(task)) return {};
    }
    // Null after the last page, which ends the loop.
    from = member(*page, "next");
  }
  return {};
}

}  // namespace

// Columns in the order of what users look for; those that few ask for are extra.
Table task_table() {
  return Table({{"TASK", Align::right}, {"ENTRY", Align::left, 5}, {"STATE"}, {"TRY", Align::right},
      {"NODE"}, {"TIME", Align::right}, {"CPU TIME", Align::right, 4, true},
      {"MEMORY", Align::right, 3}, {"READ", Align::right, 1, true},
      {"WRITTEN", Align::right, 1, true}, {"STDOUT", Align::right, 2, true},
      {"STDERR", Align::right, 1, true}, {"RESULT"}});
}

void add_task(Table& table, const Json& task) {
  const auto state = value<std::string>(task, "state");
  const bool ended = task.contains("outcome");
  const auto attempt = value<int>(task, "attempt");
  // What is known only at the end: 0 would look as if it had been measured.
  const auto span = [&](const char* key) {
    return ended ? span_text(seconds_of(task, key)) : std::string("-");
  };
  const auto bytes = [&](const char* key) {
    return ended ? bytes_text(value<std::uint64_t>(task, key)) : std::string("-");
  };
  const auto of_disk = [&](const char* key) {
    const Json& use = member(task, "use");
    return use.contains(key) ? bytes_text(value<std::uint64_t>(use, key)) : std::string("-");
  };
  // Bytes, not a text: a line may be in any encoding.
  const auto entry = node::text_bytes_of(member(task, "entry"));
  table.add({std::to_string(value<std::uint32_t>(task, "index")),
      entry ? config::shortened(printable(*entry), 24) : "-", {state, colour_of_state(state)},
      attempt == 0 ? "-" : std::to_string(attempt), value<std::string>(task, "worker_name", "-"),
      span("wall_ns"), span("cpu_ns"), bytes("memory_peak_bytes"), of_disk("disk_read_bytes"),
      of_disk("disk_written_bytes"), bytes("out_bytes"), bytes("err_bytes"),
      !ended ? "-" : ending_text(task, outcome_text(task))});
}

Result<void> for_each_task(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const std::string& state,
    const std::function<bool(const Json&)>& visit) {
  Json request = job.request();
  if (!state.empty()) request["state"] = state;
  return walk(agent, std::move(request), selector, visit);
}

Result<int> list_tasks(const Globals& globals,
    Connection& agent,
    const ChosenTasks& chosen,
    const TaskListing& listing) {
  const JobRef& job = chosen.job;
  Json request = job.request();
  const std::string& state = listing.state;
  if (!state.empty()) request["state"] = state;
  if (listing.attempts) request["attempts"] = true;
  Table table = task_table();
  if (const auto fine = table.choose(listing.columns); !fine) return tl::unexpected(fine.error());
  Json tasks = Json::array();
  std::uint64_t count = 0;
  const auto walked = walk(agent, std::move(request), chosen.tasks, [&](const Json& task) {
    ++count;
    if (globals.json) {
      tasks.push_back(published(task));
    } else {
      add_attempts(table, task);
      add_task(table, task);
    }
    return true;
  });
  if (!walked) return tl::unexpected(walked.error());
  if (globals.json) {
    print_json("dunlin.tasks/1", {{"number", job.number}, {"tasks", std::move(tasks)}});
    return kSuccess;
  }
  // The whole table at once: widths of columns follow from all rows.
  if (count != 0) print(table.render(globals.out()));
  print(count_text(count, "task") + " of job " + job.label + (state.empty() ? "" : ", " + state) +
      "\n");
  return kSuccess;
}

std::string command_text(const Json& words) {
  std::string text;
  for (const Json& word : words) {
    if (!text.empty()) text += ' ';
    if (const auto bytes = node::text_bytes_of(word)) text += shell_word(*bytes);
  }
  return text;
}

}  // namespace dunlin::cli
