// SPDX-License-Identifier: MIT
#include "sched/replica/log.h"

#include <algorithm>

// One stamp writes each position at most once. So two logs that have the same stamp at a position
// are equal up to it, and the runs of stamps say all that a comparison needs (Ongaro 2014, section
// 3.5, where terms do what stamps do here).
namespace dunlin::sched::replica {

Mark Log::mark(std::uint64_t position) const {
  ensure(position <= end(), "a place in the log");
  return position == 0 ? Mark{} : Mark{at(position).stamp, position};
}

Runs Log::runs() const {
  Runs runs;
  for (std::uint64_t i = 1; i <= end(); ++i) {
    if (runs.empty() || runs.back().stamp != at(i).stamp) runs.push_back({at(i).stamp, i});
    runs.back().position = i;
  }
  return runs;
}

std::uint64_t Log::common(const Runs& other) const {
  std::uint64_t common = 0;
  for (const Mark& mine : runs()) {
    const auto theirs = std::ranges::find(other, mine.stamp, &Mark::stamp);
    if (theirs != other.end()) common = std::max(common, std::min(mine.position, theirs->position));
  }
  return common;
}

}  // namespace dunlin::sched::replica
