// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "node/control/json.h"
#include "overlay/param_entries.h"
#include "sched/ledger/class_name.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/task_list.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

/// The attempts shown before the last one.
constexpr std::size_t kAttemptsShown = 2;

std::string command_text(const Json& words) {
  std::string text;
  for (const Json& word : words) {
    if (!text.empty()) text += ' ';
    if (const auto bytes = node::text_bytes_of(word)) text += shell_word(*bytes);
  }
  return text;
}

void show_group(const Json& group, bool named) {
  const auto limit = value<std::int64_t>(group, "time_limit_ns");
  const auto retries = value<int>(group, "retries");
  std::string demand = demand_text(member(group, "demand")) + " each";
  for (const Json& constraint : member(group, "constraints")) {
    if (constraint.is_string()) demand += ", " + constraint.get<std::string>();
  }
  if (limit != 0) demand += ", at most " + overlay::to_string(overlay::Duration(limit));
  demand += ", priority " + std::to_string(value<int>(group, "priority"));
  if (retries != 0)
    demand += ", " + std::to_string(retries) + (retries == 1 ? " retry" : " retries");
  if (named) {
    std::printf("  group    %s: %s from task %u\n",
        printable(value<std::string>(group, "name")).c_str(),
        count_text(value<std::uint64_t>(group, "count"), "task").c_str(),
        value<std::uint32_t>(group, "first"));
  }
  std::printf("  command  %s\n", printable(command_text(member(group, "command"))).c_str());
  std::printf("  demand   %s\n", printable(demand).c_str());
}

/// One figure of one task, or the percentiles of several.
template <typename Text>
void show_measure(const char* label, const Json& of, Text&& text) {
  if (value<double>(of, "max") <= 0) return;  // Nothing ever ran.
  if (value<std::uint64_t>(of, "count") == 1) {
    std::printf("  %-8s %s\n", label, text("max").c_str());
  } else {
    std::printf("  %-8s p50 %s, p99 %s, max %s\n", label, text("p50").c_str(), text("p99").c_str(),
        text("max").c_str());
  }
}

void show_measures(const Json& job) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kSpans = {
      {{"start", "start"}, {"run", "run"}, {"cpu", "CPU time"}}};
  for (const auto& [key, label] : kSpans) {
    const Json& of = member(job, key);
    show_measure(label, of, [&](const char* which) { return span_text(seconds_of(of, which)); });
  }
  const Json& memory = member(job, "memory_peak_bytes");
  show_measure("memory", memory,
      [&](const char* which) { return bytes_text(value<std::uint64_t>(memory, which)); });
}

/// "attempt 2 on merlin: exit 1 after 40 ms", for an attempt, or for a task: its last attempt.
std::string attempt_text(const Json& attempt) {
  std::string text = "attempt " + std::to_string(value<int>(attempt, "attempt")) + " on " +
      value<std::string>(attempt, "worker_name", "?") + ": ";
  if (value<bool>(attempt, "lost")) return text + "lost with its node";
  // An attempt that was made again was not stopped because its user asked.
  const bool again = attempt.contains("lost");
  const bool stopped = value<std::string>(attempt, "outcome") == "killed";
  const bool lost = value<std::string>(attempt, "cause") == "lost";
  text += again && stopped ? "stopped by its node" : lost ? "interrupted" : outcome_text(attempt);
  const double seconds = seconds_of(attempt, "wall_ns");
  if (seconds > 0) text += " after " + span_text(seconds);
  const auto detail = value<std::string>(attempt, "detail");
  return detail.empty() ? text : text + " (" + detail + ")";
}

/// The tasks of one end, `failed` or `cancelled`, a line each.
void show_ended(const Json& job, const std::string& end) {
  for (const Json& task : member(job, end)) {
    std::printf("  %-8s task %u", end.c_str(), value<std::uint32_t>(task, "index"));
    const Json& earlier = member(task, "attempts");
    const std::size_t shown = std::min(earlier.size(), kAttemptsShown);
    for (std::size_t i = 0; i < shown; ++i) {
      std::printf("%s%s", i == 0 ? "  " : "; ", printable(attempt_text(earlier[i])).c_str());
    }
    std::printf("%s%s\n",
        earlier.size() > shown ? "; ...; "
            : shown != 0       ? "; "
                               : "  ",
        printable(attempt_text(task)).c_str());
  }
  const auto more = value<std::uint64_t>(job, end + "_more");
  if (more == 0) return;
  const bool none = member(job, end).empty();
  std::printf("  %-8s %s%s\n", none ? end.c_str() : "", none ? "" : "and ",
      count_text(more, none ? "task" : "more task").c_str());
}

/// Renames the agent's percentiles of times, which are bare nanoseconds, so that their names have
/// the unit.
Json with_units(Json job) {
  for (const char* const key : {"start", "run", "cpu"}) {
    if (!member(job, key).is_object()) continue;
    Json named = Json::object();
    for (const auto& [name, of] : job[key].items())
      named[name == "count" ? name : name + "_ns"] = of;
    job[key] = std::move(named);
  }
  return job;
}

void show_deadline(const Json& job) {
  const auto deadline = value<std::int64_t>(job, "deadline_ns");
  if (deadline == 0) return;
  const double left = static_cast<double>(deadline) * 1e-9 - seconds_of(job, "age_ns");
  std::string text = iso_time(value<std::int64_t>(job, "submitted_at_ns") + deadline);
  if (!value<bool>(job, "finished")) {
    text += left >= 0 ? ", in " + age_text(left) : ", missed " + age_text(-left) + " ago";
  }
  std::printf("  deadline %s\n", text.c_str());
}

void show_job(const Json& job, const std::string& label, const Terminal& out) {
  const auto state = value<std::string>(job, "state");
  const auto counts = counts_of(member(job, "counts"));
  std::printf("job %s \"%s\": %s; %llu of %s done", label.c_str(),
      printable(value<std::string>(job, "name")).c_str(),
      out.paint(state, colour_of_state(state)).c_str(),
      static_cast<unsigned long long>(counts.done), count_text(counts.total(), "task").c_str());
  const std::array<std::pair<std::uint64_t, const char*>, 4> others = {{{counts.running, "running"},
      {counts.waiting, "waiting"}, {counts.failed, "failed"}, {counts.cancelled, "cancelled"}}};
  for (const auto& [count, word] : others) {
    if (count != 0) std::printf(", %llu %s", static_cast<unsigned long long>(count), word);
  }
  const auto class_id = value<std::string>(job, "class", std::string(sched::kDefaultClass));
  std::printf("\n  submitted %s by %s%s on %s, %s ago\n",
      iso_time(value<std::int64_t>(job, "submitted_at_ns")).c_str(),
      printable(value<std::string>(job, "owner", "nobody")).c_str(),
      class_id == sched::kDefaultClass ? "" : printable(" as class " + class_id).c_str(),
      printable(value<std::string>(job, "node_name", "?")).c_str(),
      age_text(seconds_of(job, "age_ns")).c_str());
  show_deadline(job);
  const Json& groups = member(job, "groups");
  for (const Json& group : groups) show_group(group, groups.size() > 1);
  const auto reason = value<std::string>(job, "reason");
  if (!reason.empty()) std::printf("  reason   %s\n", printable(reason).c_str());
  show_measures(job);
  show_ended(job, "failed");
  show_ended(job, "cancelled");
  const Json& failed = member(job, "failed");
  if (counts.failed != 0 && !failed.empty()) {
    std::printf(
        "  next     dunlin logs %s.%u\n", label.c_str(), value<std::uint32_t>(failed[0], "index"));
  } else if (!value<bool>(job, "finished")) {
    std::printf(
        "  next     dunlin %s %s\n", counts.running == 0 ? "explain" : "wait", label.c_str());
  } else if (counts.done != 0) {
    std::printf("  next     dunlin logs %s\n", label.c_str());
  }
}

}  // namespace

Result<int> job(const Globals& globals, const JobOptions& options) {
  if (const auto fine = parse_tasks(options.job); !fine) return tl::unexpected(fine.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto chosen = choose_tasks(*agent, options.job);
  if (!chosen) return tl::unexpected(chosen.error());
  if (options.tasks || !options.state.empty() || !chosen->tasks.tasks.empty()) {
    return list_tasks(globals, *agent, chosen->job, chosen->tasks, options.state);
  }
  const auto reply = agent->ask("job", chosen->job.request());
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.job/1", published(with_units(*reply)));
  } else {
    show_job(*reply, chosen->job.label, globals.out());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
