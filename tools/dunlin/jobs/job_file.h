// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/result.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {

/// The size of a job file at most.
inline constexpr std::size_t kJobFileBytesMax = 8 << 20;

/// Reads a job from TOML text:
///
///     name = "render"
///     class = "web"                        # the class that it runs in
///     after_jobs = ["12", "merlin.7:any"]   # jobs that it waits for
///     on_end = "mail -s $DUNLIN_STATE me < /dev/null"
///
///     [[group]]
///     name = "frames"                      # optional if there is one group
///     command = ["./render", "%{TASK_INDEX}"]   # or one string, for /bin/sh -c
///     count = 100                          # or each_line = "frames.txt"
///     cpus = 2                             # or 0.5, "250m"
///     memory = "4G"
///     resources = { gpu = 1 }
///     constraints = ["arch=x86_64"]
///     priority = 50
///     input = "2G@merlin,hobby"            # nodes that have the input of each task; or, for a
///     # inputs = "inputs.txt"              # line for each task, a file beside this one
///     after = ["fetch"]                    # groups that must have succeeded before
///     retries = 1
///     time_limit = "1h30m"
///     duration = "10m"                     # about how long a task runs: short ones go first
///     env = { LEVEL = "9" }
///     cwd = "/data"
///     stdout = "none"
///     stderr = "err.%{TASK_INDEX}"
///
/// Relative paths begin at `directory`. Fails with `usage`, naming `where`, the line and the cure.
Result<JobRequest> parse_job_file(
    std::string_view text, const std::string& where, const std::string& directory);

/// Reads a job from a file ("-": stdin). Fails if it cannot be read, is malformed or oversize.
Result<JobRequest> read_job_file(const std::string& path, const std::string& directory);

}  // namespace dunlin::cli
