// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "overlay/ids.h"
#include "overlay/result.h"

namespace dunlin::overlay {

/// The place of a peer: an IPv6 address (IPv4 as ::ffff:a.b.c.d) and a port. Plain numbers, because
/// protocol code knows no socket headers.
struct Address {
  std::uint64_t high = 0;  ///< The first 8 bytes, big end first.
  std::uint64_t low = 0;   ///< The last 8 bytes.
  std::uint16_t port = 0;

  constexpr explicit operator bool() const { return port != 0; }
  constexpr bool is_v4() const { return high == 0 && low >> 32 == 0xffff; }
  /// 0.0.0.0 or ::. A node may bind to it; it is never advertised, since no answer can reach it.
  constexpr bool is_any() const { return high == 0 && (low == 0 || low == 0xffff00000000); }

  static constexpr Address v4(std::uint32_t ip, std::uint16_t port) {
    return {.high = 0, .low = std::uint64_t{0xffff00000000} | ip, .port = port};
  }

  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

/// "10.0.0.7:7700" or "[fe80::1]:7700".
std::string to_string(const Address& address);

/// Reads a numeric "ip", "ip:port" or "[ip6]:port". A text without a port gets `default_port`.
/// `node/` resolves host names; they fail here.
Result<Address> parse_address(std::string_view text, std::uint16_t default_port);

/// The sender or the receiver of a message. The id is 0 for a contact known only by its address.
struct Endpoint {
  PeerId id;
  Address address;

  friend constexpr auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

}  // namespace dunlin::overlay
