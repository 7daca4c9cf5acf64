// SPDX-License-Identifier: MIT
#include "node/control/listing/local_list.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/ids.h"
#include "node/wall_clock.h"
#include "sched/logs/message.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

// The jobs of this node alone. Totals count all that the viewer's filters cover, lines are sorted
// only as far as they are shown: an agent may drive a hundred thousand jobs.
namespace dunlin::node {
namespace {

/// A job here, and what lists choose and sort it by.
struct LocalJob {
  JobLine line;
  const sched::JobState* job;
};

/// The jobs whose records are here while no node drives them by itself, by their origins.
Json orphans_json(const AgentServices& agent) {
  Json all = Json::array();
  const sched::PeerLogs* const logs = agent.peer().logs();
  if (logs == nullptr) return all;
  for (const sched::Orphan& orphan : logs->parts().orphans(agent.now())) {
    if (orphan.jobs.empty()) continue;
    all.push_back({{"node", to_string(agent.id())}, {"node_name", agent.name_of(agent.id())},
        {"origin", to_string(orphan.origin)}, {"origin_name", agent.name_of(orphan.origin)},
        {"home", to_string(orphan.home)}, {"jobs", orphan.jobs.size()},
        {"first", orphan.jobs.front()}, {"last", orphan.jobs.back()}, {"in_sync", orphan.in_sync},
        {"cause", word_of(orphan.cause)}});
    if (orphan.submitted_at == 0) continue;
    all.back()["age_ns"] = std::max<std::int64_t>(0, wall_clock_ns() - orphan.submitted_at);
  }
  return all;
}

}  // namespace

Json list_here(AgentServices& agent, const Principal& viewer, const JobQuery& query) {
  std::vector<LocalJob> listed;
  JobTotals totals{};
  std::uint64_t matching = 0;
  for (const sched::JobState* job : sched::jobs_of(agent.peer())) {
    const JobLine line = sched::line_of(*job, agent.id());
    if (!query.covers(line, job->job().labels)) continue;
    sched::count(totals, line.state);
    if (!query.lists(line)) continue;
    ++matching;
    if (query.is_behind(line)) listed.push_back({line, job});
  }
  const std::size_t shown = std::min<std::size_t>(listed.size(), query.limit);
  // Only the lines that are shown: an agent may have a hundred thousand jobs.
  std::ranges::partial_sort(listed, listed.begin() + static_cast<std::ptrdiff_t>(shown),
      [&](const LocalJob& a, const LocalJob& b) { return query.before(a.line, b.line); });
  Json jobs = Json::array();
  for (std::size_t i = 0; i < shown; ++i) jobs.push_back(summary_of(agent, *listed[i].job, viewer));
  const bool more = shown > 0 && listed.size() > shown;
  return {{"jobs", std::move(jobs)}, {"matching", matching}, {"totals", totals_json(totals)},
      {"next", more ? Json(next_text(listed[shown - 1].line, query.sort)) : Json(nullptr)},
      {"orphans", orphans_json(agent)}};
}

}  // namespace dunlin::node
