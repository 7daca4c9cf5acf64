// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "node/warden/cgroup.h"
#include "node/warden/protocol.h"
#include "overlay/result.h"

namespace dunlin::node::warden {

/// The limiter that an agent wants: see Limiter::open(). `no_disk_limits` becomes a text for the
/// operator if tasks are not held to the rates of the disk that they demand; else it is empty.
Result<std::unique_ptr<Limiter>> open_limiter(
    const Settings& wanted, std::vector<std::string>& notes, std::string& no_disk_limits);

}  // namespace dunlin::node::warden
