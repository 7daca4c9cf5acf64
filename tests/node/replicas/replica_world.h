// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"

namespace dunlin::node {

/// Agents n0, n1 ..., of which n0 has the jobs. These have standbys.
class ReplicaWorld : public AgentWorld {
 protected:
  /// What each agent is told beside the usual: how many standbys its jobs have, and an impatience
  /// that suits a test.
  static std::vector<std::string> arguments_of(int replicas);
  /// Waits until all agents know each other, and a cell of them keeps books which bear the loss of
  /// a node: submits a job of n0 that keeps the cell.
  void form_cell(std::size_t standbys = 1, int books = 3);
  void wait_for_standbys(std::uint32_t number, std::size_t standbys = 1, int books = 3);
  /// The cells as each agent sees them.
  std::string cells() const;
  /// n0 is gone for good: killed, and its disk with it.
  void lose_home();

  TestAgent& n0() const { return *agents.front(); }
  /// The name in the cluster of a job of n0, and more members of a request.
  static Json of_n0(std::uint32_t number, Json more = Json::object());
  /// What `at` answers to `job` of a job of n0; empty if it is an error.
  static Json job_at(const TestAgent& at, std::uint32_t number);
  /// The name of the node that drives a job of n0, as far as `at` finds it; empty: it does not.
  static std::string home_at(const TestAgent& at, std::uint32_t number);
  /// True once `at` finds the job at another node than n0.
  static bool taken_over(const TestAgent& at, std::uint32_t number);
};

}  // namespace dunlin::node
