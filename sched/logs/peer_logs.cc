// SPDX-License-Identifier: MIT
#include "sched/logs/peer_logs.h"

#include <algorithm>
#include <utility>

#include "sched/directory/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/logs/candidates.h"
#include "sched/logs/log_part.h"
#include "sched/logs/log_wire.h"
#include "sched/logs/part_view.h"
#include "sched/peer_parts.h"

// Each log is driven by a frontend of its own, at the node that began it as at one that took it
// over. So nothing that a frontend does depends on whose jobs they are, and a node that is deposed
// drops the frontend and goes on with its other jobs.
namespace dunlin::sched {
namespace {

/// Copies are looked at so often: heartbeats, silence, candidates.
constexpr Duration kTick = std::chrono::milliseconds(100);
/// Candidates for standbys that are kept in mind.
constexpr std::size_t kCandidatesMax = 8;

}  // namespace

PeerLogs::PeerLogs() = default;
PeerLogs::~PeerLogs() = default;

void PeerLogs::restore(PeerParts& parts, const Host& host, std::vector<replica::StoredLog> stored) {
  for (replica::StoredLog& log : stored) {
    parts_.add(std::make_unique<logs::LogPart>(parts, host, std::move(log)));
  }
  if (parts_.all().empty()) return;
  next_ = host.now;
  // Jobs that another node drives by now have their numbers, too.
  std::uint32_t last = 0;
  for (const auto& part : parts_.all()) {
    if (part->facts().origin != parts.endpoint().id) continue;
    knows_numbers_ = true;
    last = std::max(last, part->jobs(host.now).last());
  }
  Turn turn = PeerParts::turn(host);
  if (last > 0) parts.ensure_frontend().restore(turn, {}, last);
}

logs::LogPart& PeerLogs::own(const PeerParts& parts, const Host& host, std::size_t required) {
  const PeerId self = parts.endpoint().id;
  for (const auto& part : parts_.all()) {
    if (part->facts().origin != self) continue;
    const bool open = part->frontend() != nullptr && !part->end().is_closing() &&
        !part->books().is_silent(host.now);
    const bool has_room = !part->is_handing_over() && part->bytes() < kLogBytesMax;
    if (open && has_room && part->takes(required)) return *part;
  }
  const replica::LogFacts facts{.log = host.rng() | 1, .origin = self, .cell = {}, .contacts = {}};
  // A log of its own that came back to it, as a standby of the next home, may not be the last.
  if (!std::exchange(knows_numbers_, true)) first_ = facts.log;
  host.logs.put_log(facts);
  replica::StoredLog opened = logs::opened_log(facts, parts.as_member());
  host.logs.put_office(facts.log, opened.office);
  host.logs.put_entry(facts.log, opened.entry);
  next_ = host.now;
  return parts_.add(std::make_unique<logs::LogPart>(parts, host, std::move(opened)));
}

void PeerLogs::submit(const PeerParts& parts, const Host& host, Job job) {
  logs::LogPart& log = own(parts, host, job.replicas_required);
  log.submit(parts, host, std::move(job));
  // Before the next tick: each standby that is missing is sought at once.
  next_ = host.now;
}

// A node that lost its disk, and with it all that it knew of its jobs, counts them from 1 again.
// The books know how far it had come: those of its cell, which its first log is in now, or those of
// the log that another node drives. What it took before it hears so keeps its number.
void PeerLogs::receive(
    PeerParts& parts, const Host& host, const Endpoint& from, const cell::LogAnswer& answer) {
  logs::LogPart* const part = parts_.find(answer.log);
  if (part == nullptr) return;
  part->on_answer(parts, host, from, answer);
  const bool another = part->facts().origin == parts.endpoint().id && part->frontend() == nullptr;
  if ((answer.log != first_ && !another) || !part->books().opened()) return;
  if (!another) first_ = 0;
  Turn turn = PeerParts::turn(host);
  if (const std::uint32_t floor = part->books().floor(); floor > 0) {
    parts.ensure_frontend().restore(turn, {}, floor);
  }
}

bool PeerLogs::departed(Time now) const {
  return std::ranges::all_of(
      parts_.all(), [&](const auto& part) { return logs::may_leave(*part, now); });
}

Result<void> PeerLogs::lose(const PeerParts& parts, const Host& host, const JobId& job) {
  const auto has_it = [&](const auto& part) {
    return part->facts().origin == job.home &&
        logs::copied_jobs(part->copy().log()).has(job.number);
  };
  const auto found_at = std::ranges::find_if(parts_.all(), has_it);
  const std::string name = "job " + label_of(job);
  if (found_at == parts_.all().end()) {
    return failure(ErrorKind::not_found,
        "this node has no copy of " + name + ": ask a node that was its standby");
  }
  logs::LogPart* const found = found_at->get();
  if (found->frontend() != nullptr) {
    return failure(ErrorKind::conflict, "this node drives " + name + " already");
  }
  if (found->orphaned(host.now) == OrphanCause::unheard) {
    found->go_on(parts, host);
    next_ = host.now;
    return {};
  }
  if (has(found->copy().entry().set, found->copy().self().replica)) {
    return failure(ErrorKind::conflict,
        "this node is in sync, and takes " + name +
            " over by itself once its home is silent and the books of its cell answer; if neither "
            "does for 20 s, ask again");
  }
  found->lose(parts, host);
  return {};
}

bool PeerLogs::drive(const PeerParts& parts,
    const Host& host,
    const JobId& job,
    const std::function<void(Frontend&, Turn&)>& act) {
  logs::LogPart* const part = parts_.find(job);
  if (part != nullptr) part->drive(parts, host, act);
  return part != nullptr;
}

void PeerLogs::drive_all(
    const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act) {
  for (const auto& part : parts_.all()) {
    if (part->frontend() != nullptr) part->drive(parts, host, act);
  }
}

namespace {

/// A log ends with the last of its jobs. Their keys outlive them, as those of other jobs do.
void keep_keys(PeerParts& parts, const Host& host, const logs::LogPart& ended) {
  std::vector<SpentKey> keys = keys_of(ended, parts, host.now);
  for (const SpentKey& key : keys) host.store.put_spent_key(key);
  if (!keys.empty()) parts.ensure_frontend().restore_keys(host.now, std::move(keys));
}

}  // namespace

void PeerLogs::wake(PeerParts& parts, const Host& host) {
  for (const auto& part : parts_.all()) {
    if (next_ > host.now && frontend_deadline(*part) > host.now) continue;
    replica::Set standbys;
    if (parts.directory && part->frontend() != nullptr) {
      standbys = logs::candidates(
          *parts.directory, parts.self(), part->facts().log, host.now, kCandidatesMax);
    }
    part->wake(parts, host, standbys);
  }
  parts_.remove([&](const logs::LogPart& part) {
    if (!part.end().is_over()) return false;
    keep_keys(parts, host, part);
    part.forget(host);
    return true;
  });
  if (next_ <= host.now) next_ = parts_.all().empty() ? kNever : host.now + kTick;
}

void PeerLogs::hear(Time now, const overlay::Descriptor& node) {
  for (const auto& part : parts_.all()) {
    if (Frontend* const frontend = part->frontend()) frontend->hear(now, node);
  }
}

void PeerLogs::forget(PeerId node) {
  for (const auto& part : parts_.all()) {
    if (Frontend* const frontend = part->frontend()) frontend->forget(node);
  }
}

Time PeerLogs::deadline() const {
  Time earliest = next_;
  for (const auto& part : parts_.all()) earliest = std::min(earliest, frontend_deadline(*part));
  return earliest;
}

Promise PeerLogs::promise(const JobId& job) const {
  const logs::LogPart* const part = parts_.find(job);
  if (part == nullptr) return {};
  return {part->facts().log, part->frontend()->office().epoch, part->copy().log().end(),
      part->untold(job) != nullptr ? job : JobId{}};
}

bool PeerLogs::may_tell(const Promise& promise) const {
  if (promise.log == 0) return true;
  const logs::LogPart* const part = parts_.find(promise.log);
  if (is_void(promise) || !logs::may_tell(*part, promise.position)) return false;
  return promise.submit.number == 0 || part->untold(promise.submit) == nullptr;
}

bool PeerLogs::is_void(const Promise& promise) const {
  if (promise.log == 0) return false;
  const logs::LogPart* const part = parts_.find(promise.log);
  return part == nullptr || part->frontend() == nullptr ||
      part->frontend()->office().epoch != promise.epoch;
}

}  // namespace dunlin::sched
