// SPDX-License-Identifier: MIT
#include "node/control/bins/node_bins.h"

#include <algorithm>
#include <functional>

#include "sched/plan/slot_width.h"

namespace dunlin::node {
namespace {

/// Every 5 %, and both ends.
constexpr std::size_t kAgeQuantiles = 21;
constexpr std::string_view kOtherVersions = "others";

/// The step, from 0, of what is in use.
std::size_t use_step(std::uint32_t whole, std::uint32_t free) {
  // A node that has not told its size yet counts as empty.
  if (free >= whole) return 0;
  const std::uint64_t used = whole - free;
  return std::min<std::size_t>(used * NodeBins::kSteps / whole, NodeBins::kSteps - 1);
}

/// Adds one to the count of `word`, without a copy of a word that is known.
void count_word(auto& counts, std::string_view word) {
  const auto found = counts.find(word);
  if (found != counts.end()) {
    ++found->second;
  } else {
    counts.emplace(word, 1);
  }
}

Json by_word_json(const auto& counts) {
  Json json = Json::object();
  for (const auto& [word, count] : counts) json[word] = count;
  return json;
}

}  // namespace

void NodeBins::add(const NodeFigures& node) {
  count_word(totals_, node.state);
  // A node may tell any text, and an answer is bounded.
  const bool room = versions_.size() < kVersionsMax || versions_.contains(node.version);
  if (!node.version.empty()) count_word(versions_, room ? node.version : kOtherVersions);
  ages_.push_back(node.age_ns);
  if (!node.tells) return;
  const Place place{use_step(node.memory, node.memory_free), use_step(node.cpu, node.cpu_free)};
  count_word(cells_[place], node.state);
  // No task can have what lies on a node that takes none.
  if (node.state != "up") return;
  capacity_.cpu += node.cpu;
  capacity_.cpu_free += node.cpu_free;
  capacity_.memory += node.memory;
  capacity_.memory_free += node.memory_free;
  capacity_.running += node.running;
  capacity_.queued += node.queued;
  const std::uint32_t slots[] = {node.slots.all, sched::available(node.slots), node.slots.occupied,
      node.slots.busy, node.slots.down};
  for (std::size_t i = 0; i < capacity_.slots.size(); ++i) capacity_.slots[i] += slots[i];
}

Json NodeBins::json() const {
  return {{"total", ages_.size()}, {"totals", by_word_json(totals_)},
      {"versions", by_word_json(versions_)}, {"capacity", capacity_json()}, {"steps", kSteps},
      {"cells", cells_json()}, {"ages_ns", ages_json()}};
}

Json NodeBins::cells_json() const {
  Json cells = Json::array();
  for (const auto& [place, nodes] : cells_) {
    cells.push_back(
        {{"memory", place.first}, {"cpu", place.second}, {"nodes", by_word_json(nodes)}});
  }
  return cells;
}

Json NodeBins::capacity_json() const {
  const auto& slots = capacity_.slots;
  return {{"cpu_milli", capacity_.cpu}, {"cpu_free_milli", capacity_.cpu_free},
      {"memory_mib", capacity_.memory}, {"memory_free_mib", capacity_.memory_free},
      {"running", capacity_.running}, {"queued", capacity_.queued},
      {"slots",
          {{"all", slots[0]}, {"available", slots[1]}, {"occupied", slots[2]}, {"busy", slots[3]},
              {"down", slots[4]}}}};
}

Json NodeBins::ages_json() const {
  Json quantiles = Json::array();
  if (ages_.empty()) return quantiles;
  std::vector<std::int64_t> ages = ages_;
  std::ranges::sort(ages);
  for (std::size_t i = 0; i < kAgeQuantiles; ++i) {
    quantiles.push_back(ages[i * (ages.size() - 1) / (kAgeQuantiles - 1)]);
  }
  return quantiles;
}

}  // namespace dunlin::node
