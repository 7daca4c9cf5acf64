// SPDX-License-Identifier: MIT
#include "sched/peer_view.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "sched/logs/log_part.h"
#include "sched/logs/part_view.h"
#include "sched/logs/peer_logs.h"
#include "sched/plan/slot_width.h"

namespace dunlin::sched {

// The empty objects are never changed, so all peers may share them.
const Directory& directory_of(const Peer& peer) {
  static const Directory kEmpty({}, {});
  const Directory* directory = peer.directory();
  return directory != nullptr ? *directory : kEmpty;
}

const Frontend& frontend_of(const Peer& peer) {
  static const Frontend kEmpty({}, {});
  const Frontend* frontend = peer.frontend();
  return frontend != nullptr ? *frontend : kEmpty;
}

const Frontend& frontend_of(const Peer& peer, const JobId& job) {
  const Frontend* const frontend = peer.logs() ? peer.logs()->parts().frontend_of(job) : nullptr;
  return frontend != nullptr ? *frontend : frontend_of(peer);
}

const JobState* find_job(const Peer& peer, const JobId& job) {
  return frontend_of(peer, job).find(job);
}

const JobState* find_job(const Peer& peer, PeerId origin, std::uint32_t number) {
  const auto of = [number](const Frontend& frontend) -> const JobState* {
    const auto job = frontend.jobs().find(number);
    return job == frontend.jobs().end() ? nullptr : &job->second;
  };
  const JobState* const own = origin == peer.overlay().self().id ? of(frontend_of(peer)) : nullptr;
  if (own != nullptr || !peer.logs()) return own;
  for (const auto& part : peer.logs()->parts().all()) {
    if (part->frontend() == nullptr || part->facts().origin != origin) continue;
    if (const JobState* const job = of(*part->frontend())) return job;
  }
  return nullptr;
}

const JobState* find_key(const Peer& peer, const SubmitKey& key) {
  const JobState* const found = frontend_of(peer).table().find_key(key);
  if (found != nullptr || !peer.logs()) return found;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) {
    if (const JobState* const job = frontend->table().find_key(key)) return job;
  }
  return nullptr;
}

namespace {

/// What is left of the job with that key, if it is forgotten.
const SpentKey* find_spent(const Peer& peer, const SubmitKey& key) {
  const SpentKey* found = frontend_of(peer).table().find_spent(key);
  if (found != nullptr || !peer.logs()) return found;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) {
    found = frontend->table().find_spent(key);
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace

Result<std::optional<logs::MovedSubmit>> find_submission(const Peer& peer, const SubmitKey& key) {
  if (const JobState* const job = find_key(peer, key)) {
    return logs::MovedSubmit{job->id(), job->job().owner, job->job().name, job->task_count()};
  }
  if (const SpentKey* const spent = find_spent(peer, key)) {
    if (spent->tasks == 0) {
      return failure(ErrorKind::timeout,
          "this submission was said here before, as job " + label_of(spent->id) +
              ", and another node drove such jobs; whether it had that one is not known any more");
    }
    return logs::MovedSubmit{spent->id, spent->owner, spent->name, spent->tasks};
  }
  if (!peer.logs()) return std::nullopt;
  return peer.logs()->parts().moved(peer.overlay().self().id, key);
}

bool never_gave(const Peer& peer, std::uint32_t number) {
  const bool sure = peer.logs() == nullptr || peer.logs()->knows_numbers();
  return sure && number > frontend_of(peer).table().last();
}

logs::Shortfall shortfall_of(const Peer& peer, Time now, const JobId& job) {
  const logs::LogPart* const log = peer.logs() ? peer.logs()->parts().find(job) : nullptr;
  if (log == nullptr || log->untold(job) == nullptr) return {};
  const NodeSpec self = peer.self();
  return logs::shortfall_of(*log, {peer.directory(), self.machine, self.endpoint.id}, now, job);
}

logs::Shortfall exposure_of(const Peer& peer, Time now, const JobState& job) {
  const logs::LogPart* const log = peer.logs() ? peer.logs()->parts().find(job.id()) : nullptr;
  if (log == nullptr || log->copy().home() == nullptr) return {};
  const NodeSpec self = peer.self();
  return log->shortfall(
      {peer.directory(), self.machine, self.endpoint.id}, now, job.job().replicas);
}

namespace {

/// Those that were submitted here first, ascending by number.
void sort_by_submit(const Peer& peer, std::vector<const JobState*>& jobs) {
  const PeerId self = peer.overlay().self().id;
  std::ranges::stable_sort(jobs, {}, [self](const JobState* job) {
    return std::tuple(job->id().home != self, job->id().home, job->id().number);
  });
}

}  // namespace

std::vector<const JobState*> jobs_of(const Peer& peer) {
  std::vector<const JobState*> jobs;
  for (const auto& [number, job] : frontend_of(peer).jobs()) jobs.push_back(&job);
  if (!peer.logs()) return jobs;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) {
    for (const auto& [number, job] : frontend->jobs()) jobs.push_back(&job);
  }
  sort_by_submit(peer, jobs);
  return jobs;
}

std::vector<const JobState*> open_end_commands_of(const Peer& peer) {
  std::vector<const JobState*> jobs;
  const auto add = [&jobs](const Frontend& frontend) {
    for (const std::uint32_t number : frontend.table().indexes().end_commands().numbers()) {
      jobs.push_back(&frontend.jobs().at(number));
    }
  };
  add(frontend_of(peer));
  if (!peer.logs()) return jobs;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) add(*frontend);
  sort_by_submit(peer, jobs);
  return jobs;
}

// A frontend drives the jobs that one node took.
std::uint32_t last_number_of(const Peer& peer) {
  std::uint32_t last = 0;
  const auto look = [&last, self = peer.overlay().self().id](const Frontend& frontend) {
    const auto& jobs = frontend.jobs();
    if (jobs.empty() || jobs.rbegin()->second.id().home != self) return;
    last = std::max(last, jobs.rbegin()->first);
  };
  look(frontend_of(peer));
  if (!peer.logs()) return last;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) look(*frontend);
  return last;
}

UserHolding holding_of(const Peer& peer, const std::string& user) {
  UserHolding all = frontend_of(peer).table().indexes().holdings().of(user);
  if (!peer.logs()) return all;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) {
    const UserHolding more = frontend->table().indexes().holdings().of(user);
    all.jobs += more.jobs;
    all.tasks += more.tasks;
    all.bytes += more.bytes;
  }
  return all;
}

std::uint32_t active_jobs_of(const Peer& peer) {
  std::uint32_t count = frontend_of(peer).table().active_count();
  if (!peer.logs()) return count;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) {
    count += frontend->table().active_count();
  }
  return count;
}

namespace {

/// True if none of its tasks was handed out yet, and one could be if there were room.
bool waits_for_first(const JobState& job) {
  if (job.begun() || !job.bindings().empty()) return false;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (job.offered(group) > 0) return true;
  }
  return false;
}

/// The longest wait of the jobs of one frontend.
Duration longest_wait_at(const Frontend& frontend, Time now) {
  Duration longest{0};
  for (const JobState* job : frontend.table().active()) {
    if (!waits_for_first(*job)) continue;
    longest = std::max(longest, now - std::max(job->accepted(), job->begins_at()));
  }
  return longest;
}

}  // namespace

Duration longest_wait_of(const Peer& peer, Time now) {
  Duration longest = longest_wait_at(frontend_of(peer), now);
  if (!peer.logs()) return longest;
  for (const Frontend* frontend : peer.logs()->parts().frontends()) {
    longest = std::max(longest, longest_wait_at(*frontend, now));
  }
  return longest;
}

Resources free_of(const Peer& peer) {
  const Worker* worker = peer.worker();
  return worker != nullptr ? worker->slots().free() : all_of(peer.self().total);
}

std::uint32_t running_of(const Peer& peer) {
  const Worker* worker = peer.worker();
  return worker != nullptr ? static_cast<std::uint32_t>(worker->running().size()) : 0;
}

// Tasks that need less than a CPU take a slot each, so there may be more of them than slots: then
// all slots are busy.
SlotCounts slot_counts(const Worker* worker, const Resources& total) {
  SlotCounts slots{.all = slots_of_node(total)};
  if (worker == nullptr) return slots;
  std::uint64_t busy = 0;
  std::uint64_t occupied = 0;
  for (const RunningTask& each : worker->running()) {
    if (each.suspended) continue;  // It has no CPU.
    if (!each.waits) {
      busy += slots_taken(each.demand);
    } else if (each.holds.cpu > 0) {
      occupied += slots_taken(each.holds);
    }
  }
  for (const PendingRequest& each : worker->asking()) {
    const std::uint64_t taken = slots_taken(each.reservation.reserve.demand);
    if (!each.preempts) occupied += taken * each.room;
  }
  slots.busy = static_cast<std::uint32_t>(std::min<std::uint64_t>(busy, slots.all));
  slots.occupied =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(occupied, slots.all - slots.busy));
  if (worker->slots().closed()) slots.down = slots.all - slots.busy - slots.occupied;
  return slots;
}

}  // namespace dunlin::sched
