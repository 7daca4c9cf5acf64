// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "node/control/json.h"
#include "node/control/use/value_figures.h"
#include "sched/message.h"

namespace dunlin::node {

/// What a task used, as far as its node could count; null if it counted nothing.
Json use_json(const sched::TaskUse& use);

/// The same of several tasks, in percentiles.
class UseFigures {
 public:
  void add(const sched::TaskUse& use);
  /// Null if nothing was counted of any of them.
  Json json() const;

 private:
  std::vector<ValueFigures> figures_;  ///< Of each figure, where one is known.
};

}  // namespace dunlin::node
