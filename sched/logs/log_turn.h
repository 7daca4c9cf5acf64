// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sched/host.h"
#include "sched/replica/record_writer.h"
#include "sched/turn.h"

namespace dunlin::sched::logs {

/// What a frontend of jobs with replicas is lent for one call. What it stores goes to the disk and
/// becomes records of the log. What it promises is kept back, until the log is where the promise
/// needs it: its acknowledgement of results, how a job stands, and tasks of a job whose submit may
/// not be told yet. All else leaves as ever.
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

  /// `untold` are the submits that may not be told yet.
  LogTurn(const Host& host, const Submits& untold) : host_(host), untold_(untold) {}

  Turn turn() {
    return {.now = host_.now,
        .rng = host_.rng,
        .out = *this,
        .events = host_.events,
        .store = *this,
        .executor = host_.executor};
  }
  /// The records of the call, in batches.
  std::vector<std::string> take_records() { return records_.take(); }
  /// The words that wait, in order.
  std::vector<Word> take_words() { return std::exchange(words_, {}); }

  void put_job(const Job& job) override { both(&Store::put_job, job); }
  void put_progress(const JobId& job, const JobProgress& progress) override {
    both(&Store::put_progress, job, progress);
  }
  void put_report(const JobId& job, const Report& report, PeerId worker, bool final) override {
    both(&Store::put_report, job, report, worker, final);
  }
  void put_loss(const JobId& job, const Attempt& lost, PeerId worker) override {
    both(&Store::put_loss, job, lost, worker);
  }
  void put_retry(const JobId& job, const Attempt& last) override {
    both(&Store::put_retry, job, last);
  }
  void put_wishes(const JobId& job,
      const JobProgress& progress,
      Wished wished,
      std::span<const Attempt> attempts) override {
    both(&Store::put_wishes, job, progress, wished, attempts);
  }
  // The log alone says which workers have tasks of its jobs.
  void put_holder(const StoredHolder& holder) override { records_.put_holder(holder); }
  void forget_holder(PeerId worker) override { records_.forget_holder(worker); }
  void forget_job(const JobId& job) override { both(&Store::forget_job, job); }

  void send(const Endpoint& to, const Message& message) override {
    const auto* const tasks = std::get_if<Tasks>(&message);
    const bool early = tasks != nullptr && untold_.contains(tasks->job.number);
    if (early || std::holds_alternative<DoneAck>(message) ||
        std::holds_alternative<JobEnd>(message)) {
      words_.emplace_back(to, message);
    } else {
      host_.out.send(to, message);
    }
  }

 private:
  void both(auto put, const auto&... what) {
    (host_.store.*put)(what...);
    (static_cast<Store&>(records_).*put)(what...);
  }

  const Host& host_;
  const Submits& untold_;
  replica::RecordWriter records_;
  std::vector<Word> words_;
};

}  // namespace dunlin::sched::logs
