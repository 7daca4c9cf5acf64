// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <netdb.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// Where an agent listens, if nothing else is said.
inline constexpr std::uint16_t kDefaultPort = 7700;

struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const HostAndPort&, const HostAndPort&) = default;
};

/// Cuts "host", "host:port", "10.0.0.7:7700" or "[fe80::1]:7700" in two. Fails (`usage`), naming
/// the text, if it has another form.
Result<HostAndPort> split_address(std::string_view text, std::uint16_t default_port);

/// The address that `where` spells out; empty if its host is a name. Asks no resolver.
std::optional<overlay::Address> numeric_address(const HostAndPort& where);

/// The distinct addresses of a list of the system's resolver, with the port of `where`. Fails
/// (`not_found`), naming the host, if there are none.
Result<std::vector<overlay::Address>> addresses_of(const addrinfo* first, const HostAndPort& where);

/// The addresses of "host", "host:port", "10.0.0.7:7700" or "[fe80::1]:7700", in the system's order
/// of preference. Blocks while the system asks its name servers: for clients, and before the loop
/// runs. Fails, naming the host, if there is none of that name.
Result<std::vector<overlay::Address>> resolve(std::string_view text, std::uint16_t default_port);

}  // namespace dunlin::node
