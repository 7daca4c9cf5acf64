// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/plan/message.h"

namespace dunlin::sched {

/// The allotments that hold at a member of a cell: those of the last plan of the highest epoch it
/// has heard of, until `life` after it sent the claims that they answer, by its own clock. So no
/// clocks are compared, and however late a message comes, a member that is cut off goes by its
/// discipline alone soon. Grants of tickets hold likewise.
class AllotmentLease {
 public:
  /// The number of the claims that are sent now to the manager of `cell`. Another cell than before:
  /// what the manager there gave is over.
  std::uint64_t claim(Time now, CellId cell);
  /// Takes what a manager allots, unless its epoch is below `epoch` or any that was heard of, it is
  /// of an older plan, for another member or cell, or in answer to claims that are not known any
  /// more. True if allotments hold that did not before, or others do.
  bool receive(Time now, PeerId self, std::uint64_t epoch, const cell::Allotments& told);
  /// Nothing holds any more.
  void drop();

  /// What holds now, by rank.
  std::span<const cell::Allotted> allotted(Time now) const;
  /// Until when; in the past if nothing does.
  Time until() const { return until_; }
  CellId cell() const { return cell_; }
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t plan() const { return plan_; }
  /// The number of allotments that were ignored because their epoch was over.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Sent {
    std::uint64_t sequence = 0;
    Time when{};
  };

  CellId cell_;
  std::uint64_t sequence_ = 0;
  std::array<std::optional<Sent>, 16> sent_;  ///< The last claims: any of them may be answered.
  std::uint64_t epoch_ = 0;
  std::uint64_t plan_ = 0;
  Time until_{};
  std::vector<cell::Allotted> allotted_;
  std::uint64_t refused_ = 0;
};

}  // namespace dunlin::sched
