// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

#include "sched/resources.h"

namespace dunlin::cli {

/// The texts of --disk-read, --disk-write, --net-in and --net-out, as in sched::kRates.
using RateFlags = std::array<std::string, sched::kRates.size()>;

/// "--disk-read".
std::string name_of_rate_flag(const sched::Rate& rate);

/// Calls `add` with the name, the text, its type and the help of each flag.
template <typename Add>
void add_rate_flags(RateFlags& flags, const Add& add) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const sched::Rate& rate = sched::kRates[i];
    add(name_of_rate_flag(rate), flags[i], "RATE",
        "The " + std::string(rate.words) + " it needs, such as 100M/s");
  }
}

/// Sets the rates of `demand` that are given. Fails with `usage`, naming the flag.
Result<void> read_rates(const RateFlags& flags, sched::Resources& demand);

}  // namespace dunlin::cli
