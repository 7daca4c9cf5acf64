// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/swarm/plan.h"

namespace dunlin::test {

/// The outcome of a plan.
struct Verdict {
  std::string failure;  ///< Empty if everything held.
  std::uint64_t hash = 0;
  std::uint64_t steps = 0;
  std::uint64_t bound_after_others = 0;    ///< Tasks bound of jobs that had waited for others.
  std::uint64_t started_after_stages = 0;  ///< Tasks started of groups that had waited for others.
  std::uint64_t victims = 0;               ///< Tasks stopped in favour of others.
  std::uint64_t abroad = 0;                ///< Looks at a job with slots in more than one cell.
  std::uint64_t planned = 0;               ///< Looks at a node where a plan had allotted slots.
  std::uint64_t planned_takeovers = 0;     ///< Jobs that got another home after that.
  std::uint64_t usage_taken_over = 0;      ///< Logs with another home whose usage was added up.
  std::uint64_t missed_apart = 0;          ///< Deadlines missed where wall clocks are apart.
  Duration finish{};                       ///< From healing until the last job was finished ...
  Duration rest{};                         ///< ... and from then until nothing stirred any more.
  std::map<std::string, std::uint64_t> events;  ///< The count of each kind.
};

/// Runs `plan` to its end and checks what Dunlin promises.
///
/// Chaos: messages lost, doubled, late and out of order; partitions, some one-way; kill -9 and
/// graceful leave, both followed by a restart; slow nodes and slow disks; failing starts, sick
/// nodes and tasks that their nodes lose; drains; cancelled jobs and tasks. Then all is healed.
///
/// Promises: after every step the invariants of sched/invariants.h, one durable result per task, no
/// job forgotten that was acknowledged, no deadline missed before its time by more than clocks are
/// apart, no task stopped for others against the rules, no task
/// started before the jobs that its job waits for had ended or the stages before its own had
/// succeeded, none of a gang bound by itself. After
/// healing: every job finishes, each task with exactly one result and the right one, each attempt
/// counts once in the usage of its user, and then
/// nothing runs, waits, is held or is kept anywhere.
Verdict run(const Plan& plan);

}  // namespace dunlin::test
