// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dunlin::node {

/// A mounted cgroup hierarchy, and the place of this process in it.
struct Hierarchy {
  bool v2 = false;
  std::vector<std::string> controllers{};  ///< For v1: {"cpu", "cpuacct"}. For v2: none.
  std::string own{};                       ///< The directory of this process' own cgroup.

  bool has(std::string_view controller) const;
};

/// All hierarchies, from <proc>/self/mountinfo and <proc>/self/cgroup.
std::vector<Hierarchy> find_hierarchies(const std::string& proc);

/// Clears the cgroups that tasks of an earlier incarnation of this agent left: kills the processes
/// in `directory` and below, and removes it. It needs no privilege beyond that of making it.
void clear_cgroup(const std::string& directory);

}  // namespace dunlin::node
