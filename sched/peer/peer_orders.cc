// SPDX-License-Identifier: MIT
#include "sched/peer/peer_orders.h"

#include <string>
#include <utility>
#include <vector>

#include "sched/constraints.h"
#include "sched/directory/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/frontend/submit_check.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_params.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"
#include "sched/turn.h"

// A job without replicas is driven by the frontend of this node, one with replicas by that of its
// log. What users order of a job goes to whichever drives it.
namespace dunlin::sched {
namespace {

/// Jobs of this node must be here. Those of others are asked after; a driver does so before, too.
Result<void> check_after(const Job& job, const Peer& peer) {
  for (const AfterJob& after : job.after_jobs) {
    const bool ours = after.job.home == peer.self().endpoint.id && !after.has_replicas;
    if (!ours || find_job(peer, after.job) != nullptr) continue;
    return failure(ErrorKind::not_found,
        "no job " + std::to_string(after.job.number) +
            " here to wait for: it never was, or was forgotten since it ended");
  }
  return {};
}

}  // namespace

void drive_job(PeerParts& parts,
    const Host& host,
    const JobId& job,
    const std::function<void(Frontend&, Turn&)>& act) {
  if (parts.seldom.logs() && parts.seldom.logs()->drive(parts, host, job, act)) return;
  Turn turn = PeerParts::turn(host);
  act(parts.ensure_frontend(), turn);
}

Result<JobId> PeerOrders::submit(const Host& host, Job job, bool allow_unsatisfiable) {
  // A client that lost the answer asks again: what was refused may be possible by now.
  const auto said = find_submission(peer_, job.key);
  if (!said) return tl::unexpected(said.error());
  if (*said) return logs::submitted_before(**said, job);
  // All checks come before the job gets a number: a refused job leaves no trace.
  if (auto fine = check_job(job); !fine) return tl::unexpected(fine.error());
  if (auto sound = check_class(job.service_class, peer_.classes()); !sound) {
    return tl::unexpected(sound.error());
  }
  parts_.update_self(host);
  for (const TaskGroup& group : job.groups) {
    if (allow_unsatisfiable) break;
    if (const auto why = parts_.ensure_directory().why_never(host.now, group)) {
      const std::string where = group.name.empty() ? "" : "group " + group.name + ": ";
      return failure(ErrorKind::refused, where + *why);
    }
  }
  const bool launches = parts_.params->frontend.placement == PlacementName::federated;
  if (auto fine = check_needs(job, launches, parts_.spec->replica != 0); !fine) {
    return tl::unexpected(fine.error());
  }
  if (auto fine = check_words(job, parts_.ensure_directory(), host.now); !fine) {
    return tl::unexpected(fine.error());
  }
  const std::size_t required = allow_unsatisfiable ? 0 : job.replicas_required;
  if (const auto why = parts_.ensure_directory().why_never_safe(required, "required replica")) {
    return failure(ErrorKind::refused, *why);
  }
  const std::size_t members = parts_.params->sharing.cell.cell_size;
  if (required > 0 && machines_needed(required) > members) {
    return failure(ErrorKind::refused,
        std::to_string(required) +
            (required == 1 ? " required replica needs " : " required replicas need ") +
            std::to_string(machines_needed(required)) +
            " machines in the cell that keeps the job's books; cells of this cluster have " +
            std::to_string(members) + " nodes at most (cell.cell_size)");
  }
  if (auto fine = check_after(job, peer_); !fine) return tl::unexpected(fine.error());
  job.id = parts_.ensure_frontend().next_job(job.id.lineage);
  const JobId id = job.id;
  if (job.replicas > 0) {
    if (auto formed = peer_.sharing().need(host, CellNeed::replicas); !formed) {
      return tl::unexpected(formed.error());
    }
    parts_.seldom.ensure_logs().submit(parts_, host, std::move(job));
    return id;
  }
  Turn turn = PeerParts::turn(host);
  parts_.ensure_frontend().submit(turn, parts_.around(host.now), std::move(job));
  return id;
}

Result<void> PeerOrders::cancel(
    const Host& host, const JobId& job, std::span<const std::uint32_t> tasks) {
  Result<void> done;
  drive_job(parts_, host, job,
      [&](Frontend& frontend, Turn& turn) { done = frontend.cancel(turn, job, tasks); });
  return done;
}

Result<void> PeerOrders::change(const Host& host, const JobId& job, const JobChange& change) {
  Result<void> done;
  drive_job(parts_, host, job, [&](Frontend& frontend, Turn& turn) {
    done = frontend.change(turn, parts_.around(host.now), job, change);
  });
  return done;
}

Result<void> PeerOrders::retry(
    const Host& host, const JobId& job, std::span<const std::uint32_t> tasks, const Job* stored) {
  Result<void> done;
  drive_job(parts_, host, job, [&](Frontend& frontend, Turn& turn) {
    done = frontend.retry(turn, parts_.around(host.now), job, tasks, stored);
  });
  return done;
}

Result<std::uint32_t> PeerOrders::requeue(
    const Host& host, const JobId& job, std::span<const std::uint32_t> tasks) {
  Result<std::uint32_t> done;
  drive_job(parts_, host, job,
      [&](Frontend& frontend, Turn& turn) { done = frontend.requeue(turn, job, tasks); });
  return done;
}

}  // namespace dunlin::sched
