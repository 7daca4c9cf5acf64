// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sched/cell/cell_walk.h"
#include "sched/listing/node_jobs.h"

namespace dunlin::sched {

/// What the nodes of a cluster have of the jobs that a list is of.
struct ClusterJobs {
  std::vector<NodeJobs> nodes;           ///< By id, those that did not answer among them.
  std::map<CellId, std::string> silent;  ///< Cells of which nothing is known, with reasons.
};

/// One list of the jobs of the cluster, at the node that asked for it: walks the tree of managers,
/// and waits for what each of them finds at the members of its cell.
class Listing {
 public:
  /// It is over after so long, whatever is missing.
  static constexpr Duration kWaitMax = std::chrono::milliseconds(700);
  /// A manager that did not tell what its members have is asked again after so long.
  static constexpr Duration kAskAgain = std::chrono::milliseconds(200);
  static constexpr CellWalk::Pace kPace = {
      .patience = std::chrono::milliseconds(200), .pause = std::chrono::milliseconds(100)};
  /// Nodes in one list.
  static constexpr std::size_t kNodesMax = 65'536;

  /// `number` names the list among those of this node; its lower half is 0.
  Listing(std::uint64_t number, const JobFilter& filter, Time now);

  /// Asks what is to be asked now. Call it first, after each answer, and at due().
  void advance(const ListingTurn& turn);
  /// False if it was not asked for.
  bool on_answer(const Endpoint& from, const JobsListed& answer);
  bool on_answer(const Endpoint& from, const NodesListed& answer);

  bool done() const { return done_; }
  Time due() const { return due_; }
  ClusterJobs result() const;

 private:
  /// A manager that is to tell what the members of its cell have.
  struct Expected {
    PeerId manager;
    Time again{};
    bool told = false;
  };

  void ask(const ListingTurn& turn, const Endpoint& to, std::uint64_t request);
  void expect_rolls(Time now);
  void ask_for_rolls(const ListingTurn& turn);

  std::uint64_t number_;
  JobFilter filter_;
  Time until_;
  CellWalk walk_;
  bool begun_ = false;
  bool done_ = false;
  Time due_{};
  std::map<std::uint64_t, PeerId> asked_;  ///< The node that each question went to.
  std::uint64_t again_last_;               ///< The last request that is none of the walk's.
  std::map<CellId, Expected> expected_;
  std::map<PeerId, NodeJobs> nodes_;
};

}  // namespace dunlin::sched
