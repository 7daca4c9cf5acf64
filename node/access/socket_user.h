// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <sys/types.h>

namespace dunlin::node {

/// The process at the other end of a Unix socket, as the kernel knows it since it connected.
struct SocketUser {
  uid_t uid = 0;
  bool administrator = false;
};

/// Reads the caller of the connected `socket`. Root, the agent's own user, which can read the
/// cluster key, and members of the group `admins` are administrators. Empty if the kernel does not
/// say.
std::optional<SocketUser> socket_user(int socket, std::optional<gid_t> admins);

/// The group of that name; empty if there is none. Asks the system's databases: may block.
std::optional<gid_t> group_id(const char* name);

}  // namespace dunlin::node
