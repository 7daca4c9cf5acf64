// SPDX-License-Identifier: MIT
#include "node/agent/live/live_orders.h"

#include <sodium.h>
#include <utility>

#include "node/control/stopping.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"

// Orders of users, passed on to the peer. The agent adds what a peer cannot know: that it is about
// to stop, that its disk fails, and a number for a new job from the system's own chance.
namespace dunlin::node {

Result<sched::JobId> LiveOrders::submit(sched::Job job, bool allow_unsatisfiable) {
  // A job that it took before, and that is submitted again by its key, is answered for all the
  // same.
  if (shutdown_.begun() && sched::find_key(*parts_.peer, job.key) == nullptr) {
    return tl::unexpected(about_to_stop("this agent is about to stop; submit to another node"));
  }
  if (const std::string& error = parts_.records->error(); !error.empty()) {
    return failure(
        ErrorKind::io, "no new job is accepted while records cannot be stored: " + error);
  }
  // The system gives the number each time, not the agent's own chance: a machine with restored
  // memory repeats the draws of that chance, and the jobs of two pasts must not share a name.
  while (job.id.lineage == 0) randombytes_buf(&job.id.lineage, sizeof job.id.lineage);
  return parts_.peer->orders().submit(parts_.host(), std::move(job), allow_unsatisfiable);
}

Result<void> LiveOrders::cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks) {
  return parts_.peer->orders().cancel(parts_.host(), job, tasks);
}

Result<void> LiveOrders::change(const sched::JobId& job, const sched::JobChange& change) {
  return parts_.peer->orders().change(parts_.host(), job, change);
}

Result<void> LiveOrders::retry(const sched::JobId& id, std::span<const std::uint32_t> tasks) {
  const sched::JobState* const job = sched::find_job(*parts_.peer, id);
  // Of a job that has ended the peer needs its record: see PeerOrders::retry().
  if (job == nullptr || !job->finished())
    return parts_.peer->orders().retry(parts_.host(), id, tasks);
  const auto stored = parts_.records->store().history().job(id);
  if (!stored) return tl::unexpected(stored.error());
  return parts_.peer->orders().retry(parts_.host(), id, tasks, &*stored);
}

Result<std::uint32_t> LiveOrders::requeue(
    const sched::JobId& job, std::span<const std::uint32_t> tasks) {
  return parts_.peer->orders().requeue(parts_.host(), job, tasks);
}

void LiveOrders::drain(const std::optional<sched::DrainTerms>& terms) {
  parts_.peer->maintenance().set_drain(parts_.host(), terms);
}

Result<void> LiveOrders::take_over(const sched::JobId& job) {
  return parts_.peer->maintenance().take_over(parts_.host(), job);
}

Result<void> LiveOrders::set_classes(const sched::books::Classes& classes) {
  return parts_.peer->sharing().set_classes(parts_.host(), classes);
}

Result<void> LiveOrders::write_off(sched::CellId cell, sched::CellId lost, bool reissue) {
  return parts_.peer->sharing().write_off(parts_.host(), cell, lost, reissue);
}

}  // namespace dunlin::node
