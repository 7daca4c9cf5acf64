// SPDX-License-Identifier: MIT
#include "node/agent/lonely.h"

#include <algorithm>

namespace dunlin::node {
namespace {

constexpr std::size_t kContactsShown = 4;

std::string family(const overlay::Address& address) {
  return address.is_v4() ? "IPv4" : "IPv6";
}

/// An agent that listens on all addresses of both families can be asked by both.
bool may_reach(const overlay::Address& bound, const overlay::Address& contact) {
  const bool both = bound.is_any() && !bound.is_v4();
  return both || bound.is_v4() == contact.is_v4();
}

}  // namespace

std::string not_joined_text(const Lonely& lonely) {
  if (lonely.contacts.empty()) {
    return "not joined: no name of agent.join (" + lonely.join + ") has an address";
  }
  std::string contacts;
  for (std::size_t i = 0; i < lonely.contacts.size() && i < kContactsShown; ++i) {
    contacts += (i == 0 ? "" : ", ") + overlay::to_string(lonely.contacts[i]);
  }
  const bool one = lonely.contacts.size() == 1;
  if (lonely.contacts.size() > kContactsShown) contacts += ", ...";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lonely.silence).count();
  std::string text = "not joined: " + contacts + (one ? " has" : " have") + " not answered for " +
      std::to_string(seconds) + " s";
  const auto far = std::ranges::find_if(lonely.contacts,
      [&](const overlay::Address& contact) { return !may_reach(lonely.bound, contact); });
  if (far != lonely.contacts.end()) {
    text += ": this agent is bound to " + overlay::to_string(lonely.bound) + ", and " +
        overlay::to_string(*far) + " is " + family(*far) +
        ": use an address of the same family in agent.bind and agent.join";
    if (one) return text;
  }
  return text + ": does an agent run there? is its key the same (its log says " +
      "datagrams_unopened if not)? does a firewall let UDP and TCP of that port through?";
}

}  // namespace dunlin::node
