// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "node/agent_options.h"
#include "node/log.h"
#include "overlay/result.h"

namespace dunlin::node {

/// Takes from other users what rights they have at the data directory, the files in it that hold
/// secrets, and the key file, and logs each of them. `user` is this process' own user. Fails with
/// `refused`, naming the file and the cure, if one belongs to another user, whatever its mode, if
/// another user could put another one in its place (see check_trusted()), or if what the data
/// directory holds of an agent is a symbolic link. A key file that others may write is left as it
/// is, for its reader to refuse; it may be root's, and be reached by links.
Result<void> close_files(const AgentOptions& options, uid_t user, Log& log);

/// Marks the data directory with its place. In a copy of one that is still there it fails
/// (`refused`), logs it, and sets `copy`. Call it before anything of the node is touched: this
/// process would take it for its own.
Result<void> claim_directory(const AgentOptions& options, Log& log, bool& copy);

}  // namespace dunlin::node
