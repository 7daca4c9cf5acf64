// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// The way in which balances become tickets where a node has room.
enum class BankDrawing : std::uint8_t {
  largest_first,  ///< Option 1: the largest balance first, each a little.
  proportional,   ///< Option 2: all at once, by balance.
};

/// The grant of a class that used up all it had, which was less than its share (case 3).
enum class BankCatchUp : std::uint8_t {
  share,  ///< All of its share at once.
  step,   ///< A little more than it used.
};

/// The measure by which room that no balance claims is given away.
enum class BankSpare : std::uint8_t {
  share,  ///< By the shares of the classes that want more.
  need,   ///< By the tickets that their tasks wait for; then by share.
};

/// The parameters of plan_bank(). Amounts are tickets: thousandths of a CPU for a period.
struct BankParams {
  BankDrawing drawing = BankDrawing::proportional;
  Tickets draw_max = 500;
  BankCatchUp catch_up = BankCatchUp::share;
  Tickets step = 250;
  BankSpare spare = BankSpare::share;
  Duration expiry = std::chrono::minutes(10);
  double full_use = 0.95;
  bool compensation = true;
  double compensation_balance = 2.0;
  double compensation_share = 0.1;
  double local_reserve_share = 0.0;
  Duration local_reserve_expiry = std::chrono::minutes(1);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::BankDrawing>[] = {"largest-first", "proportional"};
template <>
inline constexpr std::string_view kWords<sched::BankCatchUp>[] = {"share", "step"};
template <>
inline constexpr std::string_view kWords<sched::BankSpare>[] = {"share", "need"};

/// See overlay/params.h.
void append_entries(sched::BankParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
