// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sched/job.h"

namespace dunlin::sched {

/// A group of a job by its name, and the groups that it waits for by theirs.
struct NamedStage {
  std::string name;
  std::vector<std::string> after;
};

/// What is wrong with the stages of a job: of the name `name` in NamedStage::after of `group`.
struct StageMistake {
  std::size_t group = 0;
  std::size_t name = 0;
  std::string text;
};

/// What TaskGroup::after is of each group: ascending. Requires at most kJobGroupsMax. Fails at a
/// name that no group or that several have, that is said twice, that is the group's own, and at the
/// first group of a circle.
tl::expected<std::vector<std::vector<std::uint16_t>>, StageMistake> resolve_stages(
    std::span<const NamedStage> stages);

/// True if TaskGroup::after of these groups names, ascending, other groups of theirs, and no group
/// waits for itself through others.
bool has_sound_stages(std::span<const TaskGroup> groups);

}  // namespace dunlin::sched
