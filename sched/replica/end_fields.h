// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/end_facts.h"
#include "sched/replica/record.h"

// The end of a job, as the record of its progress has it. Both ways stand here alone.
namespace dunlin::sched::replica {

inline void put_end(const std::optional<EndFacts>& end, PutProgress& put) {
  if (!end) return;
  put.ended_after = end->after;
  put.begun_after = end->begun;
  put.worst = end->worst;
  put.exit = end->exit;
  put.failed = end->failed;
  put.stopped = end->cancelled;
  put.pruned = end->pruned;
}
inline std::optional<EndFacts> end_of(const PutProgress& put) {
  if (!put.ended_after) return std::nullopt;
  return EndFacts{.after = sane_age(*put.ended_after),
      .begun = put.begun_after,
      .worst = put.worst,
      .exit = put.exit,
      .failed = put.failed,
      .cancelled = put.stopped,
      .pruned = put.pruned};
}

}  // namespace dunlin::sched::replica
