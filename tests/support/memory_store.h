// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "sched/frontend/keys/spent_keys.h"
#include "sched/logs/log_store.h"
#include "sched/turn.h"
#include "sched/usage/usage_table.h"

namespace dunlin::test {

/// The disk of one node: it survives what the node does not. Records are put into the turn at hand
/// and become durable together, when the world says so; a crash before that forgets them.
class MemoryStore final : public sched::Store {
 public:
  struct PutJob {
    sched::Job job;
  };
  struct PutProgress {
    sched::JobId job;
    sched::JobProgress progress;
  };
  struct PutReport {
    sched::JobId job;
    sched::Report report;
    sched::PeerId worker;
    bool final;
  };
  struct PutLoss {
    sched::JobId job;
    sched::Attempt lost;
    sched::PeerId worker;
  };
  struct PutRetry {
    sched::JobId job;
    sched::Attempt last;
  };
  struct PutWishes {
    sched::JobId job;
    sched::Wished wished;
    std::vector<sched::Attempt> attempts;
  };
  struct ForgetJob {
    sched::JobId job;
  };
  struct ForgetHolder {
    sched::PeerId worker;
  };
  struct SetUsage {
    std::uint64_t log;
    std::uint32_t epoch;
    sched::UsageTable table;
  };
  struct PutDrain {
    std::optional<sched::DrainTerms> terms;
  };
  using Record = std::variant<PutJob,
      PutProgress,
      PutReport,
      PutLoss,
      PutRetry,
      PutWishes,
      ForgetJob,
      sched::StoredHolder,
      ForgetHolder,
      sched::SpentKey,
      sched::UsageNote,
      SetUsage,
      PutDrain>;
  using Batch = std::vector<Record>;

  void put_job(const sched::Job& job) override { turn_.push_back(PutJob{job}); }
  void put_progress(const sched::JobId& job, const sched::JobProgress& progress) override {
    turn_.push_back(PutProgress{job, progress});
  }
  void put_report(const sched::JobId& job,
      const sched::Report& report,
      sched::PeerId worker,
      bool final) override {
    turn_.push_back(PutReport{job, report, worker, final});
  }
  void put_loss(
      const sched::JobId& job, const sched::Attempt& lost, sched::PeerId worker) override {
    turn_.push_back(PutLoss{job, lost, worker});
  }
  void put_retry(const sched::JobId& job, const sched::Attempt& last) override {
    turn_.push_back(PutRetry{job, last});
  }
  void put_wishes(const sched::JobId& job,
      const sched::JobProgress&,
      sched::Wished wished,
      std::span<const sched::Attempt> attempts) override {
    turn_.push_back(PutWishes{job, wished, {attempts.begin(), attempts.end()}});
  }
  void put_holder(const sched::StoredHolder& holder) override { turn_.push_back(holder); }
  void forget_holder(sched::PeerId worker) override { turn_.push_back(ForgetHolder{worker}); }
  void forget_job(const sched::JobId& job) override { turn_.push_back(ForgetJob{job}); }
  void put_spent_key(const sched::SpentKey& key) override { turn_.push_back(key); }
  void put_usage(const sched::UsageNote& note) override { turn_.push_back(note); }
  void set_usage(std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) override {
    turn_.push_back(SetUsage{log, epoch, table});
  }
  void put_drain(const std::optional<sched::DrainTerms>& terms) override {
    turn_.push_back(PutDrain{terms});
  }

  bool turn_has_records() const { return !turn_.empty(); }
  /// The records of the turn that ends: not durable yet.
  Batch take_turn() { return std::exchange(turn_, {}); }
  void commit(const Batch& batch);

  /// The jobs that a later life finds, ascending by job number.
  std::vector<sched::StoredJob> load() const;
  /// The workers that may hold tasks.
  std::vector<sched::StoredHolder> holders() const;
  /// The keys of jobs that were forgotten, the oldest first.
  const std::vector<sched::SpentKey>& spent_keys() const { return spent_keys_; }
  const std::optional<sched::DrainTerms>& drain() const { return drain_; }
  /// The usage of a log, or of all jobs without replicas.
  struct Usage {
    std::uint32_t epoch = 0;  ///< Of the home that added it up last.
    sched::UsageTable table;
  };
  /// What the records here say that a job used, in counts and CPU time: held amounts are left out,
  /// as a demand may be an estimate.
  sched::UsageSums used(const sched::JobId& job) const;
  /// The same of all jobs without replicas that this store ever had.
  sched::UsageSums used_without_replicas() const;
  /// By log; 0: of jobs without replicas.
  const std::map<std::uint64_t, Usage>& usage() const { return usage_; }
  /// The record of a job; nullptr if there is none.
  const sched::Job* job(const sched::JobId& job) const;
  bool holds(const sched::JobId& job) const { return jobs_.contains(key_of(job)); }
  /// Final results durable for a job; 0 for an unknown one.
  std::uint32_t finals(const sched::JobId& job) const;
  /// The durable result of a task, if it has one.
  const sched::Report* result(const sched::JobId& job, std::uint32_t index) const;
  /// Reports of attempts that did not count, and losses, for a job.
  std::uint32_t attempts_forgiven(const sched::JobId& job) const;

  /// The first act that a correct frontend never does, e.g. two final results for one task; empty
  /// if all is well.
  const std::string& violation() const { return violation_; }

 private:
  /// An attempt that came to nothing, and the node where it did.
  struct Ended {
    std::optional<sched::Report> report;  ///< Empty if it was never reported.
    sched::PeerId worker;
  };
  using History = std::map<std::uint32_t, Ended>;
  struct Result {
    sched::Report report;
    sched::PeerId worker;
  };
  struct Kept {
    sched::Job job;
    sched::JobProgress progress;
    std::map<std::uint32_t, History> attempts;  ///< By task.
    std::map<std::uint32_t, Result> results;
    std::map<std::uint32_t, std::uint32_t> retried;  ///< By task: see sched::StoredTask.
    std::int64_t run_again = 0;    ///< Results of attempts whose tasks were retried.
    std::int64_t lost_before = 0;  ///< Losses whose records such a result has replaced.
    std::map<sched::Wished, std::map<std::uint32_t, std::uint32_t>> wishes;  ///< By task.
  };

  void apply(const PutJob& put);
  void apply(const PutProgress& put);
  void apply(const PutReport& put);
  void apply(const PutLoss& put);
  void apply(const PutRetry& put);
  void apply(const PutWishes& put);
  void apply(const ForgetJob& forget);
  void apply(const sched::StoredHolder& holder) { holders_[holder.worker.id] = holder; }
  void apply(const ForgetHolder& forget) { holders_.erase(forget.worker); }
  void apply(const sched::SpentKey& key) { spent_keys_.push_back(key); }
  void apply(const sched::UsageNote& note);
  void apply(const SetUsage& set) { usage_[set.log] = {set.epoch, set.table}; }
  void apply(const PutDrain& put) { drain_ = put.terms; }
  static sched::UsageSums used(const Kept& job);
  /// The attempt has a record that it was lost, and none of its end.
  static bool is_lost(const Kept& job, std::uint32_t index, std::uint32_t attempt);
  /// The job of a record; a violation if there is none.
  Kept* kept(const sched::JobId& job, const char* record);
  /// Checks that a record of an attempt comes before the task's result, and after no report of it.
  void check(const Kept& job, std::uint32_t index, std::uint32_t attempt, const char* what);
  void violate(std::string what);

  Batch turn_;
  /// A node that took a log over has jobs of another node, with numbers that its own have, too.
  /// And a node that lost its disk counts from 1 again.
  using Key = std::tuple<sched::PeerId, std::uint32_t, std::uint64_t>;
  static Key key_of(const sched::JobId& job) { return {job.home, job.number, job.lineage}; }

  std::map<Key, Kept> jobs_;
  std::map<sched::PeerId, sched::StoredHolder> holders_;
  std::vector<sched::SpentKey> spent_keys_;
  std::map<std::uint64_t, Usage> usage_;
  sched::UsageSums gone_;  ///< Used by jobs without replicas that are forgotten.
  std::optional<sched::DrainTerms> drain_;
  std::string violation_;
};

/// Keeps logs in memory. What is put into a turn becomes durable when the world says so, together
/// with the turn's records of jobs.
class MemoryLogStore final : public sched::replica::LogStore {
 public:
  using Logs = std::map<std::uint64_t, sched::replica::StoredLog>;
  using Batch = std::vector<std::function<void(Logs&)>>;

  void put_log(const sched::replica::LogFacts& facts) override {
    later([facts](Logs& logs) { logs[facts.log].facts = facts; });
  }
  void put_batch(
      std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch) override {
    later([log, position, batch](Logs& logs) {
      sched::replica::Log& kept = logs.at(log).log;
      overlay::ensure(position == kept.end() + 1, "batches are put in order");
      kept.append(batch);
    });
  }
  void truncate(std::uint64_t log, std::uint64_t position) override {
    later([log, position](Logs& logs) { logs.at(log).log.truncate(position); });
  }
  void put_office(std::uint64_t log, const sched::replica::HomeRecord& office) override {
    later([log, office](Logs& logs) { logs.at(log).office = office; });
  }
  void put_entry(std::uint64_t log, const sched::replica::Entry& entry) override {
    later([log, entry](Logs& logs) { logs.at(log).entry = entry; });
  }
  void forget_log(std::uint64_t log) override {
    later([log](Logs& logs) { logs.erase(log); });
  }
  std::optional<sched::Time> time_of(std::int64_t wall) const override {
    return sched::Time{sched::Duration{wall} - ahead_};
  }
  /// The wall clock is ahead of the virtual time by so much.
  void set_clock(sched::Duration ahead) { ahead_ = ahead; }

  bool turn_has_records() const { return !turn_.empty(); }
  /// The records of the turn that ends: not durable yet.
  Batch take_turn() { return std::exchange(turn_, {}); }
  void commit(const Batch& batch) {
    for (const auto& put : batch) put(logs_);
  }
  /// What is durable, by log.
  const Logs& logs() const { return logs_; }
  /// What a later life finds.
  std::vector<sched::replica::StoredLog> load() const {
    std::vector<sched::replica::StoredLog> all;
    for (const auto& [log, kept] : logs_) all.push_back(kept);
    return all;
  }

 private:
  void later(std::function<void(Logs&)> put) { turn_.push_back(std::move(put)); }

  Logs logs_;
  Batch turn_;
  sched::Duration ahead_{0};
};

}  // namespace dunlin::test
