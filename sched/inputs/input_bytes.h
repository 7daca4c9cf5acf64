// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sched/job.h"

namespace dunlin::sched {

/// The inputs of a group as records keep them; no bytes if no input has a place.
std::string input_bytes(const GroupInputs& inputs);

/// Reads what input_bytes() made, or what a stranger says that it made. Allocates no more than the
/// bytes can fill. Empty if they are malformed. What they say is not checked: see
/// has_sound_inputs().
std::optional<GroupInputs> inputs_of_bytes(std::string_view bytes);

}  // namespace dunlin::sched
