// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// The way in which a manager of managers moves savings between their cells.
enum class TransferStrategy : std::uint8_t {
  none,
  simple,    ///< Per class: from the richest that needs little to the one that needs most.
  detailed,  ///< All that need much, in the order of their need, each from several.
};

/// The parameters of plan_transfers(). Usage is measured in shares: 1 is a class's whole share.
struct TransferParams {
  TransferStrategy strategy = TransferStrategy::detailed;
  Tickets amount = 2000;
  double use_high = 0.95;
  double use_low = 0.6;
  std::uint16_t givers_max = 4;
};

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

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::TransferStrategy>[] = {
    "none", "simple", "detailed"};
template <>
inline constexpr std::string_view kSection<sched::TransferParams> = "transfer";
template <>
inline constexpr auto kParams<sched::TransferParams> = std::tuple{
    Param<&sched::TransferParams::strategy>{{},
        "The way in which savings move between cells: not at all, one transfer per class, or to "
        "all in need.",
        "CS 736 slides, transfer strategies"},
    Param<&sched::TransferParams::amount>{
        {1, 10'000'000, Scale::log}, "Tickets per transfer at most.", "CS 736 slides, b"},
    Param<&sched::TransferParams::use_high>{
        {0.0, 10.0}, "From this usage, in shares, a class needs tickets badly in a cell."},
    Param<&sched::TransferParams::use_low>{
        {0.0, 10.0}, "Up to this usage, in shares, a class can spare its savings in a cell."},
    Param<&sched::TransferParams::givers_max>{
        {1, 64}, "detailed: cells that give to the same class in the same cell in one period."},
};
}  // namespace dunlin::overlay
