// SPDX-License-Identifier: MIT
#include "node/agent/tracking/past_watch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sched/peer_view.h"
#include "sched/task.h"

// Samples for later questions of how the node was: levels as they are at the end of a step,
// counters as they changed within it, and how late the loop came at worst. A step in which nobody
// looked stays a blank.
namespace dunlin::node {
namespace {

std::int64_t& level(PastFigures& figures, PastLevel which) {
  return figures[static_cast<std::size_t>(which)];
}

std::int64_t counter(const Metrics::Snapshot& counters, std::string_view name) {
  const auto found = counters.find(std::string(name));
  return found == counters.end() ? 0 : static_cast<std::int64_t>(found->second);
}

}  // namespace

void PastWatch::on_ends(std::span<const sched::Exit> exits) {
  failed_ += std::ranges::count_if(
      exits, [](const sched::Exit& exit) { return sched::is_own_failure(exit.report); });
}

void PastWatch::look(overlay::Duration period) {
  const overlay::Time now = parts_.now();
  if (looked_) late_ = std::max(late_, (now - *looked_ - period).count());
  looked_ = now;
  parts_.balances.look(now, parts_.peer->cells());
  const std::int64_t step = PastRing::step_at(now, PastRing::kFine);
  if (step_ == step) return;
  Metrics::Snapshot counters = parts_.metrics.snapshot(parts_.transport->counters());
  // Before the first look it is not known what happened since.
  if (std::exchange(step_, step)) {
    PastFigures figures = measure();
    for (std::size_t i = 0; i < kPastCount; ++i) {
      const std::string_view name = kPastFigures[i].counter;
      if (!name.empty()) figures[i] = counter(counters, name) - counter(before_, name);
    }
    parts_.past.add(now - PastRing::kFine.step, figures);
  }
  before_ = std::move(counters);
  late_ = failed_ = 0;
}

PastFigures PastWatch::measure() const {
  const sched::Peer& peer = *parts_.peer;
  PastFigures figures{};
  const sched::Resources free = sched::free_of(peer);
  level(figures, PastLevel::cpu_free) = free.cpu;
  level(figures, PastLevel::memory_free) = free.memory;
  std::uint64_t used = 0;
  for (const RunningUse& use : parts_.executor->uses()) {
    level(figures, PastLevel::cpu_used) += use.cpu_lately.value_or(0);
    used += use.memory;
  }
  level(figures, PastLevel::memory_used) = static_cast<std::int64_t>(used >> 20);
  if (const sched::Worker* const worker = peer.worker()) {
    const auto& running = worker->running();
    level(figures, PastLevel::running) = static_cast<std::int64_t>(running.size());
    level(figures, PastLevel::suspended) = std::ranges::count_if(
        running, [](const sched::RunningTask& task) { return task.suspended.has_value(); });
    level(figures, PastLevel::asking) = static_cast<std::int64_t>(worker->asking().size());
    level(figures, PastLevel::queued) = static_cast<std::int64_t>(worker->queue().size());
  }
  level(figures, PastLevel::jobs) = sched::active_jobs_of(peer);
  level(figures, PastLevel::nodes_known) =
      static_cast<std::int64_t>(sched::directory_of(peer).nodes().size());
  level(figures, PastLevel::output_bytes) = static_cast<std::int64_t>(parts_.output->bytes());
  level(figures, PastLevel::loop_late) = late_;
  level(figures, PastLevel::failed) = failed_;
  return figures;
}

}  // namespace dunlin::node
