// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "overlay/result.h"
#include "sched/host.h"

namespace dunlin::sched {

class Frontend;
class Peer;
struct Job;
struct JobChange;
struct PeerParts;
struct Turn;

/// What users order at a node: that it takes a job, and what becomes of those that are driven here.
/// Peer::orders() hands it out for one call: it must not outlive the peer, which must not be moved
/// meanwhile.
///
/// An order that fails changes nothing.
class PeerOrders {
 public:
  /// `parts` are those of `peer`.
  PeerOrders(Peer& peer, PeerParts& parts) : peer_(peer), parts_(parts) {}

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

 private:
  Peer& peer_;
  PeerParts& parts_;
};

/// Calls the frontend that drives the job, that of this node's own jobs if none does.
void drive_job(PeerParts& parts,
    const Host& host,
    const JobId& job,
    const std::function<void(Frontend&, Turn&)>& act);

}  // namespace dunlin::sched
