// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sched/handed_task.h"
#include "sched/replica/record.h"
#include "sched/turn.h"
#include "sched/usage/usage_table.h"

namespace dunlin::sched::replica {

/// The jobs that the records of a log make: what a standby that takes over goes on with. Records
/// come from another node, so one that makes no sense is refused.
class JobCopies {
 public:
  /// Takes in a batch of records, in the order of the log. False if it cannot be read or makes no
  /// sense, and from then on.
  bool apply(std::string_view records);

  /// The jobs of which all parts are there, by number: as Frontend::restore() wants them, but for
  /// the time of their submits, which the driver works out.
  std::vector<StoredJob> jobs() const;
  /// A job that the log has forgotten. Its submission may be said again.
  struct Forgotten {
    SubmitKey key;
    JobId id;
    std::string owner;
    std::string name;
    std::uint32_t tasks = 0;
  };
  /// Those with keys, in the order in which they were forgotten.
  const std::vector<Forgotten>& forgotten() const { return forgotten_; }
  /// The usage of all jobs that the log ever had. A task that was told to be lost, or whose worker
  /// does not say when it began, counts for the hour of what the log says last before.
  const UsageTable& usage() const { return usage_; }
  /// Stores the jobs, as their frontend did.
  void put(Store& store) const;
  /// The workers that may hold tasks.
  std::vector<StoredHolder> holders() const;
  /// The tasks that were bound, if the log ends with a handover; else nullptr.
  const std::vector<HandedTask>* handed() const { return handed_over_ ? &handed_ : nullptr; }

 private:
  /// An attempt that came to nothing: with a report, or lost without one.
  struct Ended {
    std::optional<Report> report;
    PeerId worker;
  };
  struct Final {
    Report report;
    PeerId worker;
  };
  /// The user had a task run again.
  struct Retried {
    std::uint32_t last = 0;    ///< The highest attempt that was made until then ...
    std::uint32_t result = 0;  ///< ... and the one that was its result.
  };
  struct Copy {
    Job job;
    std::size_t groups = 0;    ///< So many groups make it whole, ...
    std::uint32_t lines = 0;   ///< ... and so many lines the last of them.
    std::uint32_t inputs = 0;  ///< Likewise bytes of where inputs are, ...
    std::string input_bytes;   ///< ... and those that are there.
    std::uint32_t tasks = 0;   ///< Of the groups that are there.
    JobProgress progress;
    std::map<std::uint32_t, std::map<std::uint32_t, Ended>> attempts;  ///< By task, by attempt.
    std::map<std::uint32_t, Final> results;
    std::map<std::uint32_t, Retried> retried;  ///< By task, the last time.
    /// By task, the last attempt of each that was to end so.
    std::map<std::uint32_t, std::uint32_t> to_cancel, to_requeue, only;
    bool is_whole() const;
    /// Nothing is to be known of its tasks any more.
    bool is_pruned() const { return progress.ended && progress.ended->pruned; }
    /// There is a record that the attempt was lost, and none of its end.
    bool is_lost(std::uint32_t index, std::uint32_t attempt) const;
    /// All parts of the last group are there. Requires any group.
    bool has_last_group() const;
  };
  using Key = std::tuple<PeerId, std::uint32_t, std::uint64_t>;

  static Key key_of(const JobId& job) { return {job.home, job.number, job.lineage}; }
  static StoredJob stored(const Copy& copy);
  static void put_attempts(Store& store, const Copy& copy, std::uint32_t index, bool before_retry);
  static void put_wishes(Store& store,
      const Copy& copy,
      Wished wished,
      const std::map<std::uint32_t, std::uint32_t>& wishes);
  Copy* find(const JobId& job);
  /// The job, if all its parts are there and it has such a task.
  Copy* find_task(const JobId& job, std::uint32_t index);

  void note_holder(const PutBindings& put);
  bool act(const PutJob& put);
  bool act(PutGroup& put);
  bool act(const PutInputs& put);
  bool act(const PutLines& put);
  bool act(const PutProgress& put);
  bool act(const PutReport& put);
  bool act(const PutLoss& put);
  bool act(const PutRetry& put);
  bool act(const ForgetJob& forget);
  bool act(const PutBindings& put);
  bool act(const HandOver& hand_over);

  std::map<Key, Copy> jobs_;
  /// Adds it up; `was_lost`: the log says so of that attempt already.
  void note_usage(UsageNote note, bool was_lost);

  std::vector<Forgotten> forgotten_;
  UsageTable usage_;
  std::int64_t told_at_ = 0;                ///< The last time that the log says, in ns since 1970.
  std::map<PeerId, StoredHolder> holders_;  ///< At most Holders::kMax of them.
  std::vector<HandedTask> handed_;
  bool handed_over_ = false;
  bool broken_ = false;
};

}  // namespace dunlin::sched::replica
