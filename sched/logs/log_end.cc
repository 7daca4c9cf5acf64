// SPDX-License-Identifier: MIT
#include "sched/logs/log_end.h"

#include "sched/frontend/frontend.h"

namespace dunlin::sched::logs {
namespace {

constexpr Duration kCloseAgain = std::chrono::seconds(1);

}  // namespace

// A frontend keeps its last job however old it is, so there is always one to look at.
bool LogEnd::is_due(const Frontend& frontend, Time now, Duration age) {
  const JobTable& jobs = frontend.table();
  const auto last = jobs.history().last_end();
  closing_ = jobs.active_count() == 0 && (!last || now - *last > age);
  if (!closing_ || now < next_) return false;
  next_ = now + kCloseAgain;
  return true;
}

}  // namespace dunlin::sched::logs
