// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sched/listing/listing.h"
#include "sched/listing/roll_calls.h"

namespace dunlin::sched {

/// A node's part in lists of jobs of the cluster: those that it makes, and those that it helps to
/// make as a manager. Contract: as Peer's.
class Listings {
 public:
  /// Lists that a node makes at a time.
  static constexpr std::size_t kOpenMax = 128;

  /// Begins a list, and returns its number; 0 if there are too many.
  std::uint64_t begin(const ListingTurn& turn, const JobFilter& filter);
  /// What the nodes have, once the list is done; then it is gone. Empty until then, and if there is
  /// no list of that number.
  std::optional<ClusterJobs> take(std::uint64_t number);
  /// The list is not wanted any more.
  void drop(std::uint64_t number) { listings_.erase(number); }

  void receive(const ListingTurn& turn, const Endpoint& from, const ListJobs& asked);
  void receive(const ListingTurn& turn, const Endpoint& from, const JobsListed& answer);
  void receive(const ListingTurn& turn, const Endpoint& from, const NodesListed& answer);
  void wake(const ListingTurn& turn);
  Time deadline() const;

 private:
  std::map<std::uint64_t, Listing> listings_;
  RollCalls rolls_;
};

}  // namespace dunlin::sched
