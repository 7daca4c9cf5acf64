// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The addresses of "host", "host:port", "10.0.0.7:7700" or "[fe80::1]:7700", in the system's order
/// of preference. Blocks while the system asks its name servers: for the start only. Fails, naming
/// the host, if there is none of that name.
Result<std::vector<overlay::Address>> resolve(std::string_view text, std::uint16_t default_port);

/// The address of this machine that others are most likely to reach: where its default route leaves
/// from, else that of any interface but link-local ones, else loopback. Sends nothing.
overlay::Address reachable_address(std::uint16_t port, bool v6_only);

}  // namespace dunlin::node
