// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/replica/entry.h"

namespace dunlin::sched::replica {

/// What a home keeps on its disk beside its log.
struct HomeRecord {
  std::uint32_t epoch = 0;
  std::uint64_t version = 0;
  Set set;
  std::vector<ChangeSet> intents;  ///< Proposals not answered yet: each may stand in the books.
};

/// True if the replica is in a set that may stand in the books.
inline bool names(const HomeRecord& office, ReplicaId replica) {
  return has(office.set, replica) ||
      std::ranges::any_of(
          office.intents, [&](const ChangeSet& intent) { return has(intent.set, replica); });
}

struct HomeParams {
  std::size_t standbys = 1;
  std::size_t required = 0;  ///< A set is never proposed with fewer standbys.
  Duration heartbeat = std::chrono::milliseconds(500);
  Duration idle_heartbeat = std::chrono::seconds(5);  ///< While nothing is unfinished.
  Duration patience = std::chrono::seconds(3);  ///< A standby silent for so long leaves the set.
  /// A home that heard no answer at all for so long is deaf: it gives hardly a sign of life, so
  /// that a standby that hears it takes over.
  Duration deaf_after = std::chrono::seconds(4);
  /// A node that cannot keep the log, or leaves, is not asked again for so long.
  Duration shunned = std::chrono::seconds(30);
  Duration propose_again = std::chrono::milliseconds(500);
};

}  // namespace dunlin::sched::replica
