// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"
#include "tools/dunlin/launch/launch_queue.h"
#include "tools/dunlin/launch/launch_view.h"
#include "tools/dunlin/launch/ssh.h"

namespace dunlin::cli {

/// Runs the commands of `queue` by ssh until nothing is left to do, or the user interrupts. Returns
/// the signal by which he did, or 0. Fails if no ssh can be run here.
Result<int> drive_launch(LaunchQueue& queue, const SshWay& way, LaunchView& view);

}  // namespace dunlin::cli
