// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/baseline/baseline.h"
#include "sim/baseline/packing/claim.h"

namespace dunlin::sim {

/// All machines as one: no task is kept out by fragments, none contends, and the master knows all
/// at once. The job with the least work left goes first, and what does not fit lets others pass.
/// Source: Grandl 2014, which bounds the gains of packing by it.
class Bound final : public Baseline {
 public:
  Bound(const Options& options, Recorder& recorder);

 private:
  sched::Resources counted(const sched::Resources&) const override { return {}; }
  void place(const PlacedJob& job) override;
  void on_end(std::uint32_t machine, const Work& work, Duration ran) override;
  void on_room(std::uint32_t, const PlacedJob&) override { serve(); }
  /// Starts what fits, of the job with the least work left first.
  void serve();
  /// True if all machines together have so much left of each declared resource.
  bool fits(const Usage& demand) const;

  struct Entry {
    PlacedJob job;
    std::unique_ptr<Claim> claim;
    std::vector<Usage> demands;  ///< By stage.
  };
  /// Of a job with tasks that wait: by the work left, then by submission.
  struct Place {
    double left;
    std::uint64_t order;
    Entry* entry;
    std::pair<double, std::uint64_t> key() const { return {left, order}; }
  };

  void rank(Entry& entry);
  bool start_tasks(Entry& entry);

  Usage total_{};
  Usage free_{};
  std::map<sched::JobId, Entry> entries_;  ///< Jobs that have not ended.
  std::vector<Place> waiting_;             ///< Sorted.
  std::uint64_t order_ = 0;                ///< Jobs so far.
  std::uint32_t next_ = 0;                 ///< The machine on whose record the next task goes.
};

}  // namespace dunlin::sim
