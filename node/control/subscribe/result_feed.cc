// SPDX-License-Identifier: MIT
#include "node/control/subscribe/result_feed.h"

#include <utility>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/listing/task_entry.h"
#include "sched/peer_view.h"

// Results for one reader, each told once and only when it is durable. New ones are held in memory
// up to a bound; a reader that falls further behind is served from the database, page by page,
// where what it was told already is left out. So a slow reader costs memory up to the bound, and
// loses nothing.
namespace dunlin::node {

// Of a failure people ask which input it was.
Json ResultFeed::told_task(AgentServices& agent, const ResultRow& row) const {
  Json task = task_of(agent, row);
  const auto* const job = sched::find_job(agent.peer(), job_);
  if (job != nullptr && !sched::is_success(row.report)) {
    add_entry(agent, *job, row.report.index, task);
  }
  return task;
}

void ResultFeed::on_result(const sched::Report& report, overlay::PeerId worker) {
  if (fresh_.size() + ready_.size() >= kFreshMax) {
    fresh_.clear();
    ready_.clear();
    mark_.reset();
    stale_ = true;
    from_ = 0;
  }
  // An earlier result of the task is none any more, whether it was told or not.
  told_.remove(report.index);
  ready_.erase(report.index);
  fresh_[report.index] = {report, worker};
}

Result<bool> ResultFeed::take(AgentServices& agent, Json& told) {
  if (!mark_) {
    mark_ = agent.record_mark(job_);
    ready_.merge(fresh_);
  }
  if (!agent.durable(*mark_)) return false;
  mark_.reset();
  if (stale_) {
    if (auto read = read_back(agent, told); !read) return tl::unexpected(read.error());
    return true;
  }
  for (const auto& [index, row] : std::exchange(ready_, {})) {
    told_.add(index);
    told.push_back(told_task(agent, row));
  }
  return true;
}

/// One page of recorded results, without those told already.
Result<void> ResultFeed::read_back(AgentServices& agent, Json& told) {
  const auto rows =
      agent.results({.job = job_, .first = from_, .limit = kPageMax, .listed = Listed::all});
  if (!rows) return tl::unexpected(rows.error());
  for (const ResultRow& row : *rows) {
    if (!told_.add(row.report.index)) continue;
    told.push_back(told_task(agent, row));
    drop(fresh_, row);
    drop(ready_, row);
  }
  stale_ = rows->size() == kPageMax;
  if (stale_) from_ = rows->back().report.index + 1;
  return {};
}

void ResultFeed::drop(std::map<std::uint32_t, ResultRow>& results, const ResultRow& row) {
  const auto same = results.find(row.report.index);
  if (same != results.end() && same->second.report.attempt == row.report.attempt) {
    results.erase(same);
  }
}

}  // namespace dunlin::node
