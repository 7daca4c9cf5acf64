// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "node/message.h"
#include "overlay/result.h"

namespace dunlin::cli {

/// Reads "nofile=4096", "stack=64M", "cpu=1h" or "core=unlimited", and adds the limit to `spec`, in
/// the place of an earlier one of that name. Fails with `usage`.
Result<void> add_limit(std::string_view text, node::TaskSpec& spec);

/// Reads "USR2@30s", "SIGUSR2@1m" or "12", which is 60 s before: the signal that tasks get so long
/// before their time limit. Fails with `usage`.
Result<void> read_limit_signal(std::string_view text, node::TaskSpec& spec);

/// The umask of this process. Not while another thread makes files.
unsigned own_umask();

/// Reads "077" or "0o77": a umask. Fails with `usage`.
Result<unsigned> parse_umask(std::string_view text);

}  // namespace dunlin::cli
