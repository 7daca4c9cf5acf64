// SPDX-License-Identifier: MIT
#include "node/warden/task_user.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

// Directories of users need libraries, memory and locks, so all of this happens before a child
// exists. An agent whose key has leaked must not become root by its warden: whatever it asks for,
// no task runs as root or a user of the system.
namespace dunlin::node::warden {
namespace {

constexpr std::size_t kTextMax = 1u << 20;
constexpr int kGroupsMax = 65'536;

FoundUser refused(int error, std::string why) {
  return {.user = {}, .error = error, .why = std::move(why)};
}

std::vector<gid_t> groups_of(const char* name, gid_t first) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (::getgrouplist(name, first, groups.data(), &count) < 0 && count <= kGroupsMax) {
    // Where the call did not say how many there are, so that the loop comes to an end.
    if (static_cast<std::size_t>(count) <= groups.size()) count *= 2;
    groups.resize(static_cast<std::size_t>(count));
  }
  groups.resize(std::min(groups.size(), static_cast<std::size_t>(count)));
  return groups;
}

}  // namespace

FoundUser find_user(const std::string& name, uid_t uid_min) {
  const std::string quoted = "user '" + name + "'";
  std::vector<char> text(16'384);
  passwd entry{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = ::getpwnam_r(name.c_str(), &entry, text.data(), text.size(), &found)) == ERANGE &&
      text.size() < kTextMax) {
    text.resize(2 * text.size());
  }
  if (found == nullptr && (error == 0 || error == ENOENT || error == ESRCH)) {
    return refused(ENOENT, "there is no " + quoted);
  }
  if (found == nullptr) {
    // A directory that does not answer is no mistake of the user: another node may have one that
    // does.
    return refused(EAGAIN, "cannot look up " + quoted + ": " + std::strerror(error));
  }
  if (entry.pw_uid == 0 || entry.pw_uid < uid_min) {
    return refused(EPERM,
        quoted + " has the id " + std::to_string(entry.pw_uid) +
            ", and tasks run as no user below " + std::to_string(uid_min) + " (agent.uid_min)");
  }
  return {.user = TaskUser{.uid = entry.pw_uid,
              .gid = entry.pw_gid,
              .groups = groups_of(entry.pw_name, entry.pw_gid),
              .name = entry.pw_name,
              .home = entry.pw_dir},
      .why = {}};
}

bool can_change_user() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2]{};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  constexpr __u32 needed = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL;
  return (sets[0].effective & needed) == needed;
}

}  // namespace dunlin::node::warden
