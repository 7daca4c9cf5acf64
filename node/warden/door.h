// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "overlay/result.h"

namespace dunlin::node::warden {

/// The place where agents find a warden: a socket in a directory that its user alone may enter, and
/// a secret beside it. It keeps out other users, and also tasks, which may have the agent's user
/// and read the secret.
class Door {
 public:
  /// Becomes the one warden of the directory: takes its lock, makes a new secret, and listens.
  /// Fails with `refused` if another warden holds the lock, else by a text that names the file.
  static Result<Door> open(const std::string& directory);
  Door(Door&& other) noexcept;
  Door& operator=(Door&&) = delete;
  ~Door();

  /// Readable when a process is there; -1 once closed.
  int descriptor() const { return listener_; }
  /// The connection of the next process that may greet; empty if there is none, and `refused` says
  /// why if one was turned away. The caller closes it.
  std::optional<int> accept(std::string& refused);
  /// True if `secret` is the one. The time it takes does not tell how much of it is right.
  bool knows(std::string_view secret) const;
  /// Lets no more in. The lock holds on.
  void close();

 private:
  Door() = default;

  int lock_ = -1;
  int listener_ = -1;
  std::string secret_;
};

}  // namespace dunlin::node::warden
