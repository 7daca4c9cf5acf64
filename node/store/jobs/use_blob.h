// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sched/message.h"

namespace dunlin::node {

/// What a task used, as bytes: a version, then node/fields.h. Empty if nothing is known.
std::string encode_use(const sched::TaskUse& use);

/// The content of those bytes; nothing known if they are of a newer version, or something else: the
/// rest of a result is worth more than this.
sched::TaskUse decode_use(std::string_view bytes);

}  // namespace dunlin::node
