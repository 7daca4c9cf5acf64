// SPDX-License-Identifier: MIT
#include "node/access/socket_user.h"

#include <algorithm>
#include <grp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

// The kernel remembers who connected, with the groups of that moment. So neither a name that the
// client sends nor a database of users that lags behind decides what it may do.
namespace dunlin::node {
namespace {

constexpr std::size_t kGroupsMax = 65'536;

/// The supplementary groups of the process that connected.
std::vector<gid_t> groups_of(int socket) {
  std::vector<gid_t> groups(64);
  auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) {
    // The kernel says how much room it takes.
    const std::size_t wanted = size / sizeof(gid_t);
    if (wanted <= groups.size() || wanted > kGroupsMax) return {};
    groups.resize(wanted);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return {};
  }
  groups.resize(size / sizeof(gid_t));
  return groups;
}

}  // namespace

std::optional<SocketUser> socket_user(int socket, std::optional<gid_t> admins) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  bool administrator = peer.uid == 0 || peer.uid == ::geteuid();
  if (!administrator && admins) {
    administrator = peer.gid == *admins || std::ranges::count(groups_of(socket), *admins) > 0;
  }
  return SocketUser{.uid = peer.uid, .administrator = administrator};
}

std::optional<gid_t> group_id(const char* name) {
  const group* const found = ::getgrnam(name);
  return found == nullptr ? std::nullopt : std::optional(found->gr_gid);
}

}  // namespace dunlin::node
