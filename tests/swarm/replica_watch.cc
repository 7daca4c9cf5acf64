// SPDX-License-Identifier: MIT
#include "tests/swarm/replica_watch.h"

#include <algorithm>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/ledger/log_commands.h"
#include "sched/logs/log_part.h"
#include "sched/logs/part_view.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "sched/replica/codec_record.h"

namespace dunlin::test {
namespace {

bool drives_all(const sched::logs::LogPart& part) {
  return part.frontend() != nullptr && may_tell(part, part.copy().log().end());
}

}  // namespace

std::string text_of(const JobId& job) {
  return "job " + std::to_string(job.home.value) + "/" + std::to_string(job.number);
}

bool ReplicaWatch::has_disk(const sched::replica::Member& member) const {
  return world_.replica(World::node_of(member.node.id)) == (member.replica.value);
}

void ReplicaWatch::look() {
  learn_entries();
  check_drivers();
  check_disks();
}

void ReplicaWatch::learn(std::uint64_t log, const sched::replica::Entry& entry) {
  sched::replica::Entry& known = entries_[log];
  if (entry.version > known.version) known = entry;
}

// Books as one voter has them may be late, and so may what a replica was told. The latest counts.
void ReplicaWatch::learn_entries() {
  for (std::size_t node = 0; node < world_.size(); ++node) {
    for (const auto& [log, kept] : world_.logs(node)) learn(log, kept.entry);
    if (!world_.up(node)) continue;
    if (const auto* cells = world_.peer(node).cells()) {
      for (const auto& hosted : cells->hosted()) {
        for (const auto& entry : hosted->books().roster().logs) {
          learn(entry.log, sched::books::entry_of(entry));
        }
      }
    }
    if (const auto* logs = world_.peer(node).logs()) {
      for (const auto& part : logs->parts().all()) learn(part->facts().log, part->copy().entry());
    }
  }
}

void ReplicaWatch::check_drivers() {
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (!world_.up(node) || world_.peer(node).logs() == nullptr) continue;
    for (const auto& part : world_.peer(node).logs()->parts().all()) {
      if (part->frontend() == nullptr) continue;
      const std::uint64_t log = part->facts().log;
      const std::uint32_t epoch = part->frontend()->office().epoch;
      const auto [at, is_new] = homes_.try_emplace({log, epoch}, world_.replica(node));
      if (at->second != world_.replica(node)) {
        return world_.fail("two homes of a log in epoch " + std::to_string(epoch));
      }
      for (const auto& [number, job] : part->frontend()->jobs()) logs_.try_emplace(job.id(), log);
      if (drives_all(*part)) note_told(node, *part);
    }
  }
}

/// What a reader might be told now.
void ReplicaWatch::note_told(std::size_t node, const sched::logs::LogPart& part) {
  for (const auto& [number, job] : part.frontend()->jobs()) {
    const JobId id = job.id();
    if (deeds_.is_retried(id)) {
      told_.erase(id);
      continue;
    }
    auto& told = told_[id];
    if (told.size() == job.task_count()) continue;
    for (std::uint32_t i = 0; i < job.task_count(); ++i) {
      const sched::Report* const result = world_.store(node).result(id, i);
      if (result == nullptr) continue;
      const auto [at, is_new] = told.try_emplace(i, result->attempt);
      if (at->second != result->attempt) {
        return world_.fail("a result that was told is another by now: " + text_of(id));
      }
    }
  }
}

const ReplicaWatch::Kept& ReplicaWatch::kept(std::size_t node, std::uint64_t log) {
  const auto stored = world_.logs(node).find(log);
  static const sched::replica::Log kNone;
  const sched::replica::Log& records =
      stored == world_.logs(node).end() ? kNone : stored->second.log;
  Kept& known = kept_[{node, log}];
  if (known.end == records.mark(records.end())) return known;
  std::uint64_t from = known.end.position;
  // Batches are only appended to a log with that mark.
  if (from > records.end() || records.mark(from) != known.end) {
    known = {};
    from = 0;
  }
  for (std::uint64_t i = from + 1; i <= records.end(); ++i) {
    const auto batch = sched::replica::decode_records(records.at(i).records);
    if (!batch) continue;
    for (const sched::replica::Record& record : *batch) {
      if (const auto* put = std::get_if<sched::replica::PutJob>(&record))
        known.jobs.insert(put->job);
      const auto* report = std::get_if<sched::replica::PutReport>(&record);
      if (report != nullptr && report->final) {
        known.results[{report->job, report->report.index}] = report->report.attempt;
      }
    }
  }
  known.end = records.mark(records.end());
  return known;
}

void ReplicaWatch::check_disks() {
  for (const auto& [log, entry] : entries_) {
    for (const auto& member : entry.set) {
      if (has_disk(member)) check_disk(World::node_of(member.node.id), log);
    }
  }
}

void ReplicaWatch::check_disk(std::size_t node, std::uint64_t log) {
  const Kept& has = kept(node, log);
  const std::string where = " at node " + std::to_string(node + 1) + ", which is in sync\n";
  for (const JobId& job : world_.acknowledged()) {
    const auto of = logs_.find(job);
    if (of == logs_.end() || of->second != log) continue;
    if (!has.jobs.contains(job)) {
      return world_.fail("an acknowledged submit is missing: " + text_of(job) + where + describe());
    }
    const auto told = told_.find(job);
    if (told == told_.end() || deeds_.is_retried(job)) continue;
    for (const auto& [index, attempt] : told->second) {
      const auto result = has.results.find({job, index});
      if (result != has.results.end() && result->second == attempt) continue;
      return world_.fail("a told result is missing: " + text_of(job) + " task " +
          std::to_string(index) + where + describe());
    }
  }
}

std::optional<std::size_t> ReplicaWatch::driver(const JobId& job) const {
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (world_.up(node) && sched::find_job(world_.peer(node), job) != nullptr) return node;
  }
  return std::nullopt;
}

std::optional<std::size_t> ReplicaWatch::finisher(const JobId& job) const {
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (!world_.up(node)) continue;
    const auto* const state = sched::find_job(world_.peer(node), job);
    if (state == nullptr || !state->finished()) continue;
    const auto* const logs = world_.peer(node).logs();
    if (logs == nullptr || logs->may_tell(logs->promise(job))) return node;
  }
  return std::nullopt;
}

bool ReplicaWatch::keeps(const sched::replica::Set& set, std::size_t but) const {
  return std::ranges::any_of(set, [&](const sched::replica::Member& member) {
    return World::node_of(member.node.id) != but && has_disk(member);
  });
}

bool ReplicaWatch::may_lose_disk(std::size_t node) const {
  if (!world_.up(node)) return false;
  const auto named = [&](const sched::replica::Set& set) {
    return has(set, sched::replica::ReplicaId{world_.replica(node)});
  };
  for (const auto& [log, entry] : entries_) {
    if (named(entry.set) && !keeps(entry.set, node)) return false;
  }
  for (std::size_t other = 0; other < world_.size(); ++other) {
    if (!world_.up(other)) continue;
    const Peer& peer = world_.peer(other);
    if (const auto* logs = peer.logs()) {
      for (const auto& part : logs->parts().all()) {
        const auto* const home = part->copy().home();
        if (home == nullptr) continue;
        if (named(home->office().set) && !keeps(home->office().set, node)) return false;
        for (const auto& intent : home->office().intents) {
          if (named(intent.set) && !keeps(intent.set, node)) return false;
        }
      }
    }
    if (peer.cells() == nullptr) continue;
    for (const auto& hosted : peer.cells()->hosted()) {
      auto members = hosted->group.members();
      const auto hosts = [&](const auto& member) { return member.node == World::id_of(node); };
      // One voter that makes another needs it at once. Books of so few voters bear no loss.
      if (hosted->group.changing() && std::ranges::any_of(members, hosts)) return false;
      std::erase_if(members,
          [](const auto& member) { return member.role != sched::raft::MemberRole::voter; });
      const auto lost = std::ranges::count_if(members, [&](const auto& member) {
        return hosts(member) || lost_voters_.contains(member.replica);
      });
      const bool concerned = std::ranges::any_of(members, hosts);
      if (concerned && 2 * lost >= static_cast<std::ptrdiff_t>(members.size())) return false;
    }
  }
  return true;
}

void ReplicaWatch::note_lost(std::size_t node) {
  const auto* const cells = world_.peer(node).cells();
  if (cells == nullptr) return;
  for (const auto& hosted : cells->hosted()) {
    lost_voters_.insert(hosted->group.replica());
  }
}

bool ReplicaWatch::is_lost(std::uint64_t log) const {
  const auto entry = entries_.find(log);
  return entry != entries_.end() && !entry->second.set.empty() &&
      std::ranges::none_of(entry->second.set, [&](const auto& member) { return has_disk(member); });
}

bool ReplicaWatch::is_lost(const JobId& job) const {
  const auto log = logs_.find(job);
  return log != logs_.end() && is_lost(log->second);
}

bool ReplicaWatch::any_lost() const {
  return std::ranges::any_of(entries_, [&](const auto& each) { return is_lost(each.first); });
}

std::string ReplicaWatch::describe() const {
  std::string text;
  for (const auto& [log, entry] : entries_) {
    text += " log " + std::to_string(log) + ": epoch " + std::to_string(entry.epoch) + " version " +
        std::to_string(entry.version) + " home " + std::to_string(entry.home.node.id.value) +
        " set";
    for (const auto& member : entry.set) {
      text += " " + std::to_string(member.node.id.value) + (has_disk(member) ? "" : "(lost)");
    }
    for (std::size_t node = 0; node < world_.size(); ++node) {
      const auto kept = world_.logs(node).find(log);
      if (kept == world_.logs(node).end()) continue;
      text += "; node " + std::to_string(node + 1) + (world_.up(node) ? "" : " down") + " end " +
          std::to_string(kept->second.log.end()) + " of version " +
          std::to_string(kept->second.entry.version) + " books at";
      for (const auto& contact : kept->second.facts.contacts) {
        text += " " + std::to_string(contact.node.value);
      }
      const auto* const logs = world_.up(node) ? world_.peer(node).logs() : nullptr;
      if (logs == nullptr) continue;
      for (const auto& part : logs->parts().all()) {
        if (part->facts().log != log || part->copy().home() == nullptr) continue;
        text += " home of epoch " + std::to_string(part->copy().home()->stamp().epoch) + " gate " +
            std::to_string(part->copy().home()->gate()) + " contacts " +
            std::to_string(part->facts().contacts.size());
      }
    }
    for (std::size_t node = 0; node < world_.size(); ++node) {
      if (!world_.up(node) || world_.peer(node).cells() == nullptr) continue;
      for (const auto& hosted : world_.peer(node).cells()->hosted()) {
        if (sched::books::find_log(hosted->books().roster().logs, log) == nullptr) continue;
        text += "; books at node " + std::to_string(node + 1) + " of";
        for (const auto& member : hosted->group.members()) {
          text += " " + std::to_string(member.node.value) +
              (member.role == sched::raft::MemberRole::voter ? "v" : "") +
              (lost_voters_.contains(member.replica) ? "(lost)" : "");
        }
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace dunlin::test
