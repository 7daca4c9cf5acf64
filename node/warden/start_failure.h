// SPDX-License-Identifier: MIT
#pragma once

#include "node/warden/launch.h"
#include "node/warden/protocol.h"

namespace dunlin::node::warden {

/// The end of a task whose start failed before its program was executed, and the reason in words.
/// Requires that `launch.error()` is not 0.
Exited failed_start(const Launch& launch);

/// The end of a task whose start hung for `seconds`. It names the step and the object.
Exited hung_start(const Launch& launch, int seconds);

}  // namespace dunlin::node::warden
