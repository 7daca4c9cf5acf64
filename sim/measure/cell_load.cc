// SPDX-License-Identifier: MIT
#include "sim/measure/cell_load.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <optional>
#include <variant>

#include "sched/ledger/books_types.h"

namespace dunlin::sim {
namespace {

/// The cell that a message is about; the cell that is asked, for a transfer. Empty for gossip,
/// which is about many.
/// By the fields that a message has, not by its kind: a kind that is added is counted without more.
std::optional<sched::CellId> cell_of(const sched::cell::Message& message) {
  return std::visit(
      [](const auto& each) -> std::optional<sched::CellId> {
        if constexpr (requires { each.header.group; }) {
          return sched::CellId{each.header.group};
        } else if constexpr (requires { each.cell; }) {
          return each.cell;
        } else if constexpr (requires { each.to; }) {
          return each.to;
        } else {
          return std::nullopt;
        }
      },
      message);
}

}  // namespace

void CellLoad::count(const sched::cell::Message& message) {
  ++messages[message.index()];
  if (const auto cell = cell_of(message)) {
    ++of_level[std::min<std::size_t>(sched::level_of(*cell), kCellLevels - 1)];
  }
}

std::uint64_t CellLoad::sum() const {
  return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0});
}

CellLoad CellLoad::since(const CellLoad& before) const {
  CellLoad load = *this;
  for (std::size_t i = 0; i < messages.size(); ++i) load.messages[i] -= before.messages[i];
  for (std::size_t i = 0; i < of_level.size(); ++i) load.of_level[i] -= before.of_level[i];
  load.cpu_ns -= before.cpu_ns;
  return load;
}

std::uint64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
      static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace dunlin::sim
