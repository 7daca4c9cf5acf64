// SPDX-License-Identifier: MIT
#include "node/agent/shutdown.h"

namespace dunlin::node {

void Shutdown::begin(overlay::Time at, overlay::Duration patience) {
  tasks_until_ = at;
  patience_ = patience;
}

// Tasks first: while they run, other nodes take over most of what this one does for its cells. So
// the cells' time begins only when the tasks are done.
Shutdown::Verdict Shutdown::verdict(overlay::Time now, bool idle, bool departed) {
  if (!idle && now < tasks_until_) return Verdict::wait;
  if (departed) return Verdict::stop;
  if (cells_until_ == overlay::kNever) cells_until_ = now + patience_;
  return now < cells_until_ ? Verdict::wait : Verdict::haste;
}

}  // namespace dunlin::node
