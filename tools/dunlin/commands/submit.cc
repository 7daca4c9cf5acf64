// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/dry_run.h"
#include "tools/dunlin/jobs/submission.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

// In the order of what it costs to find out: the words, the files, and only then an agent, so that
// a slip leaves nothing behind.
Result<int> submit_job(const Globals& globals, const RunOptions& options) {
  const auto here = current_directory();
  if (!here) return tl::unexpected(here.error());
  const auto request = job_request(options.job, *here);
  if (!request) return tl::unexpected(request.error());
  // Checked after the request is made, so that a wrong flag is told before this one.
  if (options.job.stdin_path == "-") {
    return failure(ErrorKind::usage,
        "--stdin -: submit leaves at once, and has nothing to give; use run, or a file that the "
        "worker can read");
  }
  // Before an agent is looked for, as in run.
  if (options.job.dry_run) return show_dry_run(globals, *request);

  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto job = submit(*agent, *request, globals.err());
  if (!job) return tl::unexpected(job.error());
  if (!options.quiet) show_warnings(*job);
  if (globals.json) {
    print_json("dunlin.submit/1",
        {{"number", job->number}, {"job", job->job}, {"tasks", job->tasks},
            {"late_ns", job->late.count()}, {"unknown_nodes", job->unknown_nodes}});
  } else if (options.quiet) {
    // For scripts: a number and nothing else, whatever warnings there were.
    std::printf("%u\n", job->number);
  } else {
    std::printf("job %u: %s\n", job->number, count_text(job->tasks, "task").c_str());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
