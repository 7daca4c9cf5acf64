// SPDX-License-Identifier: MIT
#include "node/reach/sightings.h"

#include <algorithm>

// A node cannot know how others see it: an address may be translated on the way, or lead to another
// machine of the same address there. They say so. Each has one word, and the last counts.
namespace dunlin::node {

using overlay::Address;
using overlay::PeerId;
using overlay::Time;

void Sightings::report(PeerId node, const Sighting& sighting) {
  if (sightings_.size() >= kNodesMax && !sightings_.contains(node)) {
    std::erase_if(
        sightings_, [&](const auto& each) { return sighting.at - each.second.at >= kLasts; });
    if (sightings_.size() >= kNodesMax) return;
  }
  sightings_[node] = sighting;
}

std::vector<PeerId> Sightings::complaining(const Address& told, Time now) const {
  std::vector<PeerId> nodes;
  for (const auto& [node, sighting] : sightings_) {
    if (complains(sighting, told, now)) nodes.push_back(node);
  }
  return nodes;
}

std::vector<Address> Sightings::seen(const Address& told, Time now) const {
  std::vector<Address> all;
  for (const auto& [node, sighting] : sightings_) {
    if (complains(sighting, told, now)) all.push_back(sighting.seen);
  }
  return all;
}

std::size_t Sightings::content(
    const std::vector<PeerId>& near, const Address& told, Time now) const {
  return static_cast<std::size_t>(std::ranges::count_if(near, [&](PeerId node) {
    const auto found = sightings_.find(node);
    return found != sightings_.end() && !complains(found->second, told, now);
  }));
}

}  // namespace dunlin::node
