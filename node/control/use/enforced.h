// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "node/control/json.h"

namespace dunlin::node {

/// What a node says of its limits: the word of its limiter, with "+disk" if it holds tasks to rates
/// of its disk, and "+net" likewise. A build before shows it as it is.
std::string limits_text(std::string_view word, bool limits_disk, bool limits_net);

/// {cpu, memory, disk, network}: what the kernel, or the warden, holds tasks to of each, and by
/// what; null where nothing does.
Json enforced_json(std::string_view limits);

}  // namespace dunlin::node
