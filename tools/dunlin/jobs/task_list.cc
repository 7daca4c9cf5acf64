// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/task_list.h"

#include <algorithm>

#include "config/text.h"
#include "node/control/json.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

constexpr std::uint32_t kPage = 1000;

NumberRange span_of(const TaskSelector& selector) {
  NumberRange span{0, UINT32_MAX};
  if (selector.tasks.empty()) return span;
  span = selector.tasks.front();
  for (const NumberRange& range : selector.tasks) {
    span = {std::min(span.first, range.first), std::max(span.last, range.last)};
  }
  return span;
}

void add_row(Table& table, const Json& task) {
  const auto state = value<std::string>(task, "state");
  const bool ended = task.contains("outcome");
  const auto attempt = value<int>(task, "attempt");
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
  const auto entry = node::text_bytes_of(member(task, "entry"));
  table.add({std::to_string(value<std::uint32_t>(task, "index")),
      entry ? config::shortened(printable(*entry), 24) : "-", {state, colour_of_state(state)},
      attempt == 0 ? "-" : std::to_string(attempt), value<std::string>(task, "worker_name", "-"),
      span("wall_ns"), span("cpu_ns"), bytes("memory_peak_bytes"), of_disk("disk_read_bytes"),
      of_disk("disk_written_bytes"), bytes("out_bytes"), bytes("err_bytes"),
      !ended ? "-" : ending_text(task, outcome_text(task))});
}

}  // namespace

Result<void> for_each_task(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const std::string& state,
    const std::function<bool(const Json&)>& visit) {
  const NumberRange span = span_of(selector);
  Json from = span.first;
  while (from.is_number()) {
    Json request = job.request();
    request["from"] = from;
    request["limit"] = kPage;
    if (!state.empty()) request["state"] = state;
    const auto page = agent.ask("tasks", std::move(request));
    if (!page) return tl::unexpected(page.error());
    for (const Json& task : member(*page, "tasks")) {
      const auto index = value<std::uint32_t>(task, "index");
      if (index > span.last) return {};
      if (selector.includes(index) && !visit(task)) return {};
    }
    from = member(*page, "next");
  }
  return {};
}

Result<int> list_tasks(const Globals& globals,
    Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const std::string& state) {
  Table table({{"TASK", Align::right}, {"ENTRY", Align::left, 5}, {"STATE"}, {"TRY", Align::right},
      {"NODE"}, {"TIME", Align::right}, {"CPU TIME", Align::right, 4}, {"MEMORY", Align::right, 3},
      {"READ", Align::right, 1}, {"WRITTEN", Align::right, 1}, {"STDOUT", Align::right, 2},
      {"STDERR", Align::right, 1}, {"RESULT"}});
  Json tasks = Json::array();
  std::uint64_t count = 0;
  const auto walked = for_each_task(agent, job, selector, state, [&](const Json& task) {
    ++count;
    if (globals.json) {
      tasks.push_back(published(task));
    } else {
      add_row(table, task);
    }
    return true;
  });
  if (!walked) return tl::unexpected(walked.error());
  if (globals.json) {
    print_json("dunlin.tasks/1", {{"number", job.number}, {"tasks", std::move(tasks)}});
    return kSuccess;
  }
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
