// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "node/agent/agent_parts.h"
#include "node/net/name_lookup.h"

namespace dunlin::node {

/// True if a node that tells others `now` should tell them another address, because the name that
/// it is known by stands for `found`. One of several addresses of a name stays as good as it was.
bool has_moved(const overlay::Address& now, const std::vector<overlay::Address>& found);

/// Watches if the name of agent.advertise still stands for the address that others are told. Which
/// of several addresses to tell without one is ReachWatch's matter.
class OwnAddress {
 public:
  using OnMoved = std::function<void(const overlay::Address& to)>;

  /// `moved` is told the address that leads here instead. `parts` must outlive this.
  OwnAddress(AgentParts& parts, OnMoved moved);

  /// Looks the name up, if there is one. An address in numbers stays what it is.
  void look();

 private:
  AgentParts& parts_;
  OnMoved moved_;
  NameLookup lookup_;
};

}  // namespace dunlin::node
