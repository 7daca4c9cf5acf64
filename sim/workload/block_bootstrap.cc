// SPDX-License-Identifier: MIT
#include "sim/workload/block_bootstrap.h"

#include <algorithm>
#include <map>

#include "overlay/ensure.h"

namespace dunlin::sim {
namespace {

/// Names that are new in each block: what two blocks have of one job are two jobs.
class BlockNames {
 public:
  void begin_block() { known_.clear(); }
  bool has(std::uint64_t old) const { return known_.contains(old); }
  /// Makes a name that no job had before.
  std::uint64_t make(std::uint64_t old) { return known_[old] = ++last_; }
  /// The name in this block, which is made now if it has none yet.
  std::uint64_t of(std::uint64_t old) {
    const auto known = known_.find(old);
    return known != known_.end() ? known->second : make(old);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> known_;
  std::uint64_t last_ = 0;
};

}  // namespace

std::vector<TraceJob> block_bootstrap(
    const std::vector<TraceJob>& jobs, std::uint64_t block, overlay::Rng rng) {
  ensure(block > 0, "a block of no jobs");
  std::vector<TraceJob> drawn;
  if (jobs.empty()) return drawn;
  drawn.reserve(jobs.size());
  const Duration span = jobs.back().at - jobs.front().at;
  const auto gap_before = [&](std::size_t index) {
    // Nothing came before the first: the mean stands for it.
    if (index == 0)
      return span / static_cast<std::int64_t>(std::max<std::size_t>(jobs.size() - 1, 1));
    return jobs[index].at - jobs[index - 1].at;
  };

  BlockNames keys;
  BlockNames families;
  Duration at = jobs.front().at;
  while (drawn.size() < jobs.size()) {
    keys.begin_block();
    families.begin_block();
    const std::size_t start = rng.index(jobs.size());
    const std::size_t length = std::min<std::size_t>(block, jobs.size() - drawn.size());
    // First all keys: a stage may wait for one that the trace lists after it.
    const std::size_t begin = drawn.size();
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t index = (start + i) % jobs.size();
      TraceJob& job = drawn.emplace_back(jobs[index]);
      if (drawn.size() > 1) at += gap_before(index);
      job.at = at;
      if (job.key != 0) job.key = keys.make(job.key);
      if (job.family != 0) job.family = families.of(job.family);
    }
    for (std::size_t i = begin; i < drawn.size(); ++i) {
      std::erase_if(drawn[i].parents, [&](std::uint64_t parent) { return !keys.has(parent); });
      for (std::uint64_t& parent : drawn[i].parents) parent = keys.of(parent);
    }
  }
  return drawn;
}

}  // namespace dunlin::sim
