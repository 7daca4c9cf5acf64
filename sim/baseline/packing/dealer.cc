// SPDX-License-Identifier: MIT
#include "sim/baseline/packing/dealer.h"

#include <algorithm>
#include <utility>

#include "sim/clock.h"

// Machines report at moments of their own, spread evenly over a heartbeat, as those of a cluster
// that was not started all at once. What the master knows is as old as the last report, and less
// what it gave since. So nothing is given twice of what it looks at; between the end of a task and
// the next report its room is idle.
namespace dunlin::sim {
namespace {

constexpr std::uint32_t kMaster = 0;  // The machine beside which the master stands.

}  // namespace

Dealer::Dealer(const Options& options, Recorder& recorder) : Baseline(options, recorder) {
  for (std::uint32_t i = 0; i < machines(); ++i) {
    nodes_.push_back({.free = sched::all_of(total(i)), .ended = {}});
    const Usage has = usage_of(total(i));
    for (std::size_t r = 0; r < kResourceKinds; ++r) cluster_[r] += has[r];
  }
}

void Dealer::place(const PlacedJob& job) {
  // Heartbeats begin with the first job: before that a report could start nothing.
  if (!std::exchange(beats_, true)) {
    const Duration gap = params().heartbeat / machines();
    for (std::uint32_t i = 0; i < machines(); ++i) schedule(gap * (i + 1), [this, i] { beat(i); });
  }
  schedule(travel(job->frontend, kMaster), [this, job] {
    auto claim = std::make_unique<Claim>(job->job, changes_);
    claims_.push_back(std::move(claim));
    jobs_.push_back(job);
    ++changes_;
  });
}

void Dealer::on_end(std::uint32_t machine, const Work& work, Duration) {
  // The room is free, and the master does not know: that is the idle time which this model is
  // about.
  nodes_[machine].ended.push_back(work);
}

void Dealer::beat(std::uint32_t machine) {
  schedule(params().heartbeat, [this, machine] { beat(machine); });
  Node& node = nodes_[machine];
  // A machine without news, in a cluster where nothing new waits, would be served in vain. The beat
  // itself is kept, so that its moment stays what it is.
  if (node.ended.empty() && node.seen == changes_) return;
  schedule(travel(machine, kMaster),
      [this, machine, ended = std::exchange(node.ended, {})] { hear(machine, ended); });
}

void Dealer::hear(std::uint32_t machine, const std::vector<Work>& ended) {
  for (const Work& each : ended) {
    sched::give(nodes_[machine].free, counted(each.demand()));
    if (each.source) sched::give(nodes_[*each.source].free, each.loan());
    // Other machines may find more room for their inputs now.
    if (each.input != sched::InputPlace::none) ++changes_;
    // Jobs and claims stand in the same order, so a place in the one is that in the other.
    const auto at = std::ranges::find(jobs_, each.job);
    const auto number = at - jobs_.begin();
    Claim& claim = *claims_[static_cast<std::size_t>(number)];
    if (claim.end(each.in_group().group)) ++changes_;
    if (!claim.over()) continue;
    claims_.erase(claims_.begin() + number);
    jobs_.erase(at);
  }
  serve(machine);
}

std::optional<std::size_t> Dealer::startable(
    const Claim& claim, const sched::Resources& free) const {
  for (std::size_t i = 0; i < claim.stages().size(); ++i) {
    if (claim.waiting(i) == 0) continue;
    if (sched::fits(counted(claim.group(i).demand), free)) return i;
  }
  return std::nullopt;
}

void Dealer::serve(std::uint32_t machine) {
  Node& node = nodes_[machine];
  // Tasks that are given below open nothing for other machines, so this one has seen all until a
  // job comes or a stage opens.
  node.seen = changes_;
  while (const auto choice = choose(machine, node.free)) {
    const auto at = std::ranges::find(claims_, choice->claim, &std::unique_ptr<Claim>::get);
    const bool here = choice->input == sched::InputPlace::here;
    const Work work{.job = jobs_[static_cast<std::size_t>(at - claims_.begin())],
        .index = choice->claim->start(choice->stage, machine, here),
        .input = choice->input,
        .source = choice->source};
    sched::take(node.free, counted(work.demand()));
    if (work.source) sched::take(nodes_[*work.source].free, work.loan());
    schedule(travel(kMaster, machine), [this, machine, work] { start(machine, work, now()); });
  }
}

}  // namespace dunlin::sim
