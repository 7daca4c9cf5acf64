// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace dunlin::node::warden {

/// A user that a task runs as.
struct TaskUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  ///< All of them, `gid` among them.
  std::string name;
  std::string home;
};

/// What a search for a user found: `user`, or why a task must not run as it.
struct FoundUser {
  std::optional<TaskUser> user;
  int error = 0;  ///< An errno.
  std::string why;
};

/// Looks a user up by name, in the system's databases: this may block for long. Root, and ids below
/// `uid_min`, are refused.
FoundUser find_user(const std::string& name, uid_t uid_min);

/// True if this process can run tasks as other users, and end them: as root, or with CAP_SETUID,
/// CAP_SETGID and CAP_KILL in effect.
bool can_change_user();

}  // namespace dunlin::node::warden
