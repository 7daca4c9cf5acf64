// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/federation/params.h"
#include "sched/kernel.h"

namespace dunlin::sched::federation {

/// The members of a cell as their local master calls them: each once per heartbeat, which is its
/// lease as well, and those that do not answer a few times more. One that stays silent counts as
/// dead until it speaks.
class Roll {
 public:
  explicit Roll(const FederationParams& params) : params_(params) {}

  /// These are the members from now on. Returns those that are none any more.
  std::vector<PeerId> set_members(std::span<const Endpoint> members);
  bool has(PeerId node) const { return members_.contains(node); }
  std::size_t size() const { return members_.size(); }
  /// A member spoke, from there.
  void heard(Time now, const Endpoint& member);
  /// Where a member is. Requires that it is one.
  Endpoint where(PeerId node) const { return {node, members_.at(node).address}; }

  /// When that member last spoke which has been silent for longest, of those that ever spoke; empty
  /// if none did.
  std::optional<Time> oldest_word() const;

  struct Calls {
    std::vector<Endpoint> to;    ///< Those to call now.
    std::vector<PeerId> silent;  ///< Those that have been silent for too long.
  };
  /// Call it at deadline().
  Calls call(Time now);
  Time deadline() const { return next_; }

 private:
  struct Member {
    Address address;
    Time heard = Time::min();
    Time begun = Time::min();  ///< When it was called first in this heartbeat, ...
    Time called{};             ///< ... and last.
    int calls = 0;             ///< Without an answer.
  };

  /// How long an answer to the calls so far is waited for.
  Duration patience(const Member& member) const;

  const FederationParams& params_;
  std::map<PeerId, Member> members_;
  Time next_{};
};

}  // namespace dunlin::sched::federation
