// SPDX-License-Identifier: MIT
#include "sim/baseline/roomiest.h"

namespace dunlin::sim {
namespace {

/// Machines of a group that are tried by chance, before all are looked at: mostly the first fits.
constexpr int kTries = 8;

}  // namespace

void Roomiest::put(std::uint32_t machine, const Worth& worth) {
  if (machine < places_.size()) {
    const Place& place = places_[machine];
    const auto group = groups_.find(place.worth);
    auto& equals = group->second;
    equals[place.at] = equals.back();
    places_[equals.back()].at = place.at;
    equals.pop_back();
    if (equals.empty()) groups_.erase(group);
  } else {
    places_.resize(machine + 1);
  }
  auto& equals = groups_[worth];
  places_[machine] = {.worth = worth, .at = equals.size()};
  equals.push_back(machine);
}

// A machine that is drawn again and again until one fits is drawn evenly among those that fit; so
// is one by its number among all that do.
std::optional<std::uint32_t> Roomiest::best(
    overlay::Rng& rng, const std::function<bool(std::uint32_t)>& fits) const {
  for (const auto& [worth, equals] : groups_) {
    for (int i = 0; i < kTries; ++i) {
      const std::uint32_t machine = equals[rng.index(equals.size())];
      if (fits(machine)) return machine;
    }
    std::vector<std::uint32_t> all;
    for (const std::uint32_t machine : equals) {
      if (fits(machine)) all.push_back(machine);
    }
    if (!all.empty()) return all[rng.index(all.size())];
  }
  return std::nullopt;
}

}  // namespace dunlin::sim
