// SPDX-License-Identifier: MIT
#include "node/warden/cgroup/cgroup_tree.h"

#include <algorithm>
#include <dirent.h>
#include <map>
#include <signal.h>
#include <sstream>
#include <unistd.h>

#include "node/kernel/kernel_file.h"
#include "node/signals.h"

// Where this process stands in the trees of cgroups. There may be several (version 1 has one for
// each group of controllers, and both versions may be mounted), and in a container a mount shows a
// part of a tree only: so the place is found from two files, of which one says the path in the tree
// and the other what is mounted where.
namespace dunlin::node {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Reads "<id>:<controllers>:<path>" lines as controllers -> path. The v2 hierarchy has no
/// controllers.
std::map<std::string, std::string> own_paths(const std::string& proc) {
  std::map<std::string, std::string> paths;
  for (const auto& line : split(read_kernel_file(proc + "/self/cgroup").value_or(""), '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    paths[line.substr(first + 1, second - first - 1)] = line.substr(second + 1);
  }
  return paths;
}

/// The part of `path` below `root`, as a mount of only a part of the hierarchy shows it. In a
/// container the path may lie outside of the mount; then only the mount point is left.
std::string below(const std::string& path, const std::string& root) {
  if (root == "/") return path == "/" ? "" : path;
  if (path == root) return "";
  return path.starts_with(root + "/") ? path.substr(root.size()) : "";
}

}  // namespace

bool Hierarchy::has(std::string_view controller) const {
  return std::ranges::find(controllers, controller) != controllers.end();
}

std::vector<Hierarchy> find_hierarchies(const std::string& proc) {
  const auto paths = own_paths(proc);
  std::vector<Hierarchy> found;
  for (const auto& line : split(read_kernel_file(proc + "/self/mountinfo").value_or(""), '\n')) {
    // 36 35 0:30 <root> <mount point> <options> ... - <type> <source> <super options>
    const auto words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    // Between the options and the dash stand any number of fields, so the rest is counted from the
    // dash.
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const std::string& type = dash[1];
    Hierarchy hierarchy{.v2 = type == "cgroup2"};
    std::string key;
    if (type == "cgroup") {
      // Among the super options, the controllers are those that /proc/self/cgroup names together.
      const auto options = split(dash[3], ',');
      const auto own = std::ranges::find_if(paths, [&](const auto& path) {
        const auto names = split(path.first, ',');
        return !names.empty() && std::ranges::all_of(names, [&](const std::string& name) {
          return std::ranges::find(options, name) != options.end();
        });
      });
      if (own == paths.end()) continue;
      key = own->first;
      hierarchy.controllers = split(key, ',');
    } else if (type != "cgroup2") {
      continue;
    }
    const auto own = paths.find(key);
    if (own == paths.end()) continue;
    hierarchy.own = words[4] + below(own->second, words[3]);
    found.push_back(std::move(hierarchy));
  }
  return found;
}

void clear_cgroup(const std::string& directory) {
  DIR* const listing = ::opendir(directory.c_str());
  if (listing == nullptr) return;
  while (const dirent* entry = ::readdir(listing)) {
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
      clear_cgroup(directory + "/" + entry->d_name);
    }
  }
  ::closedir(listing);
  // For a second: a process leaves its group only when it has ended, which SIGKILL does not wait
  // for.
  for (int round = 0; round < 200; ++round) {
    if (::rmdir(directory.c_str()) == 0) return;
    for (const pid_t pid : parse_pids(read_kernel_file(directory + "/cgroup.procs").value_or(""))) {
      signal_process(pid, SIGKILL);
    }
    ::usleep(5000);
  }
}

}  // namespace dunlin::node
