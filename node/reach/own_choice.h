// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/reach/address_rank.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// What an interface is, as far as it says if other machines are behind it.
enum class Link : std::uint8_t {
  wire,    ///< Hardware, or a bond, a VLAN, or a bridge of such.
  pair,    ///< One end of a pair, as containers have, and other devices made by software.
  bridge,  ///< A bridge that leads to containers and virtual machines alone.
  tunnel,  ///< A VPN, or another network inside a network.
  loopback,
};

/// An address of this machine.
struct HostAddress {
  Subnet subnet;  ///< Its port is 0.
  std::string interface;
  Link link = Link::wire;
  bool carrier = true;     ///< The other end of the link is there.
  bool lasting = true;     ///< Neither temporary nor deprecated, nor still being tried.
  bool leads_out = false;  ///< A default route of its family leaves by its interface.
};

/// Why an address is told to others.
enum class Reason : std::uint8_t {
  contact,    ///< The route to a contact leaves from it.
  seen,       ///< Others saw it, and could not reach the one before.
  kept,       ///< It was told before, and still leads here.
  interface,  ///< It is of the best interface.
  alone,      ///< This machine has no network.
};

/// "contact", "seen", "kept", "interface" or "alone".
std::string_view to_string(Reason reason);

struct OwnAddressChoice {
  overlay::Address address;
  Reason reason = Reason::interface;

  friend bool operator==(const OwnAddressChoice&, const OwnAddressChoice&) = default;
};

/// What is known about where this node can be reached.
struct AddressEvidence {
  std::vector<HostAddress> host;
  /// The addresses that datagrams to contacts leave from, of those contacts that answered.
  std::vector<overlay::Address> to_contacts;
  /// Where those others saw this node that cannot reach it at `current`: one each.
  std::vector<overlay::Address> seen;
  std::size_t reaching = 0;  ///< Others that speak with this node, and do not say so.
  /// What others are told now, or were by the process before.
  std::optional<OwnAddressChoice> current;
  std::uint16_t port = 0;  ///< The port that is bound.
  bool v4_only = false;    ///< The socket takes no IPv6.
};

/// So many witnesses must agree where this node is seen before it believes them: others, and an
/// interface of its own that has the address. And they must be more than those that reach it.
inline constexpr std::size_t kSeenMin = 2;

/// The address to tell others. A choice that was made stays as long as nothing speaks against it,
/// because each change costs a new beginning. Fails (`usage`), with the addresses to choose from,
/// if none of them is likely to be reached.
Result<OwnAddressChoice> choose_own_address(const AddressEvidence& evidence);

/// All addresses that others may try, `told` first, with ports: at most `max`. Bridges to
/// containers lead nobody here.
std::vector<overlay::Address> addresses_to_tell(const std::vector<HostAddress>& host,
    const overlay::Address& told,
    std::uint16_t port,
    std::size_t max);

/// The networks that this machine is in.
std::vector<Subnet> subnets_of(const std::vector<HostAddress>& host);

}  // namespace dunlin::node
