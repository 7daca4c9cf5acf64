// SPDX-License-Identifier: MIT
#include "node/reach/address_rank.h"

#include <algorithm>
#include <bit>

// Which of several addresses of a node to try first. What can be told without a packet is what
// RFC 6724 tells: the scope, label and precedence of both ends, and how much of a network they
// share. An address in a network that this machine is in goes before all that: no router can be in
// the way.
namespace dunlin::node {
namespace {

using overlay::Address;

enum class Scope : std::uint8_t { link = 2, site = 5, global = 14 };

std::uint32_t v4_of(const Address& address) {
  return static_cast<std::uint32_t>(address.low);
}

Scope scope_of(const Address& address) {
  if (is_loopback(address) || is_link_local(address)) return Scope::link;
  if (!address.is_v4() && address.high >> 54 == 0xfec0 >> 6) return Scope::site;
  return Scope::global;
}

/// A line of the policy table of RFC 6724, section 2.1, without the addresses that are out of use.
struct Policy {
  int precedence;
  int label;
};

Policy policy_of(const Address& address) {
  if (address.is_v4()) return {35, 4};
  if (is_loopback(address)) return {50, 0};
  if (address.high >> 57 == 0xfc >> 1) return {3, 13};    // fc00::/7: of one site.
  if (address.high >> 48 == 0x2002) return {30, 2};       // 6to4
  if (address.high >> 32 == 0x20010000) return {5, 5};    // Teredo
  if (address.high >> 54 == 0xfec0 >> 6) return {1, 11};  // Site-local, out of use.
  return {40, 1};
}

/// The address that this machine would most likely speak from; null if it has none of that family.
const Subnet* source_for(const Address& far, std::span<const Subnet> own) {
  const Subnet* best = nullptr;
  const auto merit = [&far](const Subnet& of) {
    return std::pair(scope_of(of.address) == scope_of(far), common_bits(of.address, far));
  };
  for (const Subnet& each : own) {
    if (each.address.is_v4() != far.is_v4()) continue;
    if (best == nullptr || merit(each) > merit(*best)) best = &each;
  }
  return best;
}

}  // namespace

bool is_loopback(const Address& address) {
  return address.is_v4() ? (v4_of(address) >> 24) == 127 : address.high == 0 && address.low == 1;
}

bool is_link_local(const Address& address) {
  return address.is_v4() ? (v4_of(address) >> 16) == 0xa9fe    // 169.254.0.0/16
                         : address.high >> 54 == 0xfe80 >> 6;  // fe80::/10
}

bool same_host(const Address& a, const Address& b) {
  return a.high == b.high && a.low == b.low;
}

int common_bits(const Address& a, const Address& b) {
  const int high = std::countl_zero(a.high ^ b.high);
  return high < 64 ? high : 64 + std::countl_zero(a.low ^ b.low);
}

AddressRank rank_of(const Address& far, std::span<const Subnet> own) {
  const Subnet* const source = source_for(far, own);
  if (source == nullptr) return {};
  const Policy there = policy_of(far);
  const Policy here = policy_of(source->address);
  return {.usable = true,
      .own_network = std::ranges::any_of(own,
          [&far](const Subnet& each) { return common_bits(each.address, far) >= each.prefix; }),
      .same_scope = scope_of(far) == scope_of(source->address),
      .same_label = there.label == here.label,
      .precedence = there.precedence,
      .narrowness = -static_cast<int>(scope_of(far)),
      // Rule 9 is of IPv6: of IPv4, shared bits beyond the network say nothing.
      .common = far.is_v4() ? 0 : common_bits(source->address, far)};
}

}  // namespace dunlin::node
