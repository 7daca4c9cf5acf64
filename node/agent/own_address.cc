// SPDX-License-Identifier: MIT
#include "node/agent/own_address.h"

#include <algorithm>
#include <utility>

#include "node/net/resolve.h"

// A node that tells others an address which it lost is not found again: what it says still arrives,
// and all answers go astray. So it begins anew at the new address, as the next incarnation, while
// its tasks run on. That is rare, and one way into a cluster is enough.
namespace dunlin::node {

bool has_moved(const overlay::Address& now, const std::vector<overlay::Address>& found) {
  return !found.empty() && std::ranges::find(found, now) == found.end();
}

OwnAddress::OwnAddress(AgentParts& parts, OnMoved moved)
    : parts_(parts),
      moved_(std::move(moved)),
      lookup_(parts.loop) {}

void OwnAddress::look() {
  const AgentOptions& options = parts_.configuration.agent;
  const overlay::Address now = parts_.transport->self().address;
  if (options.advertise.empty()) return;
  const auto named = split_address(options.advertise, now.port);
  if (!named || numeric_address(*named)) return;
  lookup_.start(*named, [this](const Result<std::vector<overlay::Address>>& found) {
    // A name server that is down says nothing about this node.
    if (found && has_moved(parts_.transport->self().address, *found)) moved_(found->front());
  });
}

}  // namespace dunlin::node
