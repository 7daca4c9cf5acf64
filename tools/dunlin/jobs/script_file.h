// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {

/// The script in a file. Fails with `usage`, and names the file, if it cannot be read, or if no
/// task could run it.
Result<std::string> read_script(const std::string& path);

/// `request` with the scripts and inputs of its groups that stand in files of their own, relative
/// to `directory`. Read after all else was understood, as they may be large. Fails with `usage`.
Result<JobRequest> with_files(Result<JobRequest> request, const std::string& directory);

/// The program that the tasks of a group run, as far as it tells people more than "sh" or "env": a
/// word, a path, or the file of their script. Requires a command or a script.
std::string program_of(const GroupRequest& group);

}  // namespace dunlin::cli
