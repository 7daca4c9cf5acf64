// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <vector>

#include "overlay/address.h"
#include "overlay/ids.h"
#include "overlay/time.h"

namespace dunlin::node {

/// What other nodes say of where they see this one, and if they reach it at the address that it
/// tells.
class Sightings {
 public:
  static constexpr std::size_t kNodesMax = 4096;
  /// They say it again before that, as long as it holds.
  static constexpr overlay::Duration kLasts = std::chrono::seconds(30);

  struct Sighting {
    overlay::Address seen;       ///< Where this node's datagrams come from, for it.
    overlay::Address unreached;  ///< Where it asked this node in vain; port 0: nowhere.
    overlay::Time at{};
  };

  void report(overlay::PeerId node, const Sighting& sighting);
  /// Nodes that cannot reach this one at `told`, sorted.
  std::vector<overlay::PeerId> complaining(const overlay::Address& told, overlay::Time now) const;
  /// Where they see it: one each.
  std::vector<overlay::Address> seen(const overlay::Address& told, overlay::Time now) const;
  /// How many of `near` do not complain.
  std::size_t content(const std::vector<overlay::PeerId>& near,
      const overlay::Address& told,
      overlay::Time now) const;

 private:
  static bool complains(const Sighting& of, const overlay::Address& told, overlay::Time now) {
    return of.unreached == told && now - of.at < kLasts;
  }

  std::map<overlay::PeerId, Sighting> sightings_;
};

}  // namespace dunlin::node
