// SPDX-License-Identifier: MIT
#include "node/control/subscribe/result_feed.h"

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"

namespace dunlin::node {

void ResultFeed::on_result(const sched::Report& report, overlay::PeerId worker) {
  if (fresh_.size() >= kFreshMax) {
    fresh_.clear();
    ready_ = 0;
    mark_.reset();
    stale_ = true;
    from_ = 0;
  }
  fresh_.push_back({report, worker});
}

Result<bool> ResultFeed::take(AgentServices& agent, Json& told) {
  if (!mark_) {
    mark_ = agent.record_mark(job_);
    ready_ = fresh_.size();
  }
  if (!agent.durable(*mark_)) return false;
  mark_.reset();
  if (stale_) {
    if (auto read = read_back(agent, told); !read) return tl::unexpected(read.error());
    return true;
  }
  const auto end = fresh_.begin() + static_cast<std::ptrdiff_t>(std::exchange(ready_, 0));
  for (auto row = fresh_.begin(); row != end; ++row) tell(agent, *row, told);
  fresh_.erase(fresh_.begin(), end);
  return true;
}

/// One page of recorded results, without those told already.
Result<void> ResultFeed::read_back(AgentServices& agent, Json& told) {
  const auto rows =
      agent.results({.job = job_, .first = from_, .limit = kPageMax, .listed = Listed::all});
  if (!rows) return tl::unexpected(rows.error());
  for (const ResultRow& row : *rows) tell(agent, row, told);
  stale_ = rows->size() == kPageMax;
  if (stale_) from_ = rows->back().report.index + 1;
  return {};
}

void ResultFeed::tell(AgentServices& agent, const ResultRow& row, Json& told) {
  if (told_.add(row.report.index)) told.push_back(task_of(agent, row));
}

}  // namespace dunlin::node
