// SPDX-License-Identifier: MIT
#include "tests/swarm/results.h"

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

}  // namespace dunlin::test
