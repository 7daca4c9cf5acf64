// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/sharing/transfer_params.h"

namespace dunlin::sched {

/// The report of a lower manager on a period: by class, in the same order for all.
struct ManagerReport {
  CellId cell;
  std::vector<Tickets> balances;
  std::vector<Tickets> used;
  std::vector<Tickets> shares;
};

/// Savings of one class that are to move from one cell to another.
struct Transfer {
  CellId from;
  CellId to;
  std::size_t class_id = 0;  ///< Index of the class.
  Tickets tickets = 0;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// The transfers between accounts of a class at different managers; never between classes, which
/// would undo their isolation. None takes more than the account holds, all transfers together.
/// Fails with `usage` if reports differ in their number of classes or have a negative amount.
/// Source: CS 736 slides, "Transfer Strategy: Very simple", and "More detailed".
Result<std::vector<Transfer>> plan_transfers(
    const TransferParams& params, std::span<const ManagerReport> reports);

/// The index of the report with the highest usage/share of a class; empty if none uses any of it.
std::optional<std::size_t> neediest_of(
    std::span<const ManagerReport> reports, std::size_t class_id);

/// Takes up to `tickets` of a class for the cell `to`: from the richest of those cells that can
/// spare them by `use_low`, then from the next, and never from `to` itself.
std::vector<Transfer> take_from_richest(const TransferParams& params,
    std::span<const ManagerReport> reports,
    CellId to,
    std::size_t class_id,
    Tickets tickets);

}  // namespace dunlin::sched
