// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/node/agent_world.h"

namespace dunlin::node {

/// Agents that form cells of three, with impatient parameters.
class SharingWorld : public AgentWorld {
 protected:
  using Shares = std::vector<std::pair<std::string, int>>;

  /// Starts `count` agents of 2 CPUs and waits until each is known.
  void start(std::size_t count, const std::vector<std::string>& arguments = {});
  TestClient client(std::size_t agent = 0) { return agents.at(agent)->client(); }
  TestAgent& agent_named(const std::string& name);
  /// The first agent that runs.
  TestAgent& living();

  /// Sets classes at the first agent, and returns what it said.
  Json set_shares(const Shares& shares);
  /// Waits until there are so many cells of nodes, with `nodes` members in all, under one root
  /// unless there is but one.
  bool wait_for_tree(std::size_t cells, std::uint64_t nodes);
  /// Waits until all tickets are granted, or a few are left.
  bool wait_until_granted();
};

}  // namespace dunlin::node
