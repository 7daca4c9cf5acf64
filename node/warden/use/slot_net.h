// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "node/warden/cgroup/cgroup_slots.h"
#include "node/warden/use/net_guard.h"

namespace dunlin::node {

/// Puts the next task of a slot under rates of the network, by the slot's cgroup of version 2 in
/// `directory`. Without rates nothing is done, unless an earlier task had some.
Result<void> limit_net(
    CgroupSlots::Slot& slot, const std::string& directory, const NetRates& rates);

/// Counts the network of the slot's task from now on, if that is not done yet. False if the kernel
/// does not let this process.
bool watch_net(CgroupSlots::Slot& slot, const std::string& directory);

/// What the slot's task has received and sent; empty if nothing counts it.
std::optional<NetBytes> net_of(const CgroupSlots::Slot& slot);

}  // namespace dunlin::node
