// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/agent/agent_parts.h"
#include "node/agent/contacts.h"
#include "node/loop/wakeup.h"
#include "node/net/name_lookup.h"

namespace dunlin::node {

/// Gives the peer its contacts, and new ones whenever their names stand for other addresses.
class ContactWatch final : private Contacts::Port {
 public:
  /// `parts` must outlive this. Requires that all parts are open. Looks names up at once.
  ContactWatch(AgentParts& parts, const std::vector<HostAndPort>& contacts);
  ContactWatch(const ContactWatch&) = delete;
  ContactWatch& operator=(const ContactWatch&) = delete;

  /// Looks names up again if the node has joined anew since the last call, or has no neighbour.
  /// True if so.
  bool run_periodic(bool lonely);
  /// Looks names up again.
  void look();
  /// Those that the names stand for now.
  const std::vector<overlay::Address>& addresses() const { return addresses_; }

 private:
  void look_up(std::size_t number, const HostAndPort& where) override;
  void use(const std::vector<overlay::Endpoint>& contacts) override;
  void tell_unresolved(const std::string& host, const std::string& why) override;
  void tell_resolved(
      const std::string& host, const std::vector<overlay::Address>& addresses) override;

  AgentParts& parts_;
  Contacts contacts_;
  NameLookup lookup_;
  Wakeup wakeup_;
  std::vector<overlay::Address> addresses_;
  /// As the peer's counter stood at the last look.
  std::uint64_t rejoins_ = 0;
};

}  // namespace dunlin::node
