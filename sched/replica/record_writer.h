// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sched/handed_task.h"
#include "sched/replica/record.h"
#include "sched/turn.h"

namespace dunlin::sched::replica {

/// Writes what a frontend stores as records of a log. A job of any size is cut into records that
/// fit into messages, and the records into batches.
class RecordWriter final : public Store {
 public:
  /// Bytes of a batch at most, but for one that is a single record.
  static constexpr std::size_t kBatchMax = 256 << 10;

  void put_job(const Job& job) override;
  void put_progress(const JobId& job, const JobProgress& progress) override;
  void put_report(const JobId& job, const Report& report, PeerId worker, bool final) override;
  void put_loss(const JobId& job, const Attempt& lost, PeerId worker) override;
  void put_retry(const JobId& job, const Attempt& last) override;
  void put_wishes(const JobId& job,
      const JobProgress& progress,
      Wished wished,
      std::span<const Attempt> attempts) override;
  void forget_job(const JobId& job) override;
  void put_holder(const StoredHolder& holder) override;
  void forget_holder(PeerId worker) override;
  /// The tasks of a job that are bound; then hand_over() says that those are all.
  void put_bindings(const JobId& job, std::span<const HandedTask> bound);
  /// With `on` false: the home goes on after all, and what was put before counts no more.
  void hand_over(bool on);

  /// The records since the last call, in batches; none if there were none. They are for one turn:
  /// a home stores all of them at once.
  std::vector<std::string> take() { return std::exchange(batches_, {}); }

 private:
  void add(const Record& record);
  void put_lines(const JobId& job, const Lines& lines);
  void put_inputs(const JobId& job, std::string_view inputs);

  std::vector<std::string> batches_;
};

}  // namespace dunlin::sched::replica
