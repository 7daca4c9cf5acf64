// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sched/replica/office.h"

namespace dunlin::sched::replica {

/// What a home knows of one of its standbys, or of a node that may be one soon.
struct Follower {
  Member member;
  std::optional<std::uint64_t> acked;  ///< With the home's stamp; empty: not heard of yet.
  std::uint64_t sent = 0;
  Time heard{};
  Time sent_at{};
  std::optional<Time> unanswered;  ///< Since then, if anything is.
  int idle_said = 0;               ///< Signs of life in a row that said that they are rare.
  bool leaves = false;             ///< As its last answer said ...
  bool trouble = false;            ///< ... and likewise.

  bool stays() const { return !leaves && !trouble; }
  bool is_silent(Time now, Duration patience) const {
    return unanswered && now - *unanswered >= patience;
  }
};

/// The nodes that a home writes its log to. They tell which set it should have.
class Followers {
 public:
  /// Makes one of `member`, unless it is one.
  void add(Time now, const Member& member, std::uint64_t sent, std::optional<std::uint64_t> acked);
  Follower* find(ReplicaId replica);
  const Follower* find(ReplicaId replica) const;
  const std::map<ReplicaId, Follower>& all() const { return all_; }
  std::map<ReplicaId, Follower>& all() { return all_; }
  /// Forgets those that are of no use any more.
  void drop(Time now, const HomeParams& params, const HomeRecord& office);

  /// Those that answer and stay.
  std::size_t well(Time now, const HomeParams& params) const;
  /// Of those in the set that answer and stay, the one that has most; nullptr if there is none.
  const Follower* successor(Time now, const HomeParams& params, const Set& set) const;
  /// True if the set has standbys, and none has answered anything for `params.deaf_after`.
  bool all_silent(Time now, const HomeParams& params, const HomeRecord& office) const;
  /// The members that stay or must, and the nodes that may join them. `heard`: when the home last
  /// heard any other node; `needed`: how much of the log a node must have to join.
  Set next_set(Time now,
      const HomeParams& params,
      const HomeRecord& office,
      Time heard,
      std::uint64_t needed) const;

 private:
  void grow(Time now,
      const HomeParams& params,
      const HomeRecord& office,
      std::uint64_t needed,
      Set& set) const;

  std::map<ReplicaId, Follower> all_;
};

}  // namespace dunlin::sched::replica
