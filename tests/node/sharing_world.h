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
  /// Waits until there are `cells` cells of nodes, or more, all under one root, with `nodes`
  /// members in all. How nodes fall into cells is chance.
  bool wait_for_tree(std::size_t cells, std::uint64_t nodes);
  /// What `cells` says there, with members, but for cells that have ended: they are kept for a
  /// while.
  static Json standing_cells(TestClient client);
  /// Waits until each of these classes has been granted something.
  bool wait_until_granted(const std::vector<std::string>& names);
  /// Agents that manage no cell.
  std::vector<TestAgent*> followers();

  using WallTime = std::chrono::system_clock::time_point;

  /// A job of short sleeps that one class brings to one agent.
  struct Load {
    std::string name;
    TestAgent* at;
    std::uint32_t job;
  };
  Load load(const std::string& name, TestAgent& at, int tasks);
  /// How many CPU seconds the tasks of a job occupied between two moments, by their results. To be
  /// asked when those that ran at the end have ended.
  static double occupied(const Load& load, WallTime from, WallTime to);
  /// The parts that the loads had, over `window` from now on; they add up to 1.
  std::vector<double> parts(const std::vector<Load>& loads, std::chrono::seconds window);
  /// What DUNLIN_SHARING_WINDOW says, in seconds, else a few: enough to see who is ahead.
  static std::chrono::seconds window();
  /// What a task of a load takes: little, in a short window.
  static double task_seconds();
  /// How far a part may be from what it should be: 5 % over a minute, much more over less.
  static double tolerance();
};

}  // namespace dunlin::node
