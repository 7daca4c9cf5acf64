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
  /// members in all. Nodes fall into cells by chance.
  bool wait_for_tree(std::size_t cells, std::uint64_t nodes);
  /// The answer to `cells` there, with members, but without cells that have ended: those are kept
  /// for a while.
  static Json standing_cells(TestClient client);
  /// The agent that manages the one cell in which all are; nullptr as long as there is none.
  TestAgent* manager_of_all();
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
  /// The CPU seconds that the tasks of a job occupied between two moments, by their results. Call
  /// it when the tasks that ran at the end have ended.
  static double occupied(const Load& load, WallTime from, WallTime to);
  /// The parts that the loads had, over `window` from now on; they add up to 1.
  std::vector<double> parts(const std::vector<Load>& loads, std::chrono::seconds window);
  /// The seconds in DUNLIN_SHARING_WINDOW; without it a few, enough to see which class is ahead.
  static std::chrono::seconds window();
  /// The time that a task of a load takes: little, in a short window.
  static double task_seconds();
  /// The tolerance for a part: 5 % over a minute, much more over less.
  static double tolerance();
};

}  // namespace dunlin::node
