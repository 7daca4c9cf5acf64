// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/warden/cgroup/cgroup.h"
#include "node/warden/protocol.h"
#include "overlay/result.h"

namespace dunlin::node::warden {

/// The reasons why tasks are not held to rates that they demand, in words for the operator; empty:
/// they are.
struct Unenforced {
  std::string disk;
  std::string net;

  /// The reason that matters to `start`, once.
  std::optional<Note> note_for(const Start& start);
};

/// The limiter that an agent wants: see Limiter::open(). Sets `unenforced`.
Result<std::unique_ptr<Limiter>> open_limiter(
    const Settings& wanted, std::vector<std::string>& notes, Unenforced& unenforced);

}  // namespace dunlin::node::warden
