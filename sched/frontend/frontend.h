// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sched/frontend/frontend_mail.h"
#include "sched/frontend/frontend_parts.h"
#include "sched/frontend/launch/frontend_launches.h"
#include "sched/handed_task.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

namespace federation {
class GlobalMaster;
}

/// The jobs submitted at this node, or those of a log that this node drives: places their tasks,
/// records their results.
///
/// Batch probing with late binding (Ousterhout 2013, sections 3.2 to 3.6): for m waiting tasks
/// ceil(ratio × m) reservations walk the cluster; workers that can start a task ask for one, first
/// asked first served. Beyond the paper: everything has a lease, lost probes are sent again, lost
/// tasks are attempted again, and each task's result is recorded exactly once.
///
/// With launches().lead() it is a global master, too: it launches the tasks for which it knows a
/// place, and sends reservations for the others.
///
/// Here stand the verbs of users and drivers. Messages of others are FrontendMail's, and what a
/// call ends with FrontendParts'.
class Frontend {
 public:
  /// Workers confirm tasks every `renewed_every`.
  Frontend(const FrontendParams& params, const Endpoint& self, Duration renewed_every = kRenewed);
  /// Drives the jobs of a log, which `origin` took. Requires that set_office() comes first.
  Frontend(const FrontendParams& params,
      const Endpoint& self,
      PeerId origin,
      Duration renewed_every = kRenewed);

  /// The office in which it speaks from now on.
  void set_office(const LogOffice& office) { parts_.set_office(office); }
  const LogOffice& office() const { return parts_.office; }

  /// Its part as a global master, to act on.
  FrontendLaunches launches();
  /// Nullptr if it is none.
  const federation::GlobalMaster* master() const;
  /// The cells where a group of tasks is parked: see Parker.
  std::vector<CellId> parked_at(const JobState& job, std::uint16_t group) const;

  /// Takes over jobs of an earlier incarnation, as old as they are by StoredJob::submitted.
  /// Unfinished tasks wait until workers had time to report, and those of `holders` that are silent
  /// until their leases have ended: see Holders. Numbers up to `number_last` were given: an earlier
  /// database of this node may have said so. With `handed`, which names all tasks that are bound,
  /// no task waits for that.
  void restore(Turn& turn,
      std::vector<StoredJob> jobs,
      std::uint32_t number_last = 0,
      const std::vector<HandedTask>* handed = nullptr,
      std::span<const StoredHolder> holders = {});

  /// The keys of jobs that an earlier incarnation forgot, the oldest first.
  void restore_keys(Time now, std::vector<SpentKey> keys) {
    parts_.jobs.restore_keys(now, std::move(keys));
  }

  /// `job` is well-formed and has its id from next_job().
  void submit(Turn& turn, const Surroundings& around, Job job);
  /// The id of a new job. `lineage` must never have been used for a job of this number.
  JobId next_job(std::uint64_t lineage) { return parts_.jobs.next_id(lineage); }
  /// Ends the tasks named, or all. Fails if there is no such job here.
  Result<void> cancel(Turn& turn, const JobId& job, std::span<const std::uint32_t> tasks);
  /// Holds or releases a job, or sets its terms. Fails if there is no such job here; with
  /// `conflict` if it is to be held or released and has ended.
  Result<void> change(
      Turn& turn, const Surroundings& around, const JobId& job, const JobChange& change);
  /// Runs these tasks again. Their attempts go on in number. `stored` is the record of the job,
  /// which may be left out as long as it has not ended. Fails, and changes nothing, if there is no
  /// such job here, or with `conflict` if one of the tasks has not ended, or was attempted too
  /// often, or if the job would be cancelled at once by its deadline.
  Result<void> retry(Turn& turn,
      const Surroundings& around,
      const JobId& job,
      std::span<const std::uint32_t> tasks,
      const Job* stored);

  /// Has the attempts of the tasks named, or of all, end and the tasks run again. Returns how many
  /// do. Fails if there is no such job here, none of them runs, or it has ended.
  Result<std::uint32_t> requeue(Turn& turn, const JobId& job, std::span<const std::uint32_t> tasks);

  /// A plan gives the job slots at `worker`, where no reservation of it waits: sends some.
  void invite(Turn& turn, const Endpoint& worker, const JobId& job);

  /// Another node said something to this one: see FrontendMail for what.
  template <typename Word>
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Word& word) {
    FrontendMail(parts_).receive(turn, around, from, word);
  }
  /// A worker is known to be gone: its tasks are lost now, not when their leases end.
  void on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker);

  /// Gossip spoke of a node: it may be asked some day.
  void hear(Time now, const overlay::Descriptor& node) { parts_.prober.hear(now, node); }
  /// It is not to be asked any more.
  void forget(PeerId node) { parts_.prober.forget(node); }

  void wake(Turn& turn, const Surroundings& around);
  Time deadline() const { return parts_.deadlines.earliest(); }

  /// Ascending by number.
  const std::map<std::uint32_t, JobState>& jobs() const { return parts_.jobs.all(); }
  const JobState* find(const JobId& job) const { return parts_.jobs.find(job); }
  const JobTable& table() const { return parts_.jobs; }
  /// The jobs that jobs here wait for.
  const EndWatch& ends() const { return parts_.ends; }
  /// The reservations of a task group that are out.
  const std::vector<Probe>& probes(const JobState& job, std::uint16_t group) const {
    return parts_.prober.out(job, group);
  }

 private:
  static constexpr Duration kRenewed = std::chrono::seconds(1);

  FrontendParts parts_;
};

}  // namespace dunlin::sched
