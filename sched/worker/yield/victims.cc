// SPDX-License-Identifier: MIT
#include "sched/worker/yield/victims.h"

#include <algorithm>
#include <tuple>

#include "sched/resources.h"

// The victims of one task are a cover of what it lacks. To find the smallest cover is hard, so it
// is built greedily: next comes the candidate that fills the largest part of what is still lacking,
// and among equals the one that is cheapest to stop. One that fills all of it is found at once. In
// the end whatever the others make needless is spared, the dearest first.
namespace dunlin::sched {
namespace {

constexpr std::size_t kPlaces = 0;
constexpr std::size_t kCpu = 1;
constexpr std::size_t kMemoryIndex = 2;
constexpr std::size_t kFirstRate = 3;
constexpr std::size_t kCustom = kFirstRate + kRates.size();

Room room_of(const Resources& demand, const Candidate& candidate) {
  Room room(demand);
  room.add(*candidate.leaves, candidate.places);
  return room;
}

}  // namespace

Room::Room(const Resources& demand) : wanted_{1, demand.cpu, demand.memory} {
  for (const Rate& rate : kRates) wanted_.push_back(demand.*rate.amount);
  for (const Amount& amount : demand.custom) {
    custom_.push_back(amount.name);
    wanted_.push_back(amount.count);
  }
  has_.resize(wanted_.size());
}

void Room::add(const Resources& resources, std::int64_t places, std::int64_t count) {
  has_[kPlaces] += places;
  has_[kCpu] += count * resources.cpu;
  has_[kMemoryIndex] += count * resources.memory;
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    has_[kFirstRate + i] += count * resources.*kRates[i].amount;
  }
  for (std::size_t i = 0; i < custom_.size(); ++i) {
    has_[kCustom + i] += count * amount_of(resources, custom_[i]);
  }
}

void Room::add(const Room& other, std::int64_t count) {
  for (std::size_t i = 0; i < has_.size(); ++i) has_[i] += count * other.has_[i];
}

std::int64_t Room::lacking(std::size_t i, std::int64_t count) const {
  if (wanted_[i] == 0) return 0;
  return std::max<std::int64_t>(0, count * wanted_[i] - has_[i]);
}

bool Room::fits(std::int64_t count) const {
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (lacking(i, count) > 0) return false;
  }
  return true;
}

double Room::part_filled_by(const Room& other, std::int64_t count) const {
  double part = 0;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const std::int64_t lacks = lacking(i, count);
    if (lacks == 0) continue;
    const std::int64_t filled = std::clamp<std::int64_t>(other.has_[i], 0, lacks);
    part += static_cast<double>(filled) / static_cast<double>(lacks);
  }
  return part;
}

std::optional<std::vector<std::size_t>> choose_victims(const Resources& demand,
    std::int64_t count,
    const Room& room,
    std::span<const Candidate> candidates) {
  std::vector<Candidate> left(candidates.begin(), candidates.end());
  std::ranges::sort(left, {}, [](const Candidate& candidate) {
    return std::tuple(candidate.priority, candidate.lost, candidate.index);
  });
  Room there = room;
  std::vector<Candidate> chosen;
  while (!there.fits(count)) {
    auto best = left.end();
    double filled = 0;
    for (auto candidate = left.begin(); candidate != left.end(); ++candidate) {
      const double part = there.part_filled_by(room_of(demand, *candidate), count);
      if (part <= filled) continue;
      filled = part;
      best = candidate;
    }
    if (best == left.end()) return std::nullopt;
    there.add(room_of(demand, *best));
    chosen.push_back(*best);
    left.erase(best);
  }
  std::ranges::sort(chosen, {}, [](const Candidate& candidate) {
    return std::tuple(-candidate.priority, -candidate.lost, candidate.index);
  });
  std::vector<std::size_t> victims;
  for (const Candidate& candidate : chosen) {
    there.add(room_of(demand, candidate), -1);
    if (there.fits(count)) continue;
    there.add(room_of(demand, candidate));
    victims.push_back(candidate.index);
  }
  return victims;
}

}  // namespace dunlin::sched
