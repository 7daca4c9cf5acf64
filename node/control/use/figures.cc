// SPDX-License-Identifier: MIT
#include "node/control/use/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "config/percentile.h"

// The use of tasks, as figures. A figure is shown only where it is known: nodes differ in what they
// can count, and 0 would be a claim.
namespace dunlin::node {
namespace {

/// One figure of a use: its key, its value, and whether it is known.
struct Figure {
  const char* key;
  std::function<std::uint64_t(const sched::TaskUse&)> value;
  std::function<bool(const sched::TaskUse&)> known;
};

const std::vector<Figure>& figures() {
  const auto of = [](auto member) {
    return [member](const sched::TaskUse& use) { return std::uint64_t{use.*member}; };
  };
  const auto by = [](bool sched::TaskUse::* member) {
    return [member](const sched::TaskUse& use) { return use.*member; };
  };
  using Use = sched::TaskUse;
  const auto disk = by(&Use::has_disk);
  const auto net = by(&Use::has_net);
  static const std::vector<Figure> table = {
      {"cpu_peak_milli", of(&Use::cpu_peak), [](const Use& use) { return use.cpu_peak > 0; }},
      {"disk_read_bytes", of(&Use::disk_read), disk},
      {"disk_written_bytes", of(&Use::disk_written), disk},
      {"net_received_bytes", of(&Use::net_received), net},
      {"net_sent_bytes", of(&Use::net_sent), net},
      {"disk_read_peak_kib", of(&Use::disk_read_peak), disk},
      {"disk_write_peak_kib", of(&Use::disk_write_peak), disk},
      {"net_in_peak_kib", of(&Use::net_in_peak), net},
      {"net_out_peak_kib", of(&Use::net_out_peak), net},
  };
  return table;
}

}  // namespace

Json percentiles(std::vector<std::int64_t> values) {
  if (values.empty()) return nullptr;
  std::ranges::sort(values);
  const std::vector<double> sorted(values.begin(), values.end());
  const auto at = [&](double percent) {
    return std::llround(config::percentile_of(sorted, percent));
  };
  return {{"p50", at(50)}, {"p99", at(99)}, {"max", values.back()}, {"count", values.size()}};
}

Json use_json(const sched::TaskUse& use) {
  Json json;
  for (const Figure& figure : figures()) {
    if (figure.known(use)) json[figure.key] = figure.value(use);
  }
  return json;
}

void UseFigures::add(const sched::TaskUse& use) {
  if (use != sched::TaskUse{}) uses_.push_back(use);
}

Json UseFigures::json() const {
  Json json;
  for (const Figure& figure : figures()) {
    std::vector<std::int64_t> values;
    for (const sched::TaskUse& use : uses_) {
      if (figure.known(use)) values.push_back(static_cast<std::int64_t>(figure.value(use)));
    }
    if (!values.empty()) json[figure.key] = percentiles(std::move(values));
  }
  return json;
}

}  // namespace dunlin::node
