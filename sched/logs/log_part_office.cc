// SPDX-License-Identifier: MIT
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sched/logs/copied_jobs.h"
#include "sched/logs/held_office.h"
#include "sched/logs/log_part.h"
#include "sched/logs/log_wire.h"
#include "sched/logs/offers.h"
#include "sched/logs/part_view.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"

// An office begins when the copy has become the log's home, and ends when another one has: in
// between a frontend drives the jobs.
namespace dunlin::sched::logs {
namespace {

LogOffice office_of(const replica::LogFacts& facts, const replica::Copy& copy) {
  LogOffice office{.log = facts.log,
      .epoch = copy.home()->stamp().epoch,
      .standbys = {},
      .version = copy.home()->office().version};
  for (const replica::Member& member : copy.home()->office().set) {
    if (member.replica != copy.self().replica) office.standbys.push_back(to_wire(member));
  }
  return office;
}

/// Results that this node recorded and may not have told are the new home's to record.
void offer(const PeerParts& parts,
    const Host& host,
    std::uint64_t log,
    const Endpoint& home,
    std::vector<Done> results) {
  for (Done& done : results) {
    done.load = parts.load();
    done.log = log;
    host.out.send(home, done);
  }
}

/// The step that makes batches of records part of the log.
std::function<void(const replica::CopyTurn&)> appending(
    replica::Copy& copy, std::vector<std::string> batches) {
  return [&copy, batches = std::move(batches)](const replica::CopyTurn& turn) mutable {
    for (std::string& records : batches) copy.append(turn, std::move(records));
  };
}

/// Workers need not miss the home that handed over before they know of this one.
void tell_workers(const Host& host, const std::vector<HandedTask>& handed, const Message& home_is) {
  std::map<PeerId, Endpoint> workers;
  for (const HandedTask& task : handed) workers[task.holder.worker.id] = task.holder.worker;
  for (const auto& [id, worker] : workers) host.out.send(worker, home_is);
}

}  // namespace

void LogPart::settle(const PeerParts& parts, const Host& host) {
  const replica::Home* const home = copy_.home();
  if (home == nullptr) {
    if (office_) step_back(host);
    if (facts().origin == parts.endpoint().id) {
      moved_.note(copy_.log(), copy_.entry().epoch);
    }
    const replica::Member& other = copy_.entry().home;
    if (!offers_.empty() && other.replica != copy_.self().replica) {
      offer(parts, host, facts().log, other.node, std::exchange(offers_, {}));
    }
    return;
  }
  if (!office_) return take_office(parts, host);
  const LogOffice now = office_of(facts(), copy_);
  Frontend& frontend = office_->frontend();
  if (now.epoch != frontend.office().epoch) {
    // A new office of the same node: its numbers begin anew.
    step_back(host);
    return take_office(parts, host);
  }
  if (now.version != frontend.office().version) frontend.set_office(now);
  office_->release(host, home->gate(), [&](std::uint8_t required) {
    return shortfall(site_of(parts), host.now, required).lack == Lack::none;
  });
}

void LogPart::take_office(const PeerParts& parts, const Host& host) {
  const replica::JobCopies copies = copies_of(copy_.log());
  if (!std::exchange(has_rows_, true)) copies.put(host.store);
  std::vector<StoredJob> jobs = copies.jobs();
  for (StoredJob& job : jobs) job.submitted = host.logs.time_of(job.job.submitted_at);
  const LogOffice office = office_of(facts(), copy_);
  host.store.set_usage(facts().log, office.epoch, copies.usage());
  host.events.on(
      LogTaken{facts().log, facts().origin, office.epoch, static_cast<std::uint32_t>(jobs.size())});
  FrontendParams params = parts.params->frontend;
  params.history_age = history_age_of_logs(params);
  Frontend frontend(params, parts.endpoint(), facts().origin, parts.params->worker.renew);
  frontend.set_office(office);
  office_ = std::make_unique<HeldOffice>(std::move(frontend));
  // An earlier home may have told of none of them.
  for (const StoredJob& job : jobs) {
    office_->note_submit(job.job.id.number, {.position = copy_.log().end()});
    wish_.add(copy_, job.job);
  }
  // What an earlier home of this very node wrote when it stopped may be old by now.
  const bool fresh = last_epoch(copy_.log()) + 1 == office.epoch;
  const std::vector<HandedTask>* const handed = fresh ? copies.handed() : nullptr;
  if (handed != nullptr) tell_workers(host, *handed, home_is(*this));
  std::vector<SpentKey> spent;
  for (const auto& [key, id, owner, name, tasks] : copies.forgotten()) {
    spent.push_back(spent_key(key, {id, owner, name, tasks}, host.now));
  }
  drive(parts, host, [&](Frontend& driver, Turn& turn) {
    driver.restore_keys(host.now, std::move(spent));
    driver.restore(turn, std::move(jobs), 0, handed, copies.holders());
    if (handed != nullptr) driver.wake(turn, parts.around(host.now));
  });
}

// Its rows would be stale soon. What it held back is said by the next home, or was never true.
void LogPart::step_back(const Host& host) {
  host.events.on(LogLost{facts().log, facts().origin, copy_.entry().epoch});
  // What was recorded here and never acknowledged: the next home may not have it, and the worker
  // that keeps the report may be gone.
  if (offers_.empty()) offers_ = results_after(copy_.log(), office_->told_up_to());
  office_->forget_rows(host);
  office_.reset();
  handover_.forget();
  has_rows_ = false;
  end_.stop_closing();
}

void LogPart::drive(
    const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act) {
  step(parts, host, appending(copy_, office_->call(host, copy_.log().end(), act)));
}

void LogPart::submit(const PeerParts& parts, const Host& host, Job job) {
  const std::uint32_t number = job.id.number;
  const std::uint8_t required = job.replicas_required;
  wish_.add(copy_, job);
  drive(parts, host, [&](Frontend& frontend, Turn& turn) {
    frontend.submit(turn, parts.around(host.now), std::move(job));
  });
  if (!office_) return;
  office_->note_new(number, {.position = copy_.log().end(), .required = required});
  if (required > 0) books_.hurry(host.now);
}

bool LogPart::takes(std::size_t required) const {
  if (required == wish_.required()) return true;
  return office_->frontend().table().active_count() == 0 && may_tell(*this, copy_.log().end());
}

const LogTurn::Submit* LogPart::untold(const JobId& job) const {
  return office_ ? office_->untold(job.number) : nullptr;
}

// Without its disk a home cannot write down which tasks are bound: the standby asks the workers.
void LogPart::look_at_handover(const PeerParts& parts, const Host& host) {
  if (handover_.has_failed(host.now)) {
    handover_.give_up(host.now);
    copy_.end_handover();
    return step(parts, host, appending(copy_, no_handover_records()));
  }
  const bool leaves = parts.is_leaving() || parts.spec->disk_fails;
  if (!leaves || !handover_.may_begin(host.now) || !books_.opened()) return;
  if (!copy_.home()->has_successor(host.now)) return;
  std::vector<std::string> records;
  if (!parts.spec->disk_fails) records = handover_records(office_->frontend());
  handover_.begin(host.now, records.empty() ? 0 : copy_.log().end() + records.size());
  step(parts, host, appending(copy_, std::move(records)));
}

}  // namespace dunlin::sched::logs
