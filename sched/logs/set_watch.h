// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "sched/kernel.h"
#include "sched/logs/message.h"
#include "sched/replica/entry.h"

namespace dunlin::sched {
class Directory;
}

namespace dunlin::sched::logs {

/// Whether any node of a log's set is there with the disk that it had, as a copy outside of the set
/// finds it. No home sends to such a copy, and books know of no disk; but nodes tell each other
/// which they have. It tells people what it finds, and nothing follows from it by itself.
class SetWatch {
 public:
  explicit SetWatch(Time now) : there_(now) {}

  /// The home was heard.
  void hear(Time now) { there_ = now; }
  /// Looks which of them are there, once a second. Returns those of which nothing is known: a
  /// cluster may be larger than the directory of a node. They are to be asked what they know of the
  /// log. `directory` is null where no node is known.
  std::vector<Endpoint> look(Time now, const Directory* directory, const replica::Set& set);
  /// A node said what it knows of the log. Counts if it was to be asked.
  void on_word(Time now, PeerId from);
  /// OrphanCause::lost or ::away, if no node of the set will drive the jobs; empty if one may, or
  /// none was there for too short a time to say so.
  std::optional<OrphanCause> verdict(Time now, const replica::Set& set) const;

 private:
  Time there_;  ///< When any node of the set was last there, with its disk or with one not known.
  Time next_{};
  std::set<PeerId> unknown_;  ///< Those that were to be asked at the last look.
  /// Those whose disk is another one, or whose place another node has.
  std::set<replica::ReplicaId> lost_;
};

}  // namespace dunlin::sched::logs
