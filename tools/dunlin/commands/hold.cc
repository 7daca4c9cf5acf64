// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

// Also for release, which is the same with another word.
Result<int> hold(const Globals& globals, const std::vector<std::string>& words, bool on) {
  const auto selector = parse_jobs(words);
  if (!selector) return tl::unexpected(selector.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  // A range means jobs that can still be held: those that have ended are none of it.
  const auto jobs = choose_jobs(*agent, *selector, Among::unfinished);
  if (!jobs) return tl::unexpected(jobs.error());
  Json changed = Json::array();
  // One request for each job, printed as it is answered: if a later one fails, the user has seen
  // which were changed before.
  for (const JobRef& job : *jobs) {
    const auto reply = agent->ask(on ? "hold" : "release", job.request());
    if (!reply) return tl::unexpected(reply.error());
    const auto waiting = value<std::uint64_t>(*reply, "waiting");
    changed.push_back(
        {{"number", job.number}, {"job", job.label}, {"held", on}, {"waiting", waiting}});
    if (globals.json) continue;
    std::printf("job %s: %s, %s waiting\n", job.label.c_str(), on ? "held" : "released",
        count_text(waiting, "task").c_str());
  }
  if (globals.json) {
    print_json("dunlin.hold/1", {{"jobs", std::move(changed)}});
    // A range that catches nothing is no failure, but silence would look as if something had been
    // held.
  } else if (jobs->empty()) {
    std::printf("no job is unfinished\n");
  }
  return kSuccess;
}

}  // namespace dunlin::cli
