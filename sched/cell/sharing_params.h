// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"
#include "sched/cell/params.h"
#include "sched/plan/planner_params.h"
#include "sched/raft/params.h"
#include "sched/sharing/bank_params.h"
#include "sched/sharing/reserves_params.h"
#include "sched/sharing/transfer_params.h"

namespace dunlin::sched {

/// All parameters of sharing, one member per section of the configuration.
struct SharingParams {
  CellParams cell;
  BankParams bank;
  ReservesParams reserves;
  TransferParams transfer;
  RaftParams raft;
  PlannerParams plan;
};

/// Calls `visit(section)` for each parameter struct, in the order of the members.
void for_each_sharing_section(auto& params, auto&& visit) {
  visit(params.cell);
  visit(params.bank);
  visit(params.reserves);
  visit(params.transfer);
  visit(params.raft);
  visit(params.plan);
}

/// Fails (`usage`) if parameters that are fine alone contradict each other.
Result<void> validate(const SharingParams& params);

}  // namespace dunlin::sched
