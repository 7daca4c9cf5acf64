// SPDX-License-Identifier: MIT
#include "node/control/bins/task_bins.h"

#include <algorithm>

#include "overlay/ensure.h"

namespace dunlin::node {
namespace {

/// The quotient, rounded up.
std::uint32_t ranges_of(std::uint32_t whole, std::uint32_t part) {
  return whole / part + (whole % part != 0 ? 1 : 0);
}

}  // namespace

TaskBins::TaskBins(std::uint32_t tasks, std::uint32_t bins_max) : tasks_(tasks) {
  overlay::ensure(bins_max >= 1, "tasks without a range");
  width_ = std::max<std::uint32_t>(ranges_of(tasks, bins_max), 1);
  counts_.resize(ranges_of(tasks, width_));
}

void TaskBins::add(std::uint32_t index, sched::TaskState state) {
  ++counts_[index / width_][static_cast<std::size_t>(state)];
}

TaskBins::Counts TaskBins::sum() const {
  Counts all{};
  for (const Counts& counts : counts_) {
    for (std::size_t state = 0; state < all.size(); ++state) all[state] += counts[state];
  }
  return all;
}

Json TaskBins::json() const {
  Json bins = Json::array();
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    // The last range is the only one that may end early, and a job has at most 2^32 - 1 tasks.
    const auto first = static_cast<std::uint32_t>(i) * width_;
    const std::uint32_t last = first + (std::min(width_, tasks_ - first) - 1);
    bins.push_back({{"first", first}, {"last", last}, {"counts", task_counts_json(counts_[i])}});
  }
  return bins;
}

Json task_counts_json(const TaskBins::Counts& counts) {
  Json json = Json::object();
  for (std::size_t state = 0; state < counts.size(); ++state) {
    json[std::string(sched::kTaskStateWords[state])] = counts[state];
  }
  return json;
}

}  // namespace dunlin::node
