// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <numeric>

#include "sched/ledger/books_types.h"
#include "sched/sharing/matrix.h"

namespace dunlin::sched {

/// Tickets by node and class.
using Tables = Matrix<Tickets>;

inline Tickets sum_of(const Tables& table) {
  return std::accumulate(table.items().begin(), table.items().end(), Tickets{0});
}

inline Tickets column_sum(const Tables& table, std::size_t j) {
  Tickets sum = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) sum += table(i, j);
  return sum;
}

}  // namespace dunlin::sched
