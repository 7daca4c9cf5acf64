// SPDX-License-Identifier: MIT
#include "sim/scenario/fleet.h"

#include <unordered_map>

#include "overlay/param_entries.h"

namespace dunlin::sim {

std::string make_key(const Machine& machine) {
  std::string key =
      std::to_string(machine.total.cpu) + ' ' + std::to_string(machine.total.memory) + '\n';
  for (const sched::Rate& rate : sched::kRates) {
    const std::uint32_t amount = machine.total.*rate.amount;
    if (amount > 0) key += std::string(rate.key) + '=' + std::to_string(amount) + '\n';
  }
  for (const auto& each : machine.total.custom) {
    key += each.name + '=' + std::to_string(each.count) + '\n';
  }
  if (machine.speed != 1) key += "speed " + overlay::number_text(machine.speed) + '\n';
  for (const auto& each : machine.attributes) key += each.key + ':' + each.value + '\n';
  return key;
}

Fleet::Fleet(const std::vector<Machine>& machines) : body_(sorted(machines)) {}

Fleet::Body Fleet::sorted(const std::vector<Machine>& machines) {
  Body body;
  body.make_of.reserve(machines.size());
  std::unordered_map<std::string, std::uint32_t> known;
  for (const Machine& machine : machines) {
    const auto next = static_cast<std::uint32_t>(body.makes.size());
    const auto [make, is_new] = known.try_emplace(make_key(machine), next);
    if (is_new) body.makes.push_back(machine);
    body.make_of.push_back(make->second);
  }
  return body;
}

}  // namespace dunlin::sim
