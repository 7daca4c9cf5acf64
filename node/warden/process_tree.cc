// SPDX-License-Identifier: MIT
#include "node/warden/process_tree.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include "node/kernel/kernel_file.h"

// Without cgroups, a task is the processes that descend from its main process. A process can leave
// that tree: its parent may end, and it becomes an orphan. Orphans come to the warden, which is
// their reaper, so they are among its own children; the session, and a variable in the environment,
// tell which task they belong to. A process that changes both escapes; only a cgroup could hold it.
namespace dunlin::node {
namespace {

struct Stat {
  char state = 'X';
  pid_t parent = 0;
  pid_t session = 0;
};

/// Reads /proc/<pid>/stat; state X if the process is gone.
Stat stat_of(pid_t process) {
  Stat stat;
  const auto text = read_kernel_file("/proc/" + std::to_string(process) + "/stat");
  if (!text) return stat;
  const auto name_end = text->rfind(')');  // The name may hold anything, even a ")".
  if (name_end == std::string::npos) return stat;
  pid_t group = 0;
  std::istringstream(text->substr(name_end + 1)) >> stat.state >> stat.parent >> group >>
      stat.session;
  return stat;
}

/// Reads the parent of every process, on kernels without CONFIG_PROC_CHILDREN.
std::vector<pid_t> children_by_scan(pid_t parent) {
  std::vector<pid_t> children;
  DIR* const proc = ::opendir("/proc");
  if (proc == nullptr) return children;
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = leading_number(entry->d_name);
    if (pid && stat_of(static_cast<pid_t>(*pid)).parent == parent) {
      children.push_back(static_cast<pid_t>(*pid));
    }
  }
  ::closedir(proc);
  return children;
}

bool carries(pid_t process, const std::string& variable) {
  const auto text = read_kernel_file("/proc/" + std::to_string(process) + "/environ");
  if (!text) return false;
  const std::string_view all = *text;
  const std::string entry = variable + '\0';
  return all.starts_with(entry) || all.find('\0' + entry) != std::string_view::npos;
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  static const bool has_file = ::access("/proc/thread-self/children", R_OK) == 0;
  if (!has_file) return children_by_scan(parent);
  // A file lists the children that one thread made.
  std::vector<pid_t> children;
  const std::string threads = "/proc/" + std::to_string(parent) + "/task";
  DIR* const directory = ::opendir(threads.c_str());
  if (directory == nullptr) return children;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    const auto text = read_kernel_file(threads + "/" + entry->d_name + "/children");
    for (const pid_t child : parse_pids(text.value_or(""))) children.push_back(child);
  }
  ::closedir(directory);
  return children;
}

std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> all{root};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const pid_t child : children_of(all[i])) all.push_back(child);
  }
  return all;
}

bool sees_processes() {
  return stat_of(::getpid()).state != 'X';
}

bool is_alive(pid_t process) {
  const char state = stat_of(process).state;
  return state != 'Z' && state != 'X';
}

bool descends_from(pid_t process, pid_t root) {
  // A process that ends on the way up hands its children to another one, so there is no loop; the
  // bound is for a kernel that lies.
  constexpr int kDepthMax = 10'000;
  for (int depth = 0; process > 1 && depth < kDepthMax; ++depth) {
    if (process == root) return true;
    process = stat_of(process).parent;
  }
  return false;
}

std::uint64_t resident_bytes(pid_t process) {
  const auto text = read_kernel_file("/proc/" + std::to_string(process) + "/statm");
  if (!text) return 0;
  const auto space = text->find(' ');
  if (space == std::string::npos) return 0;
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return leading_number(std::string_view(*text).substr(space + 1)).value_or(0) * page;
}

std::vector<pid_t> task_processes(pid_t main, std::uint32_t slot, std::span<const pid_t> others) {
  std::vector<pid_t> all;
  const std::string variable = "DUNLIN_SLOT=" + std::to_string(slot);
  for (const pid_t child : children_of(::getpid())) {
    if (std::ranges::find(others, child) != others.end()) continue;
    const Stat stat = stat_of(child);
    if (stat.state == 'X') continue;
    if (child != main && stat.session != main && !carries(child, variable)) continue;
    for (const pid_t process : descendants_of(child)) all.push_back(process);
  }
  // Dead processes need no signal, and must not keep the task from ending.
  std::erase_if(all, [](pid_t process) { return !is_alive(process); });
  return all;
}

}  // namespace dunlin::node
