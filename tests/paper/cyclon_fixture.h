// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <vector>

#include "tests/support/overlay_fixture.h"

namespace dunlin::test {

/// One peer that speaks Cyclon, alone with what it is sent.
class CyclonPaper : public OverlayFixture {
 protected:
  /// Peer 1, with these neighbours, about to start its first cycle.
  overlay::Cyclon cyclon_of(overlay::CyclonParams params,
      std::initializer_list<overlay::Descriptor> neighbours,
      std::initializer_list<overlay::Endpoint> contacts = {}) {
    params.tombstone_chance = 0;
    overlay::Cyclon cyclon(params, at(1), std::vector<overlay::Endpoint>(contacts));
    cyclon.seed(self, known(neighbours));
    auto first = turn();
    cyclon.wake(first, self);
    out.sent.clear();
    return cyclon;
  }
  /// The next cycle starts, whenever that is.
  void cycle(overlay::Cyclon& cyclon) {
    auto next = after(cyclon.deadline() - now);
    cyclon.wake(next, self);
  }
  /// Time passes until it asks a contact.
  overlay::Join join(overlay::Cyclon& cyclon) {
    while (out.all<overlay::Join>().empty()) cycle(cyclon);
    return out.only<overlay::Join>().second;
  }
  template <typename Kind>
  void receive(overlay::Cyclon& cyclon, std::uint64_t from, const Kind& message) {
    auto next = turn();
    cyclon.receive(next, self, at(from), message);
  }
  static std::set<std::uint64_t> ids(const overlay::Cyclon& cyclon) {
    std::set<std::uint64_t> all;
    for (const overlay::Link& link : cyclon.view().links()) all.insert(link.id().value);
    return all;
  }
  static std::set<std::uint64_t> ids(std::span<const overlay::Descriptor> sample) {
    std::set<std::uint64_t> all;
    for (const overlay::Descriptor& descriptor : sample) all.insert(descriptor.id.value);
    return all;
  }

  overlay::Self self{at(1), 1};
};

}  // namespace dunlin::test
