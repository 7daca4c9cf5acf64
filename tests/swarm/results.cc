// SPDX-License-Identifier: MIT
#include "tests/swarm/results.h"

#include "sched/cell/cell_node.h"
#include "sched/ledger/audit.h"
#include "tests/support/builders.h"

namespace dunlin::test {

std::string wrong_result(
    const sched::TaskGroup& group, const sched::Report* result, bool cancelled) {
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

}  // namespace dunlin::test
