// SPDX-License-Identifier: MIT
#include "tests/swarm/replica_books.h"

#include <variant>

namespace dunlin::test::replicated {

using namespace sched::replica;

// A place which accepts an entry has it in the version that the other one froze.
std::size_t MovingBooks::latest_place() const {
  const auto& [first, second] = entries_;
  if (first.version != second.version) return first.version > second.version ? 0 : 1;
  return first.moved_to ? 1 : 0;
}

Outcome MovingBooks::apply(std::size_t place, const Command& command, const Rules& rules) {
  Entry& entry = entries_[place];
  if (entry.version == 0) return Outcome::refused;
  if (const auto* const change = std::get_if<ChangeSet>(&command)) {
    // A home proposes in its own name; the epoch says so.
    if (sched::replica::apply(entry, *change, rules)) return Outcome::changed;
  } else if (const auto* const claim = std::get_if<TakeOver>(&command)) {
    if (sched::replica::apply(entry, *claim, rules)) return Outcome::taken_over;
  }
  return Outcome::refused;
}

void MovingBooks::freeze(const Rules& rules) {
  from_ = latest_place();
  const sched::CellId to{target() + 1};
  if (sched::replica::apply(entries_[from_], Freeze{to}, rules)) moving_ = entries_[from_];
}

bool MovingBooks::accept(std::size_t place, const Entry& moved) {
  const bool is_news = sched::replica::accept(entries_[place], moved);
  const bool is_there = moving_ && place == target();
  if (is_there && entries_[place].version >= moving_->version) moving_.reset();
  return is_news;
}

}  // namespace dunlin::test::replicated
