// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "node/control/json.h"
#include "node/control/use/figures.h"
#include "node/control/use/value_figures.h"
#include "sched/message.h"

namespace dunlin::node {

/// What the tasks of a job that have ended took, as figures of all of them.
class JobFigures {
 public:
  /// A task has ended so. `submitted_at`: when its job came, in ns since 1970.
  void add(const sched::Report& report, std::int64_t submitted_at);
  /// Adds the members "start", "use", "run", "cpu", "memory_peak_bytes" and "memory_kills".
  void put(Json& json) const;

 private:
  /// From submit to start: wall clocks of two nodes, as good as they are. Of tasks that did start.
  ValueFigures start_;
  ValueFigures run_;
  ValueFigures cpu_;
  ValueFigures memory_;
  UseFigures use_;
  std::uint64_t kills_ = 0;
};

}  // namespace dunlin::node
