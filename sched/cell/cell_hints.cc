// SPDX-License-Identifier: MIT
#include "sched/cell/cell_hints.h"

#include <algorithm>
#include <tuple>

namespace dunlin::sched {
namespace {

constexpr auto kCell = [](const auto& heard) { return heard.hint.cell; };

}  // namespace

void CellHints::hear(Time now, Duration life, const cell::Hint& hint) {
  if (hint.cell == 0 || hint.age < Duration{0} || hint.age >= life) return;
  const Heard fresh{.hint = hint, .said = now - hint.age};
  auto at = std::ranges::lower_bound(heard_, hint.cell, {}, kCell);
  if (at != heard_.end() && at->hint.cell == hint.cell) {
    const bool newer = std::tie(hint.epoch, hint.stamp) > std::tie(at->hint.epoch, at->hint.stamp);
    if (newer) *at = fresh;
    return;
  }
  if (heard_.size() == kMax) {
    const auto oldest = std::ranges::min_element(heard_, {}, &Heard::said);
    if (oldest->said >= fresh.said) return;
    heard_.erase(oldest);
    at = std::ranges::lower_bound(heard_, hint.cell, {}, kCell);
  }
  heard_.insert(at, fresh);
}

void CellHints::forget_old(Time now, Duration life) {
  std::erase_if(heard_, [&](const Heard& heard) { return now - heard.said >= life; });
}

std::vector<cell::Hint> CellHints::newest(Time now, std::size_t most) const {
  auto sorted = heard_;
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Heard::said);
  std::vector<cell::Hint> hints;
  for (const Heard& heard : sorted) {
    if (hints.size() == most) break;
    hints.push_back(heard.hint);
    hints.back().age = now - heard.said;
  }
  return hints;
}

const cell::Hint* CellHints::find(CellId cell) const {
  const auto at = std::ranges::lower_bound(heard_, cell, {}, kCell);
  return at != heard_.end() && at->hint.cell == cell ? &at->hint : nullptr;
}

std::vector<cell::Hint> CellHints::standing(std::uint8_t level) const {
  std::vector<cell::Hint> hints;
  for (const Heard& heard : heard_) {
    if (level_of(heard.hint.cell) == level && !heard.hint.dissolving) hints.push_back(heard.hint);
  }
  return hints;
}

}  // namespace dunlin::sched
