// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
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

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::TransferStrategy>[] = {
    "none", "simple", "detailed"};

/// See overlay/params.h.
void append_entries(sched::TransferParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
