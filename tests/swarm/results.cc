// SPDX-License-Identifier: MIT
#include "tests/swarm/results.h"

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/ledger/audit.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/swarm/replica_watch.h"

namespace dunlin::test {

std::string wrong_result(const sched::Job& job,
    const sched::TaskGroup& group,
    const sched::Report* result,
    bool cancelled) {
  if (result == nullptr) return cancelled ? "" : "no durable result";
  const Script script = Script::of(group.spec);
  const bool limited = group.time_limit > sched::Duration{0} && group.time_limit <= script.duration;
  switch (result->outcome) {
    case sched::Outcome::exited:
      if (result->status == 0) {
        return result->attempt <= script.attempts_failing ? "a failing attempt succeeded" : "";
      }
      if (result->status != script.status) return "a status that no attempt had";
      return result->attempt > script.attempts_failing ? "a good attempt failed" : "";
    case sched::Outcome::killed:
      return cancelled ? "" : "killed, though nobody asked";
    case sched::Outcome::time_limit:
      return limited ? "" : "a time limit it did not reach";
    case sched::Outcome::spawn_failed:
      // As the end of a task that was being cancelled it counts.
      return cancelled ? "" : "failed, though its node was at fault";
    case sched::Outcome::lost:
      return job.rerun == sched::Rerun::never ? "" : "lost for good, though it may run again";
    default:
      return "an outcome that no script has";
  }
}

void check_books(World& world) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node) || world.peer(node).cells() == nullptr) continue;
    for (const auto& hosted : world.peer(node).cells()->hosted()) {
      const auto& state = hosted->books().ledger().state();
      if (const auto broken = sched::broken_invariant(state)) world.fail(*broken);
      if (!sched::balances(sched::audit_of(state))) world.fail("books that do not balance");
      if (const auto trouble = hosted->group.trouble()) world.fail(trouble->text);
    }
  }
}

std::string stirring(const World& world, std::size_t node) {
  if (world.executor(node).running() != 0) return "a process runs";
  if (const sched::Worker* worker = world.peer(node).worker()) {
    if (!worker->running().empty()) return "a task runs";
    if (!worker->asking().empty()) return "slots are held";
    if (!worker->loans().borrower().loans().empty()) return "a task has a loan";
    if (!worker->loans().lender().out().empty()) return "something is lent";
    if (!(worker->slots().free() == worker->slots().total())) return "resources are missing";
    if (!worker->queue().empty()) return "a reservation waits";
    for (const auto& item : worker->outbox().items()) {
      return "a report of " + text_of(item.job) + " in log " + std::to_string(item.log.log) +
          " is kept for node " + std::to_string(item.frontend.id.value);
    }
  }
  std::vector<const sched::Frontend*> frontends{&sched::frontend_of(world.peer(node))};
  if (const auto* logs = world.peer(node).logs()) {
    for (const sched::Frontend* each : logs->parts().frontends()) frontends.push_back(each);
  }
  for (const sched::Frontend* frontend : frontends) {
    for (const auto& [number, job] : frontend->jobs()) {
      for (std::uint16_t group = 0; group < job.groups().size(); ++group) {
        if (!frontend->probes(job, group).empty()) return "a frontend counts on a probe";
      }
    }
  }
  return "";
}

}  // namespace dunlin::test
