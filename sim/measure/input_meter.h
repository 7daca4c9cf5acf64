// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/turn.h"

namespace dunlin::sim {

/// How many attempts began where their input is, and how many elsewhere.
class InputMeter {
 public:
  void begin(sched::InputPlace input) {
    if (input == sched::InputPlace::here) ++here_;
    if (input == sched::InputPlace::elsewhere) ++elsewhere_;
  }
  /// Those with inputs that have places.
  std::uint64_t count() const { return here_ + elsewhere_; }
  /// The part of them that began elsewhere; 0 if there are none.
  double remote_share() const {
    return count() == 0 ? 0 : static_cast<double>(elsewhere_) / static_cast<double>(count());
  }

 private:
  std::uint64_t here_ = 0;
  std::uint64_t elsewhere_ = 0;
};

}  // namespace dunlin::sim
