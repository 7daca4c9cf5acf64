// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/times/deadline.h"
#include "tools/dunlin/screen/text.h"

// Each job is changed by a request of its own. If one fails, those before it have changed: their
// lines are printed by then, so the user sees how far it came.
namespace dunlin::cli {
namespace {

// Only what was said is sent: the term that the user does not name keeps its value.
Result<Json> terms_of(const SetOptions& options) {
  Json terms = Json::object();
  if (!options.priority.empty()) {
    // Read as text, not by CLI11 as a number: the flag's absence must differ from a priority of 0.
    int priority = -1;
    const char* const end = options.priority.data() + options.priority.size();
    const auto [read, error] = std::from_chars(options.priority.data(), end, priority);
    if (error != std::errc{} || read != end || priority < sched::kPriorityMin ||
        priority > sched::kPriorityMax) {
      return failure(
          ErrorKind::usage, "--priority: '" + options.priority + "' is no number from 0 to 100");
    }
    terms["priority"] = priority;
  }
  // 0 takes the deadline away.
  if (options.deadline == "none") {
    terms["deadline_ns"] = 0;
  } else if (!options.deadline.empty()) {
    const auto deadline = parse_deadline(options.deadline, std::chrono::system_clock::now());
    if (!deadline) return failure(ErrorKind::usage, "--deadline: " + deadline.error().text);
    terms["deadline_ns"] = deadline->count();
  }
  if (terms.empty()) {
    return failure(ErrorKind::usage, "nothing to set: give --priority N or --deadline WHEN");
  }
  return terms;
}

}  // namespace

Result<int> set(const Globals& globals, const SetOptions& options) {
  auto request = terms_of(options);
  if (!request) return tl::unexpected(request.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto jobs = [&]() -> Result<std::vector<JobRef>> {
    const auto selector = parse_jobs(std::vector{options.job});
    if (!selector) return tl::unexpected(selector.error());
    // What has ended has no terms any more.
    return choose_jobs(*agent, *selector, Among::unfinished);
  }();
  if (!jobs) return tl::unexpected(jobs.error());
  Json changed = Json::array();
  for (const JobRef& job : *jobs) {
    Json each = *request;
    // The terms are the same for all jobs; only the job differs.
    each.update(job.request());
    const auto reply = agent->ask("set", std::move(each));
    if (!reply) return tl::unexpected(reply.error());
    const auto priority = value<int>(*reply, "priority");
    const auto deadline = value<std::int64_t>(*reply, "deadline_ns");
    changed.push_back({{"number", job.number}, {"job", job.label}, {"priority", priority},
        {"deadline_ns", deadline}});
    if (globals.json) continue;
    // When it is, not how long after the submit: nobody knows that moment to the millisecond.
    const auto due_at = value<std::int64_t>(*reply, "due_at_ns");
    const std::string due = deadline == 0 ? "no deadline"
        : due_at == 0                     ? "a deadline"
                                          : "deadline " + iso_time(due_at);
    std::printf("job %s: priority %d, %s\n", job.label.c_str(), priority, due.c_str());
  }
  if (globals.json) print_json("dunlin.set/1", {{"jobs", std::move(changed)}});
  return kSuccess;
}

}  // namespace dunlin::cli
