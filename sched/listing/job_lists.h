// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "sched/host.h"

namespace dunlin::sched {

struct ClusterJobs;
struct JobQuery;
struct PeerParts;

/// The part of a peer in lists of the cluster's jobs, as drivers see it: Listings is behind it.
/// Peer::lists() hands it out for one call, as Peer::sharing() does.
class JobLists {
 public:
  explicit JobLists(PeerParts& parts) : parts_(parts) {}

  /// Begins to ask the nodes of all cells what they have of these jobs. Returns a number for the
  /// next two; 0 if no more lists are made at a time. Without cells it is done at once, and empty.
  std::uint64_t begin(const Host& host, const JobQuery& query);
  /// What they have, once it is known, within 0.7 s. Then the list is gone. Empty until then.
  std::optional<ClusterJobs> take(std::uint64_t number);
  /// The list is not wanted any more.
  void drop(std::uint64_t number);

  /// True if the message was about lists.
  bool receive(const Host& host, const Endpoint& from, const Message& message);
  void wake(const Host& host);

 private:
  PeerParts& parts_;
};

}  // namespace dunlin::sched
