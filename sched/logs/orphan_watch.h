// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/logs/set_watch.h"

namespace dunlin::sched {
struct Host;
struct PeerParts;
}  // namespace dunlin::sched
namespace dunlin::sched::replica {
class Copy;
}

namespace dunlin::sched::logs {

class BooksLink;
class JobsLook;

/// Tells whether any node will drive the jobs of a log by itself, as a copy finds it that is not
/// its home: by how long the home and the books have been silent, and by which nodes of the set are
/// there. It only tells people; nothing follows from it by itself, because two nodes may find
/// opposite things.
class OrphanWatch {
 public:
  explicit OrphanWatch(Time now) : heard_(now), set_(now) {}

  /// The home was heard.
  void hear(Time now) {
    heard_ = now;
    set_.hear(now);
  }
  Time heard() const { return heard_; }
  /// A node said what it knows of the log.
  void on_word(Time now, PeerId from) { set_.on_word(now, from); }

  /// Why no node will drive the jobs; empty: one does, or may yet. Requires that the copy is not
  /// the home.
  std::optional<OrphanCause> cause(
      Time now, const replica::Copy& copy, const BooksLink& books) const;
  /// Asks nodes of the set for what they know once the home is silent, and tells of a cause that is
  /// new. Requires the same.
  void look(const PeerParts& parts,
      const Host& host,
      const replica::Copy& copy,
      const BooksLink& books,
      JobsLook& jobs);

 private:
  Time heard_;
  SetWatch set_;
  std::optional<OrphanCause> told_;  ///< As was told last.
};

}  // namespace dunlin::sched::logs
