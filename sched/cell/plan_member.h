// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "sched/cell/cell_member.h"
#include "sched/cell/cell_turn.h"
#include "sched/cell/guest_claims.h"
#include "sched/cell/sharing_params.h"
#include "sched/plan/allotment_lease.h"

namespace dunlin::sched {

/// A node's part in the plans of its cell: it claims slots for the jobs that it drives, and keeps
/// what its manager allots. It claims when jobs changed, and again before leases lapse. As long as
/// no rule of plans is set it says nothing and never wakes.
class PlanMember {
 public:
  /// `params` outlives it; `self` is the node.
  PlanMember(const SharingParams& params, PeerId self)
      : params_(&params),
        self_(self),
        abroad_(params, self) {}

  /// Managers plan from now on, or do not any more, as far as is known here.
  void set_on(Time now, bool on);
  bool is_on() const { return on_; }
  /// The jobs here changed, or another manager is to be told: claims leave as soon as they may.
  void hurry(Time now);
  /// The same; and where the node is `member` of a cell, a manager that it did not know before is
  /// told at once.
  void follow(Time now, const CellMember& member, bool on);
  /// Sends claims if that is due; to cells of `hints` what its own cannot give.
  void wake(const CellTurn& turn, const CellMember& member, const CellHints& hints);
  /// Takes what the manager of its cell allots, or of one that it asked for the rest. False if
  /// `from` has no say in the matter.
  bool receive(const CellTurn& turn,
      const Endpoint& from,
      const CellMember& member,
      const cell::Allotments& told);
  /// When wake() should be called, or what holds is over; kNever while there is no plan.
  Time deadline() const;

  /// What holds here now, by rank.
  std::span<const cell::Allotted> allotted(Time now) const { return lease_.allotted(now); }
  /// True once after each word of the manager, and when what it allotted is over.
  bool take_news(Time now);
  /// The version of the jobs that was claimed for last, and when the next claims may leave.
  std::uint64_t claimed_version() const { return version_; }
  Time earliest_claim() const { return last_ + params_->plan.gap; }
  const AllotmentLease& lease() const { return lease_; }
  /// Its claims at other cells.
  const GuestClaims& abroad() const { return abroad_; }

 private:
  void send(const CellTurn& turn, const CellMember& member, NodeClaims known);

  const SharingParams* params_;
  PeerId self_;
  bool on_ = false;
  AllotmentLease lease_;
  GuestClaims abroad_;
  PeerId manager_;  ///< That was told last.
  Time last_{};     ///< When claims were sent.
  Time next_ = kNever;
  std::uint64_t version_ = 0;
  /// The jobs that were claimed for, and how often the manager is still to hear of each that ended.
  std::map<JobId, std::uint8_t> claimed_;
  bool held_ = false;  ///< Something held when take_news() was called last.
  bool news_ = false;
};

}  // namespace dunlin::sched
