// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "node/control/json.h"
#include "sched/message.h"

namespace dunlin::node {

/// {p50, p99, max, count}, or null of nothing. Percentiles are rounded to whole units.
Json percentiles(std::vector<std::int64_t> values);

/// What a task used, as far as its node could count; null if it counted nothing.
Json use_json(const sched::TaskUse& use);

/// The same of several tasks, in percentiles.
class UseFigures {
 public:
  void add(const sched::TaskUse& use);
  /// Null if nothing was counted of any of them.
  Json json() const;

 private:
  std::vector<sched::TaskUse> uses_;
};

}  // namespace dunlin::node
