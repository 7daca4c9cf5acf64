// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/commands/confirm.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

// At the agent at hand alone: which copy of a lost job is the best one nobody can tell but an
// operator after a look at the nodes.
Result<int> take_over(const Globals& globals, const TakeOverOptions& options) {
  // The one command that can lose acknowledged work, so the job is typed once more.
  if (!options.yes) {
    auto sure = confirm("node take-over",
        "This cannot be taken back: what this node's copy of the jobs lacks is lost, even if a "
        "node "
        "comes\nback that has it. The job once more: ",
        options.job);
    if (!sure) return tl::unexpected(sure.error());
  }
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  // The agent that is asked takes over, and with the job all others of the same log.
  const auto reply = agent->ask("take_over", {{"job", options.job}});
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.take_over/1", published(*reply));
  } else {
    const std::string node = printable(value<std::string>(*reply, "node_name"));
    const std::string jobs = count_text(value<std::uint64_t>(*reply, "jobs"), "job");
    std::printf("%s drives job %s now, with %s of the same log\n", node.c_str(),
        printable(options.job).c_str(), jobs.c_str());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
