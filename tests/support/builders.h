// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sched/job.h"
#include "tests/support/fake_executor.h"

// Short names for values that tests make often.
namespace dunlin::test {

/// `count` tasks of `script`, each of 1 CPU and 512 MiB.
inline sched::TaskGroup tasks(std::uint32_t count, const Script& script = {}) {
  sched::TaskGroup group;
  group.count = count;
  group.demand = {.cpu = 1000, .memory = 512, .custom = {}};
  group.spec = script.spec();
  return group;
}

inline sched::Job job_of(sched::TaskGroup group) {
  sched::Job job;
  job.name = "job";
  job.groups.push_back(std::move(group));
  return job;
}

inline sched::Job job(std::uint32_t count, const Script& script = {}) {
  return job_of(tasks(count, script));
}

/// Tasks that take so long, and succeed.
inline Script lasting(sched::Duration duration) {
  return {.duration = duration};
}

}  // namespace dunlin::test
