// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>

#include "node/control/bins/task_bins.h"
#include "node/control/control_handlers.h"
#include "node/control/from_disk.h"
#include "node/control/job_name.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// The verb `task_bins`: which tasks of a job stand where, as at most a thousand ranges of indices.
// The frontend keeps the state of each task in memory, so no row of results is read; but a million
// states are looked at in slices, and gossip goes on between two.
namespace dunlin::node {
namespace {

/// Tasks that are looked at in a turn: some 0.2 ms.
constexpr std::uint32_t kBinSlice = 65'536;
constexpr std::int64_t kTaskBinsMax = 1000;
constexpr std::int64_t kTaskBinsUsual = 100;
/// Reads the states of a job's tasks, a slice in each turn, and then tells them.
class BinsReading {
 public:
  BinsReading(const sched::JobState& job, std::uint32_t bins_max)
      : bins_(job.task_count(), bins_max) {}

  FromDisk::Answered operator()(const AgentServices& agent, const sched::JobState& job) {
    // The tasks of a job that is pruned have no states, only numbers.
    if (!job.pruned()) {
      const std::uint32_t left = job.task_count() - next_;
      const std::uint32_t end = next_ + std::min(left, kBinSlice);
      for (; next_ < end; ++next_) bins_.add(next_, job.task(next_).state);
      if (next_ < job.task_count()) return std::nullopt;
    }
    return json(agent, job);
  }

 private:
  Json json(const AgentServices& agent, const sched::JobState& job) const {
    const bool pruned = job.pruned();
    // Of ranges that were read in several turns the sum is theirs, and not that of now: so what a
    // client adds up is what it is told.
    return {{"job", to_string(job.id())}, {"known_as", job_text(agent, job.id())},
        {"name", job.job().name}, {"state", sched::state_word(job)}, {"count", job.task_count()},
        {"finished", job.finished().has_value()}, {"pruned", pruned}, {"width", bins_.width()},
        {"counts", task_counts_json(pruned ? job.counts().of : bins_.sum())},
        {"bins", pruned ? Json::array() : bins_.json()}};
  }

  TaskBins bins_;
  std::uint32_t next_ = 0;  ///< Tasks before it are counted.
};

}  // namespace

PendingResult handle_task_bins(AgentServices& agent, ControlSession&, Args& args) {
  const auto found = find_job(agent, args);
  const auto bins =
      static_cast<std::uint32_t>(args.number("bins", 1, kTaskBinsMax, kTaskBinsUsual));
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!found) return tl::unexpected(found.error());
  return std::make_unique<FromDisk>(agent, **found, BinsReading(**found, bins));
}

}  // namespace dunlin::node
