// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "overlay/address.h"

namespace dunlin::node {

/// An address of an interface, and how many of its 128 bits name the network (of IPv4: 96 + n).
struct Subnet {
  overlay::Address address;
  std::uint8_t prefix = 128;

  friend bool operator==(const Subnet&, const Subnet&) = default;
};

/// True for addresses that lead to the machine itself, whichever it is.
bool is_loopback(const overlay::Address& address);
/// True for addresses that mean something on one link alone, and need its name beside them.
bool is_link_local(const overlay::Address& address);
/// True if both are the same but for their ports.
bool same_host(const overlay::Address& a, const overlay::Address& b);
/// The leading bits that two addresses have in common, up to 128.
int common_bits(const overlay::Address& a, const overlay::Address& b);

/// How good an address of another node is, as far as can be told without trying; the greatest is
/// the best. In the order of the members: one of a family that this machine has, of a network that
/// it is in, then what RFC 6724 prefers (section 6: rules 2, 5, 6, 8 and 9).
struct AddressRank {
  bool usable = false;
  bool own_network = false;
  bool same_scope = false;
  bool same_label = false;
  int precedence = 0;
  int narrowness = 0;
  int common = 0;

  friend auto operator<=>(const AddressRank&, const AddressRank&) = default;
};

/// `own` are the addresses of this machine.
AddressRank rank_of(const overlay::Address& far, std::span<const Subnet> own);

}  // namespace dunlin::node
