// SPDX-License-Identifier: MIT
#include "node/agent/output/output_copier.h"

#include <algorithm>

#include "sched/logs/peer_logs.h"
#include "sched/worker/worker.h"

// When a task of a job with standbys ends, the end of its output goes to the home and the standbys:
// the worker's disk may be gone before anybody asks what went wrong. It is one message without an
// acknowledgement; a copy that is lost costs a look, and no result.
namespace dunlin::node {
namespace {

void send_copy(AgentParts& parts, const sched::RunningTask& task, const OutputCopy& copy) {
  const auto send = [&](const overlay::Endpoint& to) {
    if (to.id != parts.transport->self().id) parts.outbox.send(to, Message(copy));
  };
  send(task.frontend);
  for (const sched::LogReplica& standby : task.log.standbys) {
    // A standby may drive the job by now, and has its copy already.
    if (standby.node != task.frontend.id) send({standby.node, standby.address});
  }
}

void copy_stream(AgentParts& parts,
    const sched::RunningTask& task,
    OutputStream stream,
    std::uint64_t bytes,
    std::uint32_t bytes_max) {
  if (bytes == 0) return;
  OutputCopy copy{.log = task.log.log,
      .home = task.task.job.home,
      .job = task.task.job.number,
      .lineage = task.task.job.lineage,
      .index = task.task.index,
      .attempt = task.attempt,
      .stream = stream,
      // The end of the output: that is where errors stand.
      .begin = bytes - std::min<std::uint64_t>(bytes, bytes_max),
      .data = {}};
  copy.data = parts.output->read(task.task, task.attempt, stream, copy.begin, bytes_max).data;
  if (!copy.data.empty()) send_copy(parts, task, copy);
}

}  // namespace

void copy_output(AgentParts& parts, std::span<const sched::Exit> exits) {
  const sched::Worker* const worker = parts.peer->worker();
  const std::uint32_t bytes_max = *output_copy_bytes(parts.configuration.agent);
  if (worker == nullptr || bytes_max == 0) return;
  for (const sched::Exit& exit : exits) {
    const auto task = std::ranges::find_if(worker->running(), [&](const auto& running) {
      return running.task == sched::TaskId{exit.job, exit.report.index} &&
          running.attempt == exit.report.attempt;
    });
    if (task == worker->running().end() || task->log.log == 0) continue;
    copy_stream(parts, *task, OutputStream::out, exit.report.out_bytes, bytes_max);
    copy_stream(parts, *task, OutputStream::err, exit.report.err_bytes, bytes_max);
  }
}

void keep_copy(AgentParts& parts, const OutputCopy& copy) {
  const sched::PeerLogs* const logs = parts.peer->logs();
  if (logs == nullptr || logs->parts().find(copy.log) == nullptr) return;
  if (auto kept = parts.output_copies->put(copy); !kept) {
    parts.log.say(overlay::Level::warn, "executor", {{"note", kept.error().text}});
  }
}

}  // namespace dunlin::node
