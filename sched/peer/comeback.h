// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/host.h"

namespace dunlin::sched {

struct KeptTask;
struct PeerParts;
struct SpentKey;
struct StoredHolder;
struct StoredJob;
namespace replica {
struct StoredLog;
}

/// What a peer takes over from earlier incarnations of its node: jobs, keys and logs from its
/// store, tasks from its executor. Before the first Peer::wake() only; its books go by
/// Sharing::restore_books(). Peer::comeback() hands it out for one call: it must not outlive the
/// peer, which must not be moved meanwhile.
///
/// Where nothing was kept, no part is made.
class Comeback {
 public:
  explicit Comeback(PeerParts& parts) : parts_(parts) {}

  /// Takes over the jobs that an earlier incarnation of this frontend stored. No job gets a number
  /// up to `number_last` again, stored or not.
  void restore(const Host& host,
      std::vector<StoredJob> jobs,
      std::uint32_t number_last = 0,
      std::span<const StoredHolder> holders = {});
  /// The keys of submissions whose jobs an earlier incarnation forgot, the oldest first.
  void restore_keys(Time now, std::vector<SpentKey> keys);
  /// Goes on with the logs of jobs that an earlier incarnation kept, which have the jobs with
  /// replicas. After restore().
  void restore_logs(const Host& host, std::vector<replica::StoredLog> logs);
  /// Goes on with tasks that outlived earlier incarnations of this node, the first of which was
  /// `since`, and tells their frontends.
  void take_back(const Host& host, std::uint32_t since, std::span<const KeptTask> kept);

 private:
  PeerParts& parts_;
};

}  // namespace dunlin::sched
