// SPDX-License-Identifier: MIT
#include "sched/federation/expressions.h"

#include <algorithm>

#include "sched/constraints.h"

namespace dunlin::sched::federation {

Expressions::Handle Expressions::handle(const Constraint& constraint) {
  ++requests_;
  auto found = std::ranges::find(kept_, constraint, &Kept::constraint);
  if (found == kept_.end()) {
    if (kept_.size() < kMax) {
      found = kept_.insert(found, Kept{});
    } else {
      found = std::ranges::min_element(kept_, {}, &Kept::asked);
    }
    *found = {.constraint = constraint, .generation = ++generations_};
  }
  found->asked = requests_;
  return {static_cast<std::uint32_t>(found - kept_.begin()), found->generation};
}

bool Expressions::holds(const Handle& handle, KindNumber kind) {
  ensure(keeps(handle), "an expression that was replaced");
  Kept& kept = kept_[handle.index];
  if (kept.holds.size() <= kind) kept.holds.resize(kinds_.size());
  std::int8_t& verdict = kept.holds[kind];
  if (verdict == 0) {
    verdict = satisfies(kinds_.at(kind).attributes, kept.constraint) ? 1 : -1;
  }
  return verdict > 0;
}

}  // namespace dunlin::sched::federation
