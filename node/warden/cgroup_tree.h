// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dunlin::node {

/// A cgroup hierarchy that is mounted, and where in it this process is.
struct Hierarchy {
  bool v2 = false;
  std::vector<std::string> controllers{};  ///< Of v1: {"cpu", "cpuacct"}. Of v2: none named here.
  std::string own{};                       ///< The directory of this process' own cgroup.

  bool has(std::string_view controller) const;
};

/// All hierarchies, from <proc>/self/mountinfo and <proc>/self/cgroup.
std::vector<Hierarchy> find_hierarchies(const std::string& proc);

/// Where the cgroups of tasks left by an earlier life of this agent were: kills what still runs in
/// `directory` and below, and removes it. Needs no privilege beyond that of making it.
void clear_cgroup(const std::string& directory);

}  // namespace dunlin::node
