// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/log_office.h"
#include "sched/host.h"
#include "sched/replica/record_writer.h"
#include "sched/turn.h"

namespace dunlin::sched::logs {

/// What a frontend of jobs with replicas is lent for one call. What it stores goes to the disk and
/// becomes records of the log. What it promises is kept back, until the log is where the promise
/// needs it: its acknowledgement of results, how a job stands, and tasks of a job whose submit may
/// not be told yet, or that never run twice, for a standby that goes on must know of them. All else
/// leaves as ever.
class LogTurn final : public Store, public overlay::Port<Message> {
 public:
  using Word = std::pair<Endpoint, Message>;

  /// A submit that may not be told yet: not before the log is safe up to `position`, nor before the
  /// books outlive what `required` standbys do (see Lack); with 0 they need not.
  struct Submit {
    std::uint64_t position = 0;
    std::uint8_t required = 0;
  };
  using Submits = std::map<std::uint32_t, Submit>;  ///< By the number of the job.

  /// `untold` are the submits that may not be told yet; `office` is the frontend's.
  LogTurn(const Host& host, const Submits& untold, const LogOffice& office);
  ~LogTurn();

  Turn turn();
  /// The records of the call, in batches.
  std::vector<std::string> take_records() { return records_.take(); }
  /// The words that wait, in order.
  std::vector<Word> take_words();

  void put_job(const Job& job) override;
  void put_progress(const JobId& job, const JobProgress& progress) override;
  void put_report(const JobId& job, const Report& report, PeerId worker, bool final) override;
  void put_loss(const JobId& job, const Attempt& lost, PeerId worker) override;
  void put_retry(const JobId& job, const Attempt& last) override;
  void put_wishes(const JobId& job,
      const JobProgress& progress,
      Wished wished,
      std::span<const Attempt> attempts) override;
  void put_holder(const StoredHolder& holder) override;
  void forget_holder(PeerId worker) override;
  void forget_job(const JobId& job) override;
  void put_spent_key(const SpentKey& key) override;
  void put_usage(const UsageNote& note) override;

  void send(const Endpoint& to, const Message& message) override;

 private:
  /// Puts it into the store and among the records.
  void both(auto put, const auto&... what);

  const Host& host_;
  const Submits& untold_;
  const LogOffice& office_;
  replica::RecordWriter records_;
  std::vector<Word> words_;
  std::set<std::uint32_t> only_;  ///< Jobs with attempts that were said to be the only ones.
};

}  // namespace dunlin::sched::logs
