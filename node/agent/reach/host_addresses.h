// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "node/reach/own_choice.h"
#include "overlay/address.h"

namespace dunlin::node {

/// The addresses of this machine's interfaces that are up, in the kernel's order. Empty if the
/// kernel does not tell.
std::vector<HostAddress> host_addresses();

/// The address that datagrams to `far` would leave from; empty if there is no way there. Sends
/// nothing.
std::optional<overlay::Address> source_towards(const overlay::Address& far);

}  // namespace dunlin::node
