// SPDX-License-Identifier: MIT
#include "sched/logs/log_turn.h"

#include <utility>
#include <variant>

#include "sched/usage/usage.h"

namespace dunlin::sched::logs {

LogTurn::LogTurn(const Host& host, const Submits& untold, const LogOffice& office)
    : host_(host),
      untold_(untold),
      office_(office) {}
LogTurn::~LogTurn() = default;

Turn LogTurn::turn() {
  return {.now = host_.now,
      .rng = host_.rng,
      .out = *this,
      .events = host_.events,
      .store = *this,
      .executor = host_.executor};
}

std::vector<LogTurn::Word> LogTurn::take_words() {
  return std::exchange(words_, {});
}

void LogTurn::both(auto put, const auto&... what) {
  (host_.store.*put)(what...);
  (static_cast<Store&>(records_).*put)(what...);
}

void LogTurn::put_job(const Job& job) {
  both(&Store::put_job, job);
}

void LogTurn::put_progress(const JobId& job, const JobProgress& progress) {
  both(&Store::put_progress, job, progress);
}

void LogTurn::put_report(const JobId& job, const Report& report, PeerId worker, bool final) {
  both(&Store::put_report, job, report, worker, final);
}

void LogTurn::put_loss(const JobId& job, const Attempt& lost, PeerId worker) {
  both(&Store::put_loss, job, lost, worker);
}

void LogTurn::put_retry(const JobId& job, const Attempt& last) {
  both(&Store::put_retry, job, last);
}

void LogTurn::put_wishes(const JobId& job,
    const JobProgress& progress,
    Wished wished,
    std::span<const Attempt> attempts) {
  both(&Store::put_wishes, job, progress, wished, attempts);
  if (wished == Wished::only) only_.insert(job.number);
}

// The log alone says which workers have tasks of its jobs.
void LogTurn::put_holder(const StoredHolder& holder) {
  records_.put_holder(holder);
}

void LogTurn::forget_holder(PeerId worker) {
  records_.forget_holder(worker);
}

void LogTurn::forget_job(const JobId& job) {
  both(&Store::forget_job, job);
}

// It is of use where the job was forgotten. The log has it by the record of the job, and that one's
// end.
void LogTurn::put_spent_key(const SpentKey& key) {
  host_.store.put_spent_key(key);
}

// The log needs no record of it: its next home adds up anew what the records of the log say.
void LogTurn::put_usage(const UsageNote& note) {
  UsageNote of_log = note;
  of_log.log = office_.log;
  of_log.epoch = office_.epoch;
  host_.store.put_usage(of_log);
}

void LogTurn::send(const Endpoint& to, const Message& message) {
  const auto* const tasks = std::get_if<Tasks>(&message);
  const bool early = tasks != nullptr &&
      (untold_.contains(tasks->job.number) || only_.contains(tasks->job.number));
  if (early || std::holds_alternative<DoneAck>(message) ||
      std::holds_alternative<JobEnd>(message)) {
    words_.emplace_back(to, message);
  } else {
    host_.out.send(to, message);
  }
}

}  // namespace dunlin::sched::logs
