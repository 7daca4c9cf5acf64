// SPDX-License-Identifier: MIT
#include "node/control/from_disk.h"

#include <chrono>
#include <utility>

#include "node/control/safety_text.h"
#include "node/control/use/figure_book.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

/// The wait for results to come to the disk; a disk may hang, and a person waits for the answer.
constexpr overlay::Duration kDiskWait = std::chrono::milliseconds(200);
/// The same for the standbys of a job: those that are silent have left by then.
constexpr overlay::Duration kStandbyWait = std::chrono::seconds(6);

}  // namespace

FromDisk::FromDisk(const AgentServices& agent, const sched::JobState& job, Answer answer)
    : job_(job.id()),
      mark_(agent.record_mark(job.id())),
      until_(agent.now() + (mark_.promise.log == 0 ? kDiskWait : kStandbyWait)),
      answer_(std::move(answer)) {}

std::string FromDisk::waits_for(const AgentServices& agent) const {
  return waits_for_record(agent, mark_);
}

bool FromDisk::advance(AgentServices& agent, const Reply& reply) {
  if (!ready_) {
    // A job has no task that ended as long as its submit may not be told.
    const bool untold =
        mark_.promise.submit.number != 0 && mark_.commit <= agent.recorded().on_disk;
    ready_ = untold || agent.durable(mark_) || !agent.store_error().empty();
    if (!ready_ && agent.now() < until_) return true;
    // What the standbys lack may never have been: a home that comes after this one may not know
    // it.
    if (!ready_ && mark_.promise.log != 0) {
      reply.fail({ErrorKind::timeout,
          "the standbys of the job have not confirmed what is known of it; ask again"});
      return false;
    }
    ready_ = true;
  }
  const auto* job = sched::find_job(agent.peer(), job_);
  auto answered = job != nullptr ? answer_(agent, *job)
                                 : Answered(failure(ErrorKind::not_found, "the job was forgotten"));
  if (answered && !*answered) {
    until_ = agent.now() + FigureBook::kPause;
    return true;
  }
  answered ? reply.end(std::move(**answered)) : reply.fail(answered.error());
  return false;
}

}  // namespace dunlin::node
