// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sched/replica/message.h"

namespace dunlin::test::replicated {

inline constexpr std::size_t kPlaces = 2;

/// The place of the cell which an entry has moved to.
inline std::size_t place_of(sched::CellId cell) {
  return cell.value - 1;
}

/// What came of a command.
enum class Outcome { refused, changed, taken_over };

/// The books of two cells, each of which is one place here: that they are replicated is another
/// test's matter. One has the entry of the log, or has frozen it for the other.
class MovingBooks {
 public:
  /// The first place has it.
  explicit MovingBooks(const sched::replica::Entry& entry) : entries_{entry, {}} {}

  /// What that place says of the log; nullptr if it never had the entry.
  const sched::replica::Entry* answer(std::size_t place) const {
    return entries_[place].version == 0 ? nullptr : &entries_[place];
  }
  /// As it stands in the place which has it, or was frozen for the other.
  const sched::replica::Entry& latest() const { return entries_[latest_place()]; }

  Outcome apply(std::size_t place,
      const sched::replica::Command& command,
      const sched::replica::Rules& rules);

  /// The manager of the place which has the entry begins to move it to the other. Requires
  /// !is_moving().
  void freeze(const sched::replica::Rules& rules);
  /// The other place has not accepted it yet: the manager sends it again.
  bool is_moving() const { return moving_.has_value(); }
  /// The place which is to accept moving(). Requires is_moving().
  std::size_t target() const { return 1 - from_; }
  /// The entry as it was when it was frozen. Requires is_moving().
  const sched::replica::Entry& moving() const { return *moving_; }
  /// A word of the other place's manager arrives at `place`. False if it is no news.
  bool accept(std::size_t place, const sched::replica::Entry& moved);

 private:
  std::size_t latest_place() const;

  std::array<sched::replica::Entry, kPlaces> entries_;
  std::size_t from_ = 0;  ///< The place which froze the entry last.
  std::optional<sched::replica::Entry> moving_;
};

}  // namespace dunlin::test::replicated
