// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "sched/logs/log_part.h"
#include "sched/replica/entry.h"
#include "tests/support/world.h"
#include "tests/swarm/job_deeds.h"

namespace dunlin::test {

/// "job 29/1": its origin and its number.
std::string text_of(const JobId& job);

/// Watches the jobs with replicas of a world: what was told stays on the disk of each standby in
/// sync, no told result is replaced, one replica drives a log in each epoch.
class ReplicaWatch {
 public:
  ReplicaWatch(World& world, const JobDeeds& deeds) : world_(world), deeds_(deeds) {}

  /// Looks at the whole world.
  void look();

  /// A node that drives the job, the first one; empty if none does.
  std::optional<std::size_t> driver(const JobId& job) const;
  /// The one that has ended it and may say so; empty if none has.
  std::optional<std::size_t> finisher(const JobId& job) const;
  /// No rule keeps a log when the last disk of its set goes, nor the books when most of theirs do.
  bool may_lose_disk(std::size_t node) const;
  /// The disk of that node is about to go.
  void note_lost(std::size_t node);
  /// True if no disk of the job's set is left.
  bool is_lost(const JobId& job) const;
  bool any_lost() const;
  std::string describe() const;

 private:
  /// What the durable log of one node has.
  struct Kept {
    sched::replica::Mark end;
    std::set<JobId, ById> jobs;
    std::map<std::pair<JobId, std::uint32_t>,
        std::uint32_t,
        decltype([](const auto& a, const auto& b) {
          return std::pair(std::tie(a.first.home, a.first.number, a.first.lineage), a.second) <
              std::pair(std::tie(b.first.home, b.first.number, b.first.lineage), b.second);
        })>
        results;  ///< The attempt that was the task's result.
  };

  void learn(std::uint64_t log, const sched::replica::Entry& entry);
  void learn_entries();
  void check_drivers();
  void note_told(std::size_t node, const sched::logs::LogPart& part);
  void check_disks();
  void check_disk(std::size_t node, std::uint64_t log);
  const Kept& kept(std::size_t node, std::uint64_t log);
  /// The member has its disk yet.
  bool has_disk(const sched::replica::Member& member) const;
  bool is_lost(std::uint64_t log) const;
  bool keeps(const sched::replica::Set& set, std::size_t but) const;

  World& world_;
  const JobDeeds& deeds_;
  std::map<std::uint64_t, sched::replica::Entry> entries_;  ///< By log, the latest.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> homes_;
  std::map<JobId, std::uint64_t, ById> logs_;  ///< Of acknowledged jobs.
  std::size_t acknowledged_ = 0;               ///< So many were looked at.
  std::map<JobId, std::map<std::uint32_t, std::uint32_t>, ById> told_;
  std::map<std::pair<std::size_t, std::uint64_t>, Kept> kept_;
  std::set<std::uint64_t> lost_voters_;  ///< Replicas of books whose disks went.
};

}  // namespace dunlin::test
