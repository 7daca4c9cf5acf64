// SPDX-License-Identifier: MIT
#include "sched/cell/cell_hints.h"

#include <algorithm>
#include <array>
#include <tuple>

// Memory and messages are bounded, and cells are not: of a thousand cells a node can know a few. So
// hints compete. By number alone the many cells of nodes would crowd out the few of higher levels,
// and the roots of two trees would never hear of each other. So room is divided by levels, and the
// level that takes most of it gives way first; within a level, cells without room for a newcomer
// do, since they are of least use to a node that seeks. Epoch and stamp tell which of two hints is
// newer.
namespace dunlin::sched {
namespace {

constexpr auto kCell = [](const auto& heard) { return heard.hint.cell; };

}  // namespace

void CellHints::hear(Time now, Duration life, const cell::Hint& hint) {
  if (!hint.cell || hint.age < Duration{0} || hint.age >= life) return;
  const Heard fresh{.hint = hint, .said = now - hint.age};
  auto at = std::ranges::lower_bound(heard_, hint.cell, {}, kCell);
  if (at != heard_.end() && at->hint.cell == hint.cell) {
    const bool newer = std::tie(hint.epoch, hint.stamp) > std::tie(at->hint.epoch, at->hint.stamp);
    if (newer) *at = fresh;
    return;
  }
  heard_.insert(at, fresh);
  if (heard_.size() > kMax) make_room();
}

// The oldest hint without room goes first, at the level that has most of them.
void CellHints::make_room() {
  std::array<std::size_t, kLevels> sizes{};
  for (const Heard& heard : heard_) ++sizes[level_of(heard.hint.cell)];
  const auto crowded = static_cast<std::size_t>(std::ranges::max_element(sizes) - sizes.begin());
  const auto rank = [&](const Heard& heard) {
    return std::tuple(level_of(heard.hint.cell) != crowded, heard.hint.room > 0, heard.said);
  };
  heard_.erase(std::ranges::min_element(heard_, {}, rank));
}

void CellHints::full(CellId cell) {
  const auto at = std::ranges::lower_bound(heard_, cell, {}, kCell);
  if (at != heard_.end() && at->hint.cell == cell) at->hint.room = 0;
}

void CellHints::forget_old(Time now, Duration life) {
  std::erase_if(heard_, [&](const Heard& heard) { return now - heard.said >= life; });
}

cell::Hint CellHints::aged(const Heard& heard, Time now) const {
  cell::Hint hint = heard.hint;
  hint.age = now - heard.said;
  return hint;
}

// Hints are sorted by cell and the level is the top of its id, so a level is a range: from its end
// down, levels come off one by one.
std::vector<cell::Hint> CellHints::drawn(Time now, std::size_t count_max, Rng& rng) const {
  std::vector<cell::Hint> hints;
  auto end = heard_.end();
  while (end != heard_.begin() && hints.size() < count_max) {
    const std::uint8_t level = level_of(std::prev(end)->hint.cell);
    const auto begin =
        std::ranges::lower_bound(heard_.begin(), end, lowest_cell_id(level), {}, kCell);
    std::vector<const Heard*> of_level;
    for (auto at = begin; at != end; ++at) of_level.push_back(&*at);
    const std::size_t left = count_max - hints.size();
    const std::size_t share = begin == heard_.begin() ? left : (left + 1) / 2;
    rng.draw_front(std::span(of_level), of_level.size());
    // The first is drawn by chance alone, be it full: a cell that no hint speaks of would be
    // counted as gone.
    if (level == 0 && !of_level.empty()) {
      std::ranges::stable_partition(
          std::span(of_level).subspan(1), [](const Heard* heard) { return heard->hint.room > 0; });
    }
    if (of_level.size() > share) of_level.resize(share);
    for (const Heard* heard : of_level) hints.push_back(aged(*heard, now));
    end = begin;
  }
  return hints;
}

std::vector<cell::Hint> CellHints::newest(Time now, std::size_t count_max) const {
  auto sorted = heard_;
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Heard::said);
  std::vector<cell::Hint> hints;
  for (const Heard& heard : sorted) {
    if (hints.size() == count_max) break;
    hints.push_back(aged(heard, now));
  }
  return hints;
}

const cell::Hint* CellHints::find(CellId cell) const {
  const auto at = std::ranges::lower_bound(heard_, cell, {}, kCell);
  return at != heard_.end() && at->hint.cell == cell ? &at->hint : nullptr;
}

std::optional<Duration> CellHints::age(Time now, CellId cell) const {
  const auto at = std::ranges::lower_bound(heard_, cell, {}, kCell);
  if (at == heard_.end() || at->hint.cell != cell) return std::nullopt;
  return now - at->said;
}

std::vector<cell::Hint> CellHints::standing(std::uint8_t level) const {
  std::vector<cell::Hint> hints;
  for (const Heard& heard : heard_) {
    if (level_of(heard.hint.cell) == level && !heard.hint.dissolving) hints.push_back(heard.hint);
  }
  return hints;
}

std::vector<cell::Hint> CellHints::standing(Time now, std::uint8_t level) const {
  std::vector<cell::Hint> hints;
  for (const Heard& heard : heard_) {
    const bool counts = level_of(heard.hint.cell) == level && !heard.hint.dissolving;
    if (counts) hints.push_back(aged(heard, now));
  }
  return hints;
}

}  // namespace dunlin::sched
