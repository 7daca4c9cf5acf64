// SPDX-License-Identifier: MIT
#include "sim/measure/node_loads.h"

#include <algorithm>
#include <utility>

#include "sim/measure/measures.h"
#include "sim/measure/units.h"

// Over a whole run even the worst scheduler is fair: whatever it sends where, chance evens it out.
// What users feel is one machine with a queue beside an idle one at the same time. So busy shares
// are compared within short intervals. Work is told when it ends, as baselines know it only then,
// and is divided among the intervals that it lay in.
namespace dunlin::sim {

NodeLoads::NodeLoads(const Window& window, Fleet machines, Duration interval)
    : window_(window),
      machines_(std::move(machines)),
      interval_(std::max(interval, Duration{1})) {
  const std::uint64_t intervals_max =
      std::max<std::uint64_t>(1, kSharesMax / std::max<std::uint64_t>(1, machines_.size()));
  const auto longest = static_cast<std::uint64_t>(std::max(window_.length(), Duration{0}).count());
  // Rounded up: one interval too many would be one share too many for each machine.
  const auto shortest = static_cast<Duration::rep>((longest + intervals_max - 1) / intervals_max);
  interval_ = std::max(interval_, Duration{shortest});
}

void NodeLoads::on_served(std::uint32_t machine, Time end) {
  if (!window_.contains(end)) return;
  served_.emplace_back(end, machine);
}

void NodeLoads::on_work(std::uint32_t machine, Time begin, Time end, std::uint32_t cpu) {
  Time at = std::max(begin, window_.from);
  const Time last = std::min(end, window_.until);
  while (at < last) {
    const auto interval = static_cast<std::size_t>((at - window_.from) / interval_);
    const Time border = window_.from + (interval + 1) * interval_;
    const Time next = std::min(border, last);
    const std::size_t size = (interval + 1) * machines_.size();
    if (busy_.size() < size) busy_.resize(size);
    busy_[interval * machines_.size() + machine] +=
        static_cast<double>((next - at).count()) * cpu / machines_[machine].total.cpu;
    at = next;
  }
}

std::optional<NodeLoads::Result> NodeLoads::result(Time until) const {
  const Duration length = std::min(until, window_.until) - window_.from;
  if (length <= Duration{0} || machines_.size() == 0) return std::nullopt;
  Result result;
  std::vector<std::uint32_t> counts(machines_.size());
  bool any = false;
  for (const auto& [end, machine] : served_) {
    // The window may have been closed earlier than was known when this was told.
    if (end >= window_.from + length) continue;
    ++counts[machine];
    any = true;
  }
  if (any) {
    const double seconds = in_seconds(length);
    Fairness fairness;
    double sum = 0;
    for (const std::uint32_t served : counts) {
      fairness.add(served);
      sum += served;
    }
    const auto [min, max] = std::ranges::minmax(counts);
    result.mean_per_s = sum / static_cast<double>(counts.size()) / seconds;
    result.min_per_s = min / seconds;
    result.max_per_s = max / seconds;
    result.balance = fairness.index();
  }
  double balances = 0, intervals = 0;
  for (std::size_t i = 0; i * machines_.size() < busy_.size(); ++i) {
    const Duration end = static_cast<Duration::rep>(i + 1) * interval_;
    // What is left over of a window says little, but a window shorter than one counts as one.
    if (end > length && i > 0) break;
    Fairness fairness;
    double sum = 0;
    for (std::size_t j = 0; j < machines_.size(); ++j) {
      const double busy = busy_[i * machines_.size() + j];
      fairness.add(busy);
      sum += busy;
    }
    if (sum <= 0) continue;
    balances += fairness.index();
    ++intervals;
  }
  if (intervals > 0) result.load_balance = balances / intervals;
  return result;
}

}  // namespace dunlin::sim
