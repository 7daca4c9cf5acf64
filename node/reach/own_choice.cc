// SPDX-License-Identifier: MIT
#include "node/reach/own_choice.h"

#include <algorithm>
#include <array>
#include <tuple>

// A machine has many addresses, and others can reach it at some of them alone. The default route is
// a bad guide: compute nodes often have none, or one by a network for administrators. So what was
// proven goes first: the address from which this machine speaks to a contact that answers. Then
// comes what others say. Only a node that nobody has met yet looks at its interfaces, and leaves
// out those that lead to its own containers.
namespace dunlin::node {
namespace {

using overlay::Address;

constexpr std::size_t kListedMax = 8;

bool is_candidate(const HostAddress& each, bool v4_only) {
  const Address& address = each.subnet.address;
  return each.carrier && each.lasting && each.link != Link::loopback && !is_loopback(address) &&
      !is_link_local(address) && (address.is_v4() || !v4_only);
}

const HostAddress* find_host(const std::vector<HostAddress>& host, const Address& address) {
  const auto found = std::ranges::find_if(
      host, [&](const HostAddress& each) { return same_host(each.subnet.address, address); });
  return found == host.end() ? nullptr : &*found;
}

Address with_port(Address address, std::uint16_t port) {
  address.port = port;
  return address;
}

/// The same address, or the lasting one beside it, if the system prefers to speak from temporary
/// ones.
Address lasting(const std::vector<HostAddress>& host, const Address& address) {
  const HostAddress* const found = find_host(host, address);
  if (found == nullptr || found->lasting) return address;
  const auto beside = std::ranges::find_if(host, [&](const HostAddress& each) {
    return each.lasting && each.interface == found->interface &&
        common_bits(each.subnet.address, address) >= each.subnet.prefix;
  });
  return beside == host.end() ? address : beside->subnet.address;
}

/// Whether what is told now still leads here, as far as this machine knows.
bool still_holds(const AddressEvidence& evidence) {
  const OwnAddressChoice& current = *evidence.current;
  if (current.reason == Reason::seen) return true;
  const HostAddress* const found = find_host(evidence.host, current.address);
  if (found == nullptr || current.address.port != evidence.port) return false;
  return found->link != Link::loopback && (current.address.is_v4() || !evidence.v4_only);
}

/// The address that witnesses agree on.
std::optional<Address> agreed(const AddressEvidence& evidence) {
  for (const Address& each : evidence.seen) {
    const auto others = static_cast<std::size_t>(std::ranges::count(evidence.seen, each));
    const HostAddress* const own = find_host(evidence.host, each);
    const bool has_it = own != nullptr && own->lasting && each.port == evidence.port;
    if (others + (has_it ? 1 : 0) >= kSeenMin && others > evidence.reaching) return each;
  }
  return std::nullopt;
}

/// The best interface of those that `may` allows.
template <typename May>
const HostAddress* best_of(const AddressEvidence& evidence, May may) {
  const auto merit = [](const HostAddress& each) {
    // Builds before this one listen on IPv4 alone, so that goes first.
    return std::tuple(each.leads_out, each.subnet.address.is_v4(), each.link == Link::wire);
  };
  const HostAddress* best = nullptr;
  for (const HostAddress& each : evidence.host) {
    if (!is_candidate(each, evidence.v4_only) || !may(each)) continue;
    if (best == nullptr || merit(each) > merit(*best)) best = &each;
  }
  return best;
}

std::string_view name_of(Link link) {
  constexpr std::array<std::string_view, 5> kNames = {
      "", "", "a bridge to containers", "a tunnel", "loopback"};
  return kNames[static_cast<std::size_t>(link)];
}

tl::unexpected<Error> nothing_to_choose(const AddressEvidence& evidence) {
  std::string list;
  std::size_t listed = 0;
  for (const HostAddress& each : evidence.host) {
    if (!is_candidate(each, evidence.v4_only) || ++listed > kListedMax) continue;
    std::string text = overlay::to_string(with_port(each.subnet.address, evidence.port));
    const std::string_view what = name_of(each.link);
    text += " (" + each.interface + (what.empty() ? "" : ", " + std::string(what)) + ")";
    list += (list.empty() ? "" : ", ") + text;
  }
  return failure(ErrorKind::usage,
      "no address of this machine is likely to be reached by others: say which one is with "
      "--advertise (agent.advertise), of " +
          list);
}

}  // namespace

std::string_view to_string(Reason reason) {
  constexpr std::array<std::string_view, 5> kNames = {
      "contact", "seen", "kept", "interface", "alone"};
  return kNames[static_cast<std::size_t>(reason)];
}

Result<OwnAddressChoice> choose_own_address(const AddressEvidence& evidence) {
  const bool holds = evidence.current && still_holds(evidence);
  if (const auto seen = agreed(evidence)) return OwnAddressChoice{*seen, Reason::seen};
  std::vector<Address> sources;
  for (const Address& each : evidence.to_contacts) {
    if (is_loopback(each) || is_link_local(each)) continue;
    sources.push_back(with_port(lasting(evidence.host, each), evidence.port));
  }
  // What was proven once stays: a contact of another network would else call for the other address.
  const bool proven_before = holds &&
      (evidence.current->reason == Reason::seen || evidence.current->reason == Reason::contact);
  const bool proven = !sources.empty() && !proven_before;
  if (proven) {
    const bool same = holds && std::ranges::count(sources, evidence.current->address) > 0;
    return OwnAddressChoice{same ? evidence.current->address : sources.front(), Reason::contact};
  }
  if (holds) return *evidence.current;

  const HostAddress* best = best_of(evidence,
      [](const HostAddress& each) { return each.link == Link::wire || each.link == Link::pair; });
  if (best == nullptr) {
    best = best_of(evidence, [](const HostAddress& each) { return each.leads_out; });
  }
  if (best != nullptr) {
    return OwnAddressChoice{with_port(best->subnet.address, evidence.port), Reason::interface};
  }
  const bool others = std::ranges::any_of(
      evidence.host, [&](const HostAddress& each) { return is_candidate(each, evidence.v4_only); });
  if (others) return nothing_to_choose(evidence);
  return OwnAddressChoice{Address::v4(0x7f000001, evidence.port), Reason::alone};
}

std::vector<Address> addresses_to_tell(const std::vector<HostAddress>& host,
    const Address& told,
    std::uint16_t port,
    std::size_t max) {
  std::vector<Address> all = {told};
  for (const HostAddress& each : host) {
    const Address address = with_port(each.subnet.address, port);
    const bool useful = is_candidate(each, false) && each.link != Link::bridge;
    if (useful && all.size() < max && std::ranges::count(all, address) == 0) {
      all.push_back(address);
    }
  }
  return all;
}

std::vector<Subnet> subnets_of(const std::vector<HostAddress>& host) {
  std::vector<Subnet> all;
  for (const HostAddress& each : host) {
    // A bridge to containers has the same network on many machines.
    if (each.link != Link::bridge && each.carrier) all.push_back(each.subnet);
  }
  return all;
}

}  // namespace dunlin::node
