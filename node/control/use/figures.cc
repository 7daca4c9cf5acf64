// SPDX-License-Identifier: MIT
#include "node/control/use/figures.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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

Json use_json(const sched::TaskUse& use) {
  Json json;
  for (const Figure& figure : figures()) {
    if (figure.known(use)) json[figure.key] = figure.value(use);
  }
  return json;
}

void UseFigures::add(const sched::TaskUse& use) {
  if (use == sched::TaskUse{}) return;
  const auto& table = figures();
  figures_.resize(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].known(use)) figures_[i].add(static_cast<std::int64_t>(table[i].value(use)));
  }
}

Json UseFigures::json() const {
  Json json;
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    if (figures_[i].count() > 0) json[figures()[i].key] = figures_[i].json();
  }
  return json;
}

}  // namespace dunlin::node
