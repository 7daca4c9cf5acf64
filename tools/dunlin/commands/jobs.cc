// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/published.h"
#include "tools/dunlin/connection/report.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/job_table.h"

namespace dunlin::cli {

Result<int> jobs(const Globals& globals, const JobsOptions& options) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  // The last line counts the finished ones too.
  const auto reply = agent->ask("jobs", {{"all", true}});
  if (!reply) return tl::unexpected(reply.error());
  Json shown = Json::array();
  for (const Json& job : member(*reply, "jobs")) {
    if (options.all || !value<bool>(job, "finished")) shown.push_back(job);
  }
  if (globals.json) {
    print_json("dunlin.jobs/1", {{"jobs", published(shown)}});
  } else if (options.quiet) {
    for (const Json& job : shown) std::printf("%u\n", value<std::uint32_t>(job, "number"));
  } else {
    if (!shown.empty()) print(job_table(shown).render(globals.out()));
    print(job_totals(member(*reply, "jobs"), options.all));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
