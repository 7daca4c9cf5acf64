// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "sched/resources.h"

namespace dunlin::sim {

/// The resources that simulated machines and tasks have in common: CPU, memory and the rates.
inline constexpr std::size_t kResourceKinds = sched::kAmounts.size();
inline constexpr auto kResourceWords = sched::kAmountWords;
inline constexpr std::size_t kCpuKind = 0;
inline constexpr std::size_t kMemoryKind = 1;

/// An amount of each: milli-CPUs, MiB and KiB/s.
using Usage = std::array<double, kResourceKinds>;

inline Usage usage_of(const sched::Resources& resources) {
  Usage usage{};
  for (std::size_t i = 0; i < kResourceKinds; ++i) usage[i] = resources.*sched::kAmounts[i];
  return usage;
}

/// The same as whole numbers.
inline sched::Resources resources_of(const Usage& usage) {
  sched::Resources resources;
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    resources.*sched::kAmounts[i] = static_cast<std::uint32_t>(std::lround(usage[i]));
  }
  return resources;
}

}  // namespace dunlin::sim
