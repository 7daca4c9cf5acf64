// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dunlin::node {

/// The group of which the members are administrators, beside root and the agent's own user.
inline constexpr const char* kAdminGroup = "dunlin-admin";

/// The user that a request is made for.
struct Principal {
  std::string user;            ///< By name; "#1234" of an id without one. Empty: not told.
  bool administrator = false;  ///< May act on everybody's jobs, and on the cluster.
  bool remote = false;         ///< Spoke on a sealed stream, and so holds the cluster key.
  std::string delegate = {};   ///< The Unix user that spoke for that one; empty: the user itself.
};

/// The users that may make a request.
enum class Access : std::uint8_t {
  everyone,
  owner,          ///< The owner of the job that it names, and administrators.
  administrator,  ///< Administrators alone.
};

/// True if a job of `owner` is this user's own, or any user's that an administrator acts on.
inline bool may_act_for(const Principal& who, std::string_view owner) {
  return who.administrator || (!who.user.empty() && who.user == owner);
}

}  // namespace dunlin::node
