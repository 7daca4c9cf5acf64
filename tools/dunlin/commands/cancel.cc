// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/screen/text.h"

// `cancel` and `requeue` take the same words: whole jobs and, behind a dot, some of their tasks.
// All words are looked up before the first is acted upon, so that a typing error in the last one
// stops nothing half.
namespace dunlin::cli {
namespace {

struct Target {
  JobRef job;
  std::vector<std::uint32_t> tasks;  ///< Empty: all.
};

Result<std::vector<Target>> targets_of(Connection& agent, const std::vector<std::string>& words) {
  std::vector<Target> targets;
  std::vector<std::string> whole;
  for (const std::string& word : words) {
    // Without a dot it may be a range, "last" or "all": these are chosen together, so that no job
    // comes twice.
    if (word.find('.') == std::string::npos) {
      whole.push_back(word);
      continue;
    }
    auto chosen = choose_tasks(agent, word);
    if (!chosen) return tl::unexpected(chosen.error());
    auto tasks = numbers_of(chosen->tasks.tasks, word);
    if (!tasks) return tl::unexpected(tasks.error());
    targets.push_back({.job = std::move(chosen->job), .tasks = std::move(*tasks)});
  }
  if (whole.empty()) return targets;
  const auto selector = parse_jobs(whole);
  if (!selector) return tl::unexpected(selector.error());
  // A range means what there is to stop: jobs that have ended are none of it.
  auto jobs = choose_jobs(agent, *selector, Among::unfinished);
  if (!jobs) return tl::unexpected(jobs.error());
  for (JobRef& job : *jobs) targets.push_back({.job = std::move(job), .tasks = {}});
  return targets;
}

/// A verb that stops tasks, and the words for what it has done.
struct Stop {
  std::string verb;
  std::string done;     ///< "cancelled": also the member of the answer that counts them.
  std::string nothing;  ///< What there is nothing of.
};

Result<int> stop(const Globals& globals, const std::vector<std::string>& words, const Stop& how) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto targets = targets_of(*agent, words);
  if (!targets) return tl::unexpected(targets.error());
  Json stopped = Json::array();
  for (const Target& target : *targets) {
    Json request = target.job.request();
    if (!target.tasks.empty()) request["tasks"] = target.tasks;
    // One after the other: if one fails, those before it are stopped, and have been told of.
    const auto reply = agent->ask(how.verb, std::move(request));
    if (!reply) return tl::unexpected(reply.error());
    const auto count = value<std::uint64_t>(*reply, how.done);
    const std::string& label = target.job.label;
    stopped.push_back({{"number", target.job.number}, {"job", label}, {"tasks", count}});
    // Its tasks are not stopped for certain, and the user must not believe that they are.
    for (const Json& node : member(*reply, "silent_nodes")) {
      if (!node.is_string()) continue;
      std::fprintf(stderr,
          "dunlin: node %s: its tasks of job %s run again once it is known to be dead, or at the "
          "end of their leases\n",
          printable(node.get<std::string>()).c_str(), label.c_str());
    }
    if (globals.json) continue;
    if (count == 0)
      std::printf("job %s: %s\n", label.c_str(), how.nothing.c_str());
    else
      std::printf(
          "job %s: %s %s\n", label.c_str(), count_text(count, "task").c_str(), how.done.c_str());
  }
  if (globals.json)
    print_json("dunlin." + how.verb + "/1", {{how.done, std::move(stopped)}});
  else if (targets->empty())
    std::printf("no job is unfinished\n");
  return kSuccess;
}

}  // namespace

Result<int> cancel(const Globals& globals, const std::vector<std::string>& words) {
  return stop(globals, words, {"cancel", "cancelled", "nothing left to cancel"});
}

Result<int> requeue(const Globals& globals, const std::vector<std::string>& words) {
  return stop(globals, words, {"requeue", "requeued", "nothing runs"});
}

}  // namespace dunlin::cli
