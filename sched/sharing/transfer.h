// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// How a manager of managers moves savings between them.
enum class TransferStrategy : std::uint8_t {
  none,
  simple,    ///< Per class: from the richest that needs little to the one that needs most.
  detailed,  ///< All that need much, in the order of their need, each from several.
};

struct TransferParams {
  TransferStrategy strategy = TransferStrategy::detailed;
  Tickets amount = 2000;
  double use_high = 0.95;
  double use_low = 0.6;
  std::uint16_t givers_max = 4;
};

/// What a lower manager reports of a period: by class, in the same order for all.
struct ManagerReport {
  CellId cell = 0;
  std::vector<Tickets> balances;
  std::vector<Tickets> used;
  std::vector<Tickets> shares;
};

struct Transfer {
  CellId from = 0;
  CellId to = 0;
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
        "How savings move between cells: not at all, one transfer per class, or to all in need.",
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
