// SPDX-License-Identifier: MIT
#include "sched/logs/peer_logs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sched/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/logs/candidates.h"
#include "sched/logs/log_part.h"
#include "sched/logs/log_wire.h"
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

logs::LogPart* PeerLogs::find(std::uint64_t log) const {
  const auto found =
      std::ranges::find_if(parts_, [&](const auto& part) { return part->facts().log == log; });
  return found == parts_.end() ? nullptr : found->get();
}

logs::LogPart* PeerLogs::find(const JobId& job) const {
  const auto found = std::ranges::find_if(parts_, [&](const auto& part) {
    return part->frontend() != nullptr && part->frontend()->find(job) != nullptr;
  });
  return found == parts_.end() ? nullptr : found->get();
}

// The user knows a job by its origin and its number.
const logs::LogPart* PeerLogs::find_for(const JobId& job) const {
  const logs::LogPart* standby = nullptr;
  for (const auto& part : parts_) {
    if (part->facts().origin != job.home) continue;
    if (part->frontend() == nullptr) {
      standby = part.get();
    } else if (part->frontend()->jobs().contains(job.number)) {
      return part.get();
    }
  }
  return standby;
}

void PeerLogs::restore(PeerParts& parts, const Host& host, std::vector<replica::StoredLog> stored) {
  for (replica::StoredLog& log : stored) {
    parts_.push_back(std::make_unique<logs::LogPart>(parts, host, std::move(log)));
  }
  if (parts_.empty()) return;
  next_ = host.now;
  // Jobs that another node drives by now have their numbers, too.
  std::uint32_t last = 0;
  for (const auto& part : parts_) {
    if (part->facts().origin != parts.endpoint().id) continue;
    knows_numbers_ = true;
    last = std::max(last, part->jobs(host.now).last());
  }
  Turn turn = PeerParts::turn(host);
  if (last > 0) parts.ensure_frontend().restore(turn, {}, last);
}

Result<std::optional<logs::MovedSubmit>> PeerLogs::moved(PeerId self, const SubmitKey& key) const {
  if (key.empty()) return std::nullopt;
  for (const auto& part : parts_) {
    if (part->facts().origin != self || part->frontend() != nullptr) continue;
    const auto found = part->moved().find(key);
    if (found == part->moved().end()) continue;
    if (part->has_moved_for_sure()) return found->second;
    return failure(ErrorKind::timeout,
        "this submission was said here before, as job " + label_of(found->second.id) +
            ", and another node drives such jobs by now: whether it has that one is not known here "
            "(dunlin job " +
            label_of(found->second.id) + ")");
  }
  return std::nullopt;
}

logs::LogPart& PeerLogs::own(const PeerParts& parts, const Host& host, std::size_t required) {
  const PeerId self = parts.endpoint().id;
  for (const auto& part : parts_) {
    if (part->facts().origin != self) continue;
    const bool open =
        part->frontend() != nullptr && !part->is_closing() && !part->books().is_silent(host.now);
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
  parts_.push_back(std::make_unique<logs::LogPart>(parts, host, std::move(opened)));
  next_ = host.now;
  return *parts_.back();
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
  logs::LogPart* const part = find(answer.log);
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
  return std::ranges::all_of(parts_, [&](const auto& part) { return logs::may_leave(*part, now); });
}

Result<void> PeerLogs::lose(const PeerParts& parts, const Host& host, const JobId& job) {
  const auto has_it = [&](const auto& part) {
    return part->facts().origin == job.home &&
        logs::copied_jobs(part->copy().log()).has(job.number);
  };
  const auto found_at = std::ranges::find_if(parts_, has_it);
  const std::string name = "job " + label_of(job);
  if (found_at == parts_.end()) {
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
  logs::LogPart* const part = find(job);
  if (part != nullptr) part->drive(parts, host, act);
  return part != nullptr;
}

void PeerLogs::drive_all(
    const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act) {
  for (const auto& part : parts_) {
    if (part->frontend() != nullptr) part->drive(parts, host, act);
  }
}

namespace {

/// A log ends with the last of its jobs. Their keys outlive them, as those of other jobs do.
void keep_keys(PeerParts& parts, const Host& host, const logs::LogPart& ended) {
  std::vector<SpentKey> keys = ended.keys(parts, host.now);
  for (const SpentKey& key : keys) host.store.put_spent_key(key);
  if (!keys.empty()) parts.ensure_frontend().restore_keys(host.now, std::move(keys));
}

}  // namespace

void PeerLogs::wake(PeerParts& parts, const Host& host) {
  for (const auto& part : parts_) {
    if (next_ > host.now && part->frontend_deadline() > host.now) continue;
    replica::Set standbys;
    if (parts.directory && part->frontend() != nullptr) {
      standbys = logs::candidates(
          *parts.directory, parts.self(), part->facts().log, host.now, kCandidatesMax);
    }
    part->wake(parts, host, standbys);
  }
  std::erase_if(parts_, [&](const auto& part) {
    if (!part->is_over()) return false;
    keep_keys(parts, host, *part);
    part->forget(host);
    return true;
  });
  if (next_ <= host.now) next_ = parts_.empty() ? kNever : host.now + kTick;
}

void PeerLogs::hear(Time now, const overlay::Descriptor& node) {
  for (const auto& part : parts_) {
    if (Frontend* const frontend = part->frontend()) frontend->hear(now, node);
  }
}

void PeerLogs::forget(PeerId node) {
  for (const auto& part : parts_) {
    if (Frontend* const frontend = part->frontend()) frontend->forget(node);
  }
}

Time PeerLogs::deadline() const {
  Time earliest = next_;
  for (const auto& part : parts_) earliest = std::min(earliest, part->frontend_deadline());
  return earliest;
}

const Frontend* PeerLogs::frontend_of(const JobId& job) const {
  const logs::LogPart* const part = find(job);
  return part == nullptr ? nullptr : part->frontend();
}

std::vector<Orphan> PeerLogs::orphans(Time now) const {
  std::vector<Orphan> orphans;
  for (const auto& part : parts_) {
    const std::optional<OrphanCause> cause = part->orphaned(now);
    if (!cause) continue;
    const logs::CopiedJobs& jobs = part->jobs(now);
    orphans.push_back({.origin = part->facts().origin,
        .home = part->copy().entry().home.node.id,
        .in_sync = has(part->copy().entry().set, part->copy().self().replica),
        .jobs = jobs.numbers,
        .cause = *cause,
        .submitted_at = jobs.submitted_at});
  }
  return orphans;
}

std::optional<PeerLogs::Held> PeerLogs::held(Time now, const JobId& job) const {
  // A job is in one log: a copy that has it is worth more than one that may turn out to have it.
  const auto worth = [](CopyStanding standing) {
    constexpr CopyStanding kAscending[] = {CopyStanding::untold, CopyStanding::lacks,
        CopyStanding::unread, CopyStanding::behind, CopyStanding::synced};
    return std::ranges::find(kAscending, standing) - std::begin(kAscending);
  };
  std::optional<Held> best;
  for (const auto& part : parts_) {
    if (part->facts().origin != job.home) continue;
    if (part->frontend() != nullptr) {
      if (!part->frontend()->jobs().contains(job.number)) continue;
      return Held{part.get(), CopyStanding::synced};
    }
    const Held each{part.get(), part->standing(now, job.number)};
    if (!best || worth(each.standing) > worth(best->standing)) best = each;
  }
  return best;
}

std::vector<const Frontend*> PeerLogs::frontends() const {
  std::vector<const Frontend*> all;
  for (const auto& part : parts_) {
    if (part->frontend() != nullptr) all.push_back(part->frontend());
  }
  return all;
}

Promise PeerLogs::promise(const JobId& job) const {
  const logs::LogPart* const part = find(job);
  if (part == nullptr) return {};
  return {part->facts().log, part->frontend()->office().epoch, part->copy().log().end(),
      part->is_untold(job) ? job : JobId{}};
}

bool PeerLogs::may_tell(const Promise& promise) const {
  if (promise.log == 0) return true;
  const logs::LogPart* const part = find(promise.log);
  if (is_void(promise) || !part->may_tell(promise.position)) return false;
  return promise.submit.number == 0 || !part->is_untold(promise.submit);
}

bool PeerLogs::is_void(const Promise& promise) const {
  if (promise.log == 0) return false;
  const logs::LogPart* const part = find(promise.log);
  return part == nullptr || part->frontend() == nullptr ||
      part->frontend()->office().epoch != promise.epoch;
}

}  // namespace dunlin::sched
