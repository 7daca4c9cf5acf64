// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "overlay/rng.h"

namespace dunlin::sim {

/// Machines by how much a scheduler wants them: the fastest first, of those the one with most of
/// its room free. Among equals chance decides, each time anew: by any fixed order some machines
/// would work and others never.
class Roomiest {
 public:
  /// How much a machine is wanted: its speed, and the part of it that is free.
  using Worth = std::pair<double, double>;

  /// Sorts a machine in, anew if it is known. Machines count from 0, and come in their order first.
  void put(std::uint32_t machine, const Worth& worth);
  /// One of the best that `fits`; empty if none does.
  std::optional<std::uint32_t> best(
      overlay::Rng& rng, const std::function<bool(std::uint32_t)>& fits) const;

 private:
  struct Place {
    Worth worth;
    std::size_t at = 0;  ///< Among its equals.
  };

  std::map<Worth, std::vector<std::uint32_t>, std::greater<>> groups_;
  std::vector<Place> places_;  ///< By machine.
};

}  // namespace dunlin::sim
