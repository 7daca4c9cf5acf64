// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_turn.h"
#include "sched/cell/sharing_params.h"
#include "sched/plan/message.h"

namespace dunlin::sched {

/// That a job wants nothing any more is told so many times, since its slots should not wait for its
/// lease to lapse.
inline constexpr std::uint8_t kClaimEndTold = 2;
/// Claims are repeated after this time, several times within the leases that they renew.
Duration claim_repeat(const CellParams& params);

/// A node's claims at the managers of other cells, for those tasks of its jobs that the plan of its
/// own cell has no slots for. It asks one cell after the other, each for what those before it do
/// not give, so that all cells together give a job no more slots than its tasks can use. Nothing of
/// this is sent as long as the own cell has enough.
///
/// Which cell is next is drawn, by the slots that hints call spare; without any, by chance: a job
/// that matters more than those there gets some all the same. One that gives nothing for a lease is
/// left again.
class GuestClaims {
 public:
  /// Cells that are asked at the same time.
  static constexpr std::size_t kHostsMax = 3;

  /// `params` outlives it; `self` is the node.
  GuestClaims(const SharingParams& params, PeerId self) : params_(&params), self_(self) {}

  /// The manager of the own cell says which of the node's jobs have tasks without slots.
  void hear_own(Time now, const std::vector<cell::Lack>& lacks);
  /// There is no plan here: claims lapse.
  void drop();
  /// Sends what is due of `claims`, those of the node's jobs; `own` is its cell.
  void send(const CellTurn& turn,
      const CellHints& hints,
      CellId own,
      std::span<const cell::Claim> claims);
  /// Takes what another cell allots. False if it is no answer to a claim of this node.
  bool receive(Time now, const Endpoint& from, const cell::Allotments& told);
  /// When send() should be called; kNever if the own cell has enough.
  Time deadline() const { return next_; }

  /// The cells that are asked.
  std::vector<CellId> hosts() const;
  /// The slots that they give the job, as they said last.
  std::uint32_t given(const JobId& job) const;

 private:
  struct Wish {
    cell::Claim claim;        ///< As it was said last.
    std::uint32_t given = 0;  ///< As the last answer had it; all that was claimed before that.
    std::uint8_t ended = 0;   ///< So often it was said that nothing is claimed any more.
  };
  struct Host {
    CellId cell;
    Endpoint manager;  ///< That was asked last.
    std::uint64_t sequence = 0;
    std::uint64_t epoch = 0;
    std::uint64_t plan = 0;
    std::map<JobId, Wish> wishes;
    Time asked{};
    Time next{};    ///< When to say it again.
    Time useful{};  ///< When it last gave something; at first, when it was chosen.
    bool answered = false;
  };
  using Left = std::map<JobId, cell::Claim>;  ///< With what of each is to be claimed yet.

  Left lacking(std::span<const cell::Claim> claims) const;
  void ask(const CellTurn& turn, const CellHints& hints, Host& host, Left& left);
  void say(const CellTurn& turn, Host& host);
  void choose(const CellTurn& turn, const CellHints& hints, CellId own);
  bool is_done(const Host& host, Time now) const;

  const SharingParams* params_;
  PeerId self_;
  std::map<JobId, std::uint32_t> own_;  ///< The slots of jobs that lack some, in the own cell.
  std::vector<Host> hosts_;             ///< In the order in which they are asked.
  CellId useless_;                      ///< The last one that gave nothing.
  Time next_ = kNever;
};

}  // namespace dunlin::sched
