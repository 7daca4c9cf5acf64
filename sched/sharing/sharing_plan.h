// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/result.h"
#include "sched/kernel.h"
#include "sched/ledger/books.h"
#include "sched/sharing/matrix.h"

namespace dunlin::sched {

/// A manager's knowledge, at the end of a period, of its N nodes and the S classes that share them.
/// One level up, the nodes are cells. All amounts are tickets. Source: CS 736 slides, "N: # of
/// nodes in a cluster".
struct SharingInput {
  std::uint64_t period = 1;
  std::vector<Tickets> tickets;    ///< T: what each node has.
  std::vector<Tickets> weights;    ///< D: desired share of each class; only proportions count.
  Matrix<Tickets> previous;        ///< r: allocated in this period.
  Matrix<Tickets> used;            ///< u: used of it, or more where others left room.
  Matrix<Tickets> need;            ///< Waiting there beyond `used`; empty: not known.
  Matrix<Tickets> soon;            ///< Needed there shortly; empty: not known.
  std::vector<Tickets> balances;   ///< In each class's account; empty: no accounts.
  Matrix<Tickets> local_reserves;  ///< Local reserves; empty: none.
};

/// The grants of the next period, and what they do to the accounts.
struct SharingPlan {
  Matrix<Tickets> grants;    ///< R. A row adds up to no more than its node has.
  Matrix<Tickets> deposits;  ///< Into the bank: what a class leaves unused of its share there.
  Matrix<Tickets> deposits_local;   ///< Into the local reserve.
  Matrix<Tickets> drawn;            ///< Out of the bank, for use at that node.
  Matrix<Tickets> drawn_local;      ///< Out of that node's local reserve.
  std::vector<Tickets> unassigned;  ///< By node: no class there needs it.
};

/// D_j of each node in whole tickets: row i adds up to T_i.
Matrix<Tickets> desired_of(const SharingInput& input);

/// Fails with `usage`, naming what is wrong, unless all sizes match and nothing is negative, beyond
/// kTicketsMax, or without any weight.
Result<void> validate(const SharingInput& input);

/// True if class j used all it had on node i, so that it may want more. `full_use` is the share of
/// an allocation that counts as all of it. A class that had nothing and used nothing wants more
/// only if something waits there, or if that is not known.
bool used_up(const SharingInput& input, std::size_t i, std::size_t j, double full_use);

/// An empty plan of the right size, which gives nothing.
SharingPlan empty_plan(const SharingInput& input);

/// The times of a period, by the stamp of the leader.
struct PeriodTimes {
  Time now{};
  Duration grant_life{0};  ///< Workers may count on their grants for so long.
  Duration margin{0};      ///< Until they are surely over: twice the drift plus the longest delay.
  Duration expiry{0};      ///< The life of what is deposited now.
  Duration local_reserve_expiry{0};
};

/// The plan as a command for the ledger. Nodes and classes are named in the order of the plan's
/// rows and columns, both sorted.
books::Allocate to_command(const SharingPlan& plan,
    std::uint64_t period,
    std::span<const MemberId> nodes,
    std::span<const ClassId> class_ids,
    const PeriodTimes& times);

}  // namespace dunlin::sched
