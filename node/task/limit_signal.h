// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "node/message.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::node {

/// "USR2@30s": a signal, and how long before the end of its time limit a task gets it.
std::string limit_signal_text(int signal, overlay::Duration before);

/// Fails with `usage` if the signal of `spec`, if it has one, cannot be caught, or does not come
/// within `time_limit`, the limit of an attempt; 0 is none.
Result<void> check_limit_signal(const TaskSpec& spec, overlay::Duration time_limit);

/// The ms that a task has run when it gets its signal; empty if it gets none.
std::optional<std::uint32_t> limit_signal_after(const TaskSpec& spec, overlay::Duration time_limit);

}  // namespace dunlin::node
