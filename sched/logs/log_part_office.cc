// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sched/logs/log_part.h"
#include "sched/logs/offers.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"
#include "sched/replica/job_copies.h"

// An office begins when the copy has become the log's home, and ends when another one has: in
// between a frontend drives the jobs.
namespace dunlin::sched::logs {
namespace {

/// Words that wait at the gate beyond so many are dropped: workers say it again.
constexpr std::size_t kHeldMax = 100'000;

replica::JobCopies copies_of(const replica::Log& log) {
  replica::JobCopies copies;
  for (std::uint64_t i = 1; i <= log.end(); ++i) {
    const std::string& records = log.at(i).records;
    if (!records.empty() && !copies.apply(records)) break;
  }
  return copies;
}

}  // namespace

void LogPart::settle(const PeerParts& parts, const Host& host) {
  const replica::Home* const home = copy_.home();
  if (home == nullptr) {
    if (frontend_) step_back(host);
    return offer(parts, host);
  }
  if (!frontend_) return take_office(parts, host);
  const LogOffice now = office();
  if (now.epoch != frontend_->office().epoch) {
    // A new office of the same node: its numbers begin anew.
    step_back(host);
    return take_office(parts, host);
  }
  if (now.version != frontend_->office().version) frontend_->set_office(now);
  const std::uint64_t gate = home->gate();
  told_up_to_ = std::max(told_up_to_, gate);
  std::erase_if(untold_, [&](const auto& submit) { return submit.second <= gate; });
  while (!held_.empty() && held_.front().position <= gate) {
    host.out.send(held_.front().to, held_.front().message);
    held_.pop_front();
  }
}

LogOffice LogPart::office() const {
  LogOffice office{.log = facts_.log,
      .epoch = copy_.home()->stamp().epoch,
      .standbys = {},
      .version = copy_.home()->office().version};
  for (const replica::Member& member : copy_.home()->office().set) {
    if (member.replica != copy_.self().replica) office.standbys.push_back(to_wire(member));
  }
  return office;
}

std::uint32_t LogPart::number_last() const {
  const replica::JobCopies copies = copies_of(copy_.log());
  std::uint32_t last = 0;
  for (const StoredJob& job : copies.jobs()) last = std::max(last, job.job.id.number);
  return last;
}

void LogPart::take_office(const PeerParts& parts, const Host& host) {
  const replica::JobCopies copies = copies_of(copy_.log());
  if (!std::exchange(has_rows_, true)) copies.put(host.store);
  std::vector<StoredJob> jobs = copies.jobs();
  for (StoredJob& job : jobs) job.submitted = host.logs.time_of(job.job.submitted_at);
  host.events.on(LogTaken{facts_.log, facts_.origin, copy_.home()->stamp().epoch,
      static_cast<std::uint32_t>(jobs.size())});
  frontend_ = std::make_unique<Frontend>(
      parts.params->frontend, parts.endpoint(), facts_.origin, parts.params->worker.renew);
  frontend_->set_office(office());
  // An earlier home may have told of none of them.
  for (const StoredJob& job : jobs) {
    untold_[job.job.id.number] = copy_.log().end();
    want(std::max<std::size_t>(standbys_, job.job.replicas),
        std::max<std::size_t>(required_, job.job.replicas_required));
  }
  drive(parts, host,
      [&](Frontend& frontend, Turn& turn) { frontend.restore(turn, std::move(jobs)); });
}

// Its rows would be stale soon. What it held back is said by the next home, or was never true.
void LogPart::step_back(const Host& host) {
  host.events.on(LogLost{facts_.log, facts_.origin, copy_.entry().epoch});
  // What was recorded here and never acknowledged: the next home may not have it, and the worker
  // that keeps the report may be gone.
  if (offers_.empty()) offers_ = results_after(copy_.log(), told_up_to_);
  for (const auto& [number, job] : frontend_->jobs()) host.store.forget_job(job.id());
  frontend_.reset();
  has_rows_ = false;
  held_.clear();
  untold_.clear();
  told_up_to_ = 0;
  closing_ = false;
}

void LogPart::forget(const Host& host) const {
  if (frontend_) {
    for (const auto& [number, job] : frontend_->jobs()) host.store.forget_job(job.id());
  }
  host.logs.forget_log(facts_.log);
}

void LogPart::offer(const PeerParts& parts, const Host& host) {
  const replica::Entry& entry = copy_.entry();
  if (offers_.empty() || entry.home.replica == copy_.self().replica) return;
  for (Done& done : std::exchange(offers_, {})) {
    done.load = parts.load();
    done.log = facts_.log;
    host.out.send(entry.home.node, done);
  }
}

void LogPart::drive(
    const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act) {
  LogTurn lent(host, untold_);
  Turn turn = lent.turn();
  act(*frontend_, turn);
  auto batches = lent.take_records();
  auto words = lent.take_words();
  // What it said rests on the log as it is after this call.
  const std::uint64_t position = copy_.log().end() + batches.size();
  for (auto& [to, message] : words) {
    if (held_.size() < kHeldMax) held_.push_back({position, to, std::move(message)});
  }
  step(parts, host, [&](const replica::CopyTurn& copy_turn) {
    for (std::string& records : batches) copy_.append(copy_turn, std::move(records));
  });
}

void LogPart::submit(const PeerParts& parts, const Host& host, Job job) {
  const std::uint32_t number = job.id.number;
  // Before any word of it may leave.
  want(std::max<std::size_t>(standbys_, job.replicas),
      std::max<std::size_t>(required_, job.replicas_required));
  drive(parts, host, [&](Frontend& frontend, Turn& turn) {
    frontend.submit(turn, parts.around(host.now), std::move(job));
  });
  if (copy_.log().end() > told_up_to_) untold_[number] = copy_.log().end();
}

bool LogPart::waits_for_standbys(const JobId& job) const {
  const replica::Home* const home = copy_.home();
  return home != nullptr && !home->has_required() && untold_.contains(job.number);
}

}  // namespace dunlin::sched::logs
