// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "config/text.h"
#include "node/control/json.h"
#include "node/task/limit_signal.h"
#include "overlay/param_entries.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/commands/job_pictures.h"
#include "tools/dunlin/commands/job_words.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/input_list.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/job_figures.h"
#include "tools/dunlin/jobs/job_file_text.h"
#include "tools/dunlin/jobs/task_list.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// `dunlin job`: all about one job, for a person, in the order of the questions: how it stands,
// whose it is, what is safe of it, what it runs, why it waits or failed, and at the end the command
// that comes next. Names that are to be pasted mean the same job at every agent.
namespace dunlin::cli {
namespace {

/// The attempts shown before the last one.
/// Enough to see that it fails each time alike; `dunlin job --attempts` has all of them.
constexpr std::size_t kAttemptsShown = 2;
/// A group that the one shown waits for, or waited for.
void show_stage(const Json& after, const Terminal& out) {
  const auto state = value<std::string>(after, "state");
  const auto left = value<std::uint64_t>(after, "left");
  const auto tasks = count_text(value<std::uint64_t>(after, "tasks"), "task");
  std::string text = "group " + value<std::string>(after, "group") + ": ";
  if (state == "met") {
    text += "has succeeded";
  } else if (state == "missed") {
    text += "did not succeed";
  } else {
    text += std::to_string(left) + " of " + tasks + " left";
  }
  show_line("after", text, out);
}

/// A group of tasks: how many, what they run and need, and how often they may fail. `named`: the
/// job has several.
void show_group(const Json& group, bool named, const Terminal& out) {
  const auto limit = value<std::int64_t>(group, "time_limit_ns");
  const auto retries = value<int>(group, "retries");
  std::string demand = group_demand_text(group, " each");
  for (const Json& constraint : member(group, "constraints")) {
    if (constraint.is_string()) demand += ", " + constraint.get<std::string>();
  }
  // What was left at its default is not said: most jobs have none of these, and the line stays
  // short.
  if (limit != 0) demand += ", at most " + overlay::to_string(overlay::Duration(limit));
  if (const auto signal = value<int>(group, "limit_signal"); signal != 0) {
    const overlay::Duration before(value<std::int64_t>(group, "limit_signal_time_ns"));
    demand += ", signal " + node::limit_signal_text(signal, before);
  }
  demand += ", priority " + std::to_string(value<int>(group, "priority"));
  const auto at_once = value<std::uint32_t>(group, "at_once");
  if (at_once != 0) demand += ", at most " + std::to_string(at_once) + " at once";
  if (value<bool>(group, "gang")) demand += ", all start together";
  if (retries != 0)
    demand += ", " + std::to_string(retries) + (retries == 1 ? " retry" : " retries");
  // One group alone has a name that nobody gave it.
  if (named) {
    show_line("group",
        value<std::string>(group, "name") + ": " +
            count_text(value<std::uint64_t>(group, "count"), "task") + " from task " +
            std::to_string(value<std::uint32_t>(group, "first")),
        out);
  }
  for (const Json& after : member(group, "after")) show_stage(after, out);
  const auto script = value<std::uint64_t>(group, "script_bytes");
  if (script > 0) {
    const std::string line = node::text_bytes_of(member(group, "script_line")).value_or("?");
    show_line("script", line + ", " + bytes_text(script), out);
  }
  const Json& words = member(group, "command");
  // Not in lines of ours: it is to be copied.
  if (script == 0 || !words.empty()) {
    std::printf(
        "  %s  %s\n", script == 0 ? "command" : "with   ", printable(command_text(words)).c_str());
  }
  show_line("demand", demand, out);
  const std::string inputs = inputs_text(member(group, "inputs"));
  if (!inputs.empty()) show_line("inputs", inputs, out);
}

/// "attempt 2 on merlin: exit 1 after 40 ms", for an attempt, or for a task: its last attempt.
std::string attempt_text(const Json& attempt) {
  std::string text = "attempt " + std::to_string(value<int>(attempt, "attempt")) + " on " +
      value<std::string>(attempt, "worker_name", "?") + ": ";
  // Nothing else is known of it: the node that could say more is gone.
  if (value<bool>(attempt, "lost")) return text + "lost with its node";
  // An attempt that was made again was not stopped because its user asked.
  const bool again = attempt.contains("lost");
  const bool stopped = value<std::string>(attempt, "outcome") == "killed";
  const bool lost = value<std::string>(attempt, "cause") == "lost";
  std::string ending = again && stopped ? "stopped by its node"
      : lost                            ? "interrupted"
                                        : outcome_text(attempt);
  const double seconds = seconds_of(attempt, "wall_ns");
  if (seconds > 0) ending += " after " + span_text(seconds);
  return text + ending_text(attempt, ending);
}

/// The tasks of one end, `failed` or `cancelled`, a line each.
void show_ended(const Json& job, const std::string& end, const Terminal& out) {
  for (const Json& task : member(job, end)) {
    std::string text =
        "task " + std::to_string(value<std::uint32_t>(task, "index")) + entry_text(task) + "  ";
    const Json& earlier = member(task, "attempts");
    const std::size_t shown = std::min(earlier.size(), kAttemptsShown);
    for (std::size_t i = 0; i < shown; ++i) text += attempt_text(earlier[i]) + "; ";
    if (earlier.size() > shown) text += "...; ";
    show_line(end.c_str(), text + attempt_text(task), out);
  }
  // The agent lists the first ones alone, so that a job of a million failures is still an answer.
  const auto more = value<std::uint64_t>(job, end + "_more");
  if (more == 0) return;
  const bool none = member(job, end).empty();
  std::printf("  %-8s %s%s\n", none ? end.c_str() : "", none ? "" : "and ",
      count_text(more, none ? "task" : "more task").c_str());
}

/// The attempts that were preempted, the latest of each task, a line each.
void show_preempted(const Json& job, const Terminal& out) {
  if (const auto still = value<std::uint64_t>(job, "suspended"); still > 0) {
    show_line("stands", count_text(still, "task") + " suspended for others", out);
  }
  const auto all = value<std::uint64_t>(job, "preemptions");
  if (all == 0) return;
  for (const Json& task : member(job, "preempted")) {
    const Json& attempts = member(task, "attempts");
    if (attempts.empty()) continue;
    const auto count = value<std::uint64_t>(task, "preemptions");
    show_line("yielded",
        "task " + std::to_string(value<std::uint32_t>(task, "index")) + "  " +
            attempt_text(attempts.back()) +
            (count > 1 ? ", the last of " + std::to_string(count) : ""),
        out);
  }
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

/// When it is due, and how far that is.
void show_deadline(const Json& job) {
  const auto deadline = value<std::int64_t>(job, "deadline_ns");
  if (deadline == 0) return;
  // By the agent's clock alone: deadline and age both count from the submit, so the clock here may
  // be off.
  const double left = static_cast<double>(deadline) * 1e-9 - seconds_of(job, "age_ns");
  std::string text = iso_time(value<std::int64_t>(job, "submitted_at_ns") + deadline);
  if (!value<bool>(job, "finished")) {
    text += left >= 0 ? ", in " + age_text(left) : ", missed " + age_text(-left) + " ago";
  }
  if (value<std::string>(job, "past_deadline") == "cancel") text += " (cancelled if it misses it)";
  std::printf("  deadline %s\n", text.c_str());
}

/// "2 wanted: node3 and node4 have it", if it wants any. Of a job that has ended no more is kept.
void show_standbys(const Json& job, const Terminal& out) {
  const auto wanted = value<std::uint32_t>(job, "replicas");
  // Jobs without standbys are the rule, and need no line that says so.
  if (wanted == 0) return;
  std::string text = std::to_string(wanted) + " wanted";
  if (const auto required = value<std::uint32_t>(job, "replicas_required"); required > 0) {
    text += ", " + std::to_string(required) + " required";
  }
  const Json& standbys = member(job, "standbys");
  text += standbys.empty() ? ": none has it yet, so it is lost with " : ": ";
  if (standbys.empty()) text += value<std::string>(job, "node_name", "?");
  for (std::size_t i = 0; i < standbys.size(); ++i) {
    text += (i == 0                            ? ""
                    : i + 1 == standbys.size() ? " and "
                                               : ", ") +
        value<std::string>(standbys[i], "node_name", "?");
  }
  if (!standbys.empty()) text += standbys.size() == 1 ? " has it" : " have it";
  if (const auto why = value<std::string>(job, "exposed"); !why.empty()) {
    text += "; not protected yet: " + printable(why);
  } else if (!value<bool>(job, "finished")) {
    text += "; protected";
  }
  show_line("replicas", text, out);
}

/// The jobs that it waits for, or waited for, and the command for its end.
void show_sequels(const Json& job, const std::string& name, const Terminal& out) {
  for (const Json& after : member(job, "after_jobs")) {
    const auto state = value<std::string>(after, "state");
    show_line("after", after_text(after, state), out);
  }
  const Json& command = member(job, "on_end");
  if (!command.is_object()) return;
  const auto state = value<std::string>(command, "state");
  std::string text = command_text(member(command, "command")) + ": " + state;
  if (state == "failed") {
    text +=
        ", " + ending_text(command, outcome_text(command)) + "; see dunlin logs --on-end " + name;
  }
  show_line("on end", text, out);
}

/// `name` is how texts for pasting call it.
void show_job(
    const Json& job, const std::string& label, const std::string& name, const Terminal& out) {
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
      printable(value<std::string>(job, "origin_name", "?")).c_str(),
      age_text(seconds_of(job, "age_ns")).c_str());
  // Its name still has the node where it was submitted, which may be gone: so the new one is said.
  if (value<std::string>(job, "origin") != value<std::string>(job, "node")) {
    show_line("home", value<std::string>(job, "node_name", "?") + " took it over", out);
  }
  show_words(job, out);
  show_standbys(job, out);
  show_deadline(job);
  const Json& groups = member(job, "groups");
  for (const Json& group : groups) show_group(group, groups.size() > 1, out);
  show_sequels(job, name, out);
  const auto reason = value<std::string>(job, "reason");
  if (!reason.empty()) show_line("reason", reason, out);
  show_measures(job);
  show_preempted(job, out);
  show_ended(job, "failed", out);
  show_ended(job, "cancelled", out);
  const Json& failed = member(job, "failed");
  const auto wrote = [](const Json& task) {
    return value<std::uint64_t>(task, "out_bytes") + value<std::uint64_t>(task, "err_bytes") != 0;
  };
  // What comes next depends on how it stands: read why it failed, wait, or read what it wrote.
  if (counts.failed != 0 && !failed.empty()) {
    // Of a task that could not even start there is nothing to read.
    if (const auto first = std::ranges::find_if(failed, wrote); first != failed.end()) {
      std::printf(
          "  next     dunlin logs %s.%u\n", name.c_str(), value<std::uint32_t>(*first, "index"));
    }
  } else if (!value<bool>(job, "finished")) {
    std::printf(
        "  next     dunlin %s %s\n", counts.running == 0 ? "explain" : "wait", name.c_str());
  } else if (counts.done != 0) {
    std::printf("  next     dunlin logs %s\n", name.c_str());
  }
}

/// What was asked for, as a job file.
Result<int> print_file(const Globals& globals, Connection& agent, Json request) {
  request["request"] = true;
  const auto reply = agent.ask("job", std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  const Json& said = member(*reply, "request");
  if (!said.is_object()) {
    // Rather no file than one that leaves out half of what was asked for.
    return failure(ErrorKind::refused, "the agent is of a version that does not tell it");
  }
  const auto text = job_file_text(said);
  if (!text) return tl::unexpected(text.error());
  if (globals.json) {
    print_json("dunlin.job_file/1", {{"file", *text}});
  } else {
    std::fputs(text->c_str(), stdout);
  }
  return kSuccess;
}

}  // namespace

// A slip in the words themselves is told before an agent is sought, and needs none.
Result<int> job(const Globals& globals, const JobOptions& options) {
  if (const auto fine = parse_tasks(options.job); !fine) return tl::unexpected(fine.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto chosen = choose_tasks(*agent, options.job);
  if (!chosen) return tl::unexpected(chosen.error());
  const bool some = !options.state.empty() || !chosen->tasks.tasks.empty();
  // Columns are those of the list: what else is said of a job has none.
  if (options.tasks || options.attempts || options.columns.any() || some) {
    return list_tasks(globals, *agent, *chosen,
        {.state = options.state, .attempts = options.attempts, .columns = options.columns});
  }
  if (options.timeline) return print_timeline(globals, *agent, chosen->job.request());
  if (options.bins) return print_bins(globals, *agent, chosen->job.request());
  if (options.file) return print_file(globals, *agent, chosen->job.request());
  const auto reply = agent->ask("job", chosen->job.request());
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.job/1", published(with_units(*reply)));
  } else {
    show_job(*reply, chosen->job.label, pasted_name(*reply, chosen->job), globals.out());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
