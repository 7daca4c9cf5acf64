// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sched/peer_parts.h"

namespace dunlin::sched {

class JobLists;
class Maintenance;
class PeerLogs;
class Sharing;
struct Exit;
struct Job;
struct JobChange;
struct KeptTask;
struct SpentKey;
struct StoredHolder;
struct StoredJob;
namespace replica {
struct StoredLog;
}

/// One node of the cluster: overlay, frontend, worker and, where classes share, its part in cells.
/// It is the one class that drivers hold; the agent, the simulator and the tests drive it alike.
/// Encoding is a driver's business: see codec.h.
///
/// What concerns sharing alone goes through sharing(), what an operator asks of the node through
/// maintenance(). Books must survive beside jobs: a driver stores them by Host::books and gives
/// them back to Sharing::restore_books().
///
/// Contract: after every call the driver reads deadline() again and calls wake() then.
class Peer {
 public:
  /// `contacts` are where to join; their ids may be 0. `self` names the node, its address and its
  /// incarnation.
  Peer(const SharedParams& params, const NodeSpec& self, std::span<const Endpoint> contacts);
  /// One of many peers that differ only in address and incarnation.
  Peer(const SharedParams& params,
      const overlay::Shared<NodeSpec>& like,
      const Endpoint& where,
      std::uint32_t incarnation,
      std::span<const Endpoint> contacts);
  /// Adds peers to start from besides the contacts. Before the first wake() only.
  void seed(std::span<const overlay::Neighbour> known) { parts_.overlay.seed(known); }
  /// Joins by these contacts from now on: the names of the old ones stand for other addresses now.
  void set_contacts(Time now, std::span<const Endpoint> contacts) {
    parts_.overlay.set_contacts(now, contacts);
  }
  /// Takes over the jobs that an earlier incarnation of this frontend stored. No job gets a number
  /// up to `number_last` again, stored or not. Before the first wake() only.
  void restore(const Host& host,
      std::vector<StoredJob> jobs,
      std::uint32_t number_last = 0,
      std::span<const StoredHolder> holders = {});
  /// The keys of submissions whose jobs an earlier incarnation forgot, the oldest first. Before the
  /// first wake() only.
  void restore_keys(Time now, std::vector<SpentKey> keys);
  /// Goes on with the logs of jobs that an earlier incarnation kept, which have the jobs with
  /// replicas. After restore(), before the first wake() only.
  void restore_logs(const Host& host, std::vector<replica::StoredLog> logs);
  /// Goes on with tasks that outlived earlier incarnations of this node, the first of which was
  /// `since`, and tells their frontends. Before the first wake() only.
  void take_back(const Host& host, std::uint32_t since, std::span<const KeptTask> kept);
  void wake(const Host& host);
  void receive(const Host& host, const Endpoint& from, const overlay::Message& message);
  void receive(const Host& host, const Endpoint& from, const Message& message);
  void receive(const Host& host, const Endpoint& from, const cell::Message& message);
  /// Tells the peer which attempts have ended. Ends of one moment belong in one call.
  void on_exits(const Host& host, std::span<const Exit> exits);
  /// The trial that the executor was asked for is over. `failure` says why no task could start;
  /// empty: one did.
  void on_trial(const Host& host, std::string_view failure);

  /// Accepts a job. The driver draws `job.id.lineage`, 64 bits by chance which it never draws
  /// again, whatever becomes of its disk; the rest of `job.id` is chosen here. Fails, and changes
  /// nothing, if the job is malformed or no node known could ever run it (unless
  /// `allow_unsatisfiable`). A job with a `key` that a job here has is that one, whose id it
  /// returns; it fails if it is plainly another job.
  Result<JobId> submit(const Host& host, Job job, bool allow_unsatisfiable = false);
  /// Ends a job, or only some of its tasks. Fails if there is no such job here.
  Result<void> cancel(
      const Host& host, const JobId& job, std::span<const std::uint32_t> tasks = {});
  /// Holds or releases a job, or sets its terms: see Frontend::change().
  Result<void> change(const Host& host, const JobId& job, const JobChange& change);
  /// Runs tasks again that have ended: see Frontend::retry().
  Result<void> retry(const Host& host,
      const JobId& job,
      std::span<const std::uint32_t> tasks,
      const Job* stored = nullptr);
  /// Stops tasks that run, and has them run again: see Frontend::requeue().
  Result<std::uint32_t> requeue(
      const Host& host, const JobId& job, std::span<const std::uint32_t> tasks);
  /// Says good-bye to the neighbours. The driver stops afterwards.
  void leave(const Host& host);
  /// Asks every node of the directory for fresh facts, or `only` that one; answers arrive as they
  /// come.
  void refresh_directory(const Host& host, PeerId only = {});

  /// The node's part in sharing, to act on; see cells() to read it.
  Sharing sharing();
  /// The node's part in lists of the cluster's jobs.
  JobLists lists();
  /// What an operator may do to the node.
  Maintenance maintenance();

  /// A hint that the next call is near; changes nothing.
  void prefetch() const { parts_.overlay.prefetch(); }
  /// The time at which wake() should be called next.
  Time deadline() const;

  NodeSpec self() const;
  const overlay::Overlay& overlay() const { return parts_.overlay; }
  // These are nullptr as long as the part has nothing to do.
  const Frontend* frontend() const { return parts_.frontend.get(); }
  const Worker* worker() const { return parts_.worker.get(); }
  const Directory* directory() const { return parts_.directory.get(); }
  /// The node's part in sharing; nullptr as long as it has heard of no classes.
  const CellNode* cells() const { return parts_.cells.get(); }
  /// The jobs with replicas; nullptr as long as none was heard of.
  const PeerLogs* logs() const { return parts_.logs(); }
  /// Its part in federated placement but for its frontend; nullptr as long as it has none.
  const federation::PeerMasters* masters() const { return parts_.masters(); }
  /// The class table, as far as it is known here; version 0 if none was ever set.
  const books::Classes& classes() const;

 private:
  /// Calls the frontend that drives the job, that of this node's own jobs if none does.
  void drive(const Host& host, const JobId& job, const std::function<void(Frontend&, Turn&)>& act);
  /// Lets the overlay act, and tells scheduling which neighbours left.
  void gossip(const Host& host, auto&& call);

  PeerParts parts_;
};

}  // namespace dunlin::sched
