// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// Amounts of what one demand asks for, and places for tasks besides. They may be below zero: more
/// is promised than there is.
class Room {
 public:
  /// None of what `demand`, which outlives this, asks for.
  explicit Room(const Resources& demand);

  void add(const Resources& resources, std::int64_t places = 0, std::int64_t count = 1);
  void take(const Resources& resources, std::int64_t places = 0) { add(resources, -places, -1); }
  /// True if `count` tasks of the demand have room in it.
  bool fits(std::int64_t count = 1) const;
  /// The part of what `count` tasks of the demand lack here that `other` has, summed over all that
  /// they lack: more is better.
  double part_filled_by(const Room& other, std::int64_t count) const;
  void add(const Room& other, std::int64_t count = 1);

 private:
  std::int64_t lacking(std::size_t i, std::int64_t count) const;

  std::vector<std::string_view> custom_;
  std::vector<std::int64_t> wanted_;  ///< A place, CPU, memory, then what `custom_` names.
  std::vector<std::int64_t> has_;     ///< Likewise.
};

/// A task that may be stopped for another one.
struct Candidate {
  std::size_t index = 0;              ///< The caller's name for it.
  const Resources* leaves = nullptr;  ///< What it leaves to others when it is stopped, ...
  std::int64_t places = 1;            ///< ... and its place, unless it keeps that.
  std::int16_t priority = 0;
  std::int64_t lost = 0;  ///< The work that stopping it wastes.
};

/// The fewest of `candidates` that make room for `count` tasks of `demand` where there is `room`,
/// those of lowest priority and with the least work lost first; by their indices. None of them can
/// be left out. Empty within, if there is room already; empty if all of them are not enough.
std::optional<std::vector<std::size_t>> choose_victims(const Resources& demand,
    std::int64_t count,
    const Room& room,
    std::span<const Candidate> candidates);

}  // namespace dunlin::sched
