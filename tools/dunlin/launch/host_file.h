// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"
#include "tools/dunlin/launch/host_list.h"

// Where lists of hosts come from: files, and the surroundings of a batch job.
namespace dunlin::cli {

/// The text of a file of hosts, at most 1 MiB. Fails with `usage`.
Result<std::string> host_list_file(const std::string& path);

/// The nodes of the allocation of Slurm, or of PBS, that this process runs in. Fails with `usage`
/// if it runs in none.
Result<std::vector<LaunchHost>> slurm_allocation();
Result<std::vector<LaunchHost>> pbs_allocation();

}  // namespace dunlin::cli
