// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sched/message.h"

// The word of an administrator that a node takes no tasks, as its database has it: "SINCE UNTIL",
// in ns since 1970, and a line each for the one who said it and the reason. Empty: none.
namespace dunlin::node {

std::string drain_text(const std::optional<sched::DrainTerms>& terms);
/// Of a text that no Dunlin wrote, the node is drained, and nothing more is known.
std::optional<sched::DrainTerms> drain_of_text(std::string_view text);

}  // namespace dunlin::node
