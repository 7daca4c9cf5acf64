// SPDX-License-Identifier: MIT
#include "node/control/use/job_figures.h"

#include "node/memory_kills.h"

namespace dunlin::node {

void JobFigures::add(const sched::Report& report, std::int64_t submitted_at) {
  run_.add(report.wall.count());
  cpu_.add(report.cpu.count());
  memory_.add(static_cast<std::int64_t>(report.memory_peak));
  kills_ += memory_kills_in(report.detail);
  if (report.started_at == 0) return;  // It never did.
  start_.add(report.started_at - submitted_at);
  use_.add(report.use);
}

void JobFigures::put(Json& json) const {
  json["start"] = start_.json();
  json["use"] = use_.json();
  json["run"] = run_.json();
  json["cpu"] = cpu_.json();
  json["memory_peak_bytes"] = memory_.json();
  json["memory_kills"] = kills_;
}

}  // namespace dunlin::node
