// SPDX-License-Identifier: MIT
#include "node/control/output/output_place.h"

#include <string>

#include "node/store/results.h"
#include "sched/peer_view.h"

// Where the output of a task is: with the worker of the attempt that is meant, which runs now, has
// ended, or was made again later. Each of the three is looked up in another place.
namespace dunlin::node {
namespace {

OutputPlace at_worker(const AgentServices& agent, overlay::PeerId worker, std::uint32_t attempt) {
  OutputPlace at{.worker = worker, .attempt = attempt};
  const auto& nodes = sched::directory_of(agent.peer()).nodes();
  const auto node = nodes.find(worker);
  if (node != nodes.end()) at.address = node->second.descriptor.address;
  return at;
}

/// The worker of an attempt that was made again.
Result<OutputPlace> find_earlier(
    AgentServices& agent, const sched::JobId& job, std::uint32_t index, std::uint32_t attempt) {
  const auto earlier = agent.attempts(job, index);
  if (!earlier) return tl::unexpected(earlier.error());
  for (const AttemptRow& row : *earlier) {
    if (sched::number_of(row.report.attempt) == attempt) {
      return at_worker(agent, row.worker, row.report.attempt);
    }
  }
  return failure(ErrorKind::not_found,
      "task " + std::to_string(index) + " has had no attempt " + std::to_string(attempt));
}

}  // namespace

Result<OutputPlace> find_output(
    AgentServices& agent, const sched::JobState& job, std::uint32_t index, std::uint32_t attempt) {
  if (job.pruned()) {
    return failure(ErrorKind::not_found,
        "where the output of task " + std::to_string(index) +
            " is, is forgotten, as the job ended long ago");
  }
  const auto binding = job.bindings().find(index);
  // People know nothing of offices.
  const auto wanted = [attempt](sched::AttemptNumber each) {
    return attempt == 0 || attempt == sched::number_of(each);
  };
  if (binding != job.bindings().end() && wanted(binding->second.attempt)) {
    return OutputPlace{.worker = binding->second.worker.id,
        .address = binding->second.worker.address,
        .attempt = binding->second.attempt,
        .running = true};
  }
  const auto rows =
      agent.results({.job = job.id(), .first = index, .limit = 1, .listed = Listed::all});
  if (!rows) return tl::unexpected(rows.error());
  const bool ended = !rows->empty() && rows->front().report.index == index;
  if (ended && wanted(rows->front().report.attempt)) {
    return at_worker(agent, rows->front().worker, rows->front().report.attempt);
  }
  return attempt == 0 ? Result<OutputPlace>(OutputPlace{})
                      : find_earlier(agent, job.id(), index, attempt);
}

}  // namespace dunlin::node
