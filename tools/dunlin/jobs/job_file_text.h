// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"
#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// The job file of which `run -f` makes the job, given in the words of the control protocol. Fails
/// with `refused` if it has bytes that are no text, which no job file can say.
Result<std::string> job_file_text(const Json& job);

}  // namespace dunlin::cli
