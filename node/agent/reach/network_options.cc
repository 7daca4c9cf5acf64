// SPDX-License-Identifier: MIT
#include "node/agent/reach/network_options.h"

#include <sys/socket.h>
#include <unistd.h>

#include "node/agent/contacts.h"
#include "node/agent/reach/host_addresses.h"
#include "node/agent/reach/told_address.h"
#include "node/net/resolve.h"

// The address that an agent tells others, before it has heard of anyone: the one it is bound to,
// or, if that is any, the best guess, because a node that hears a wrong one cannot answer. Contacts
// that answer show later whether it was right.
namespace dunlin::node {
namespace {

// Some kernels are started without it, and [::] cannot be bound there.
bool has_ipv6() {
  const int opened = ::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (opened >= 0) ::close(opened);
  return opened >= 0;
}

/// The address to listen at, if it is in numbers.
std::optional<overlay::Address> bound_by(const AgentOptions& options) {
  const auto where = split_address(options.bind, kDefaultPort);
  return where ? numeric_address(*where) : std::nullopt;
}

/// Where datagrams to the contacts would leave from. They have not answered yet, but a first guess
/// that is right saves a second beginning.
std::vector<overlay::Address> sources_to(const std::string& join) {
  std::vector<overlay::Address> sources;
  const auto contacts = Contacts::parse(join, kDefaultPort);
  if (!contacts) return sources;
  for (const HostAndPort& contact : *contacts) {
    const auto address = numeric_address(contact);
    const auto source = address ? source_towards(*address) : std::nullopt;
    if (source) sources.push_back(*source);
  }
  return sources;
}

}  // namespace

bool chooses_address(const AgentOptions& options) {
  const auto bound = bound_by(options);
  return options.advertise.empty() && bound && bound->is_any();
}

Result<TransportOptions> network_options(AgentParts& parts) {
  AgentOptions& options = parts.configuration.agent;
  auto bound = bound_by(options);
  if (bound && bound->is_any() && !bound->is_v4() && !has_ipv6()) {
    // In the options, too: what the agent tells of itself must be what it does.
    options.bind = "0.0.0.0:" + std::to_string(bound->port);
    bound = overlay::Address::v4(0, bound->port);
    parts.log.say(overlay::Level::info, "no_ipv6", {{"bind", options.bind}});
  }
  TransportOptions network{.bind = options.bind,
      .advertise = options.advertise,
      .params = parts.configuration.transport};
  if (!chooses_address(options)) return network;
  const auto choice = choose_own_address({.host = host_addresses(),
      .to_contacts = sources_to(options.join),
      .seen = {},
      .current = remembered_address(options.data_dir, bound->port),
      .port = bound->port,
      .v4_only = bound->is_v4()});
  if (!choice) return tl::unexpected(choice.error());
  parts.own_address = *choice;
  // A contact that has not answered proves nothing.
  if (choice->reason == Reason::contact) parts.own_address->reason = Reason::interface;
  network.own = choice->address;
  return network;
}

}  // namespace dunlin::node
