// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sched/resources.h"

namespace dunlin::sim {

/// The resources that simulated machines and tasks have in common: CPU, memory and the rates.
inline constexpr std::size_t kResourceKinds = 6;
inline constexpr std::array<std::string_view, kResourceKinds> kResourceWords = {
    "cpu", "memory", "disk_read", "disk_write", "net_in", "net_out"};
inline constexpr std::size_t kCpuKind = 0;
inline constexpr std::size_t kMemoryKind = 1;

/// An amount of each: milli-CPUs, MiB and KiB/s.
using Usage = std::array<double, kResourceKinds>;

inline Usage usage_of(const sched::Resources& resources) {
  const auto of = [](std::uint32_t amount) { return static_cast<double>(amount); };
  return {of(resources.cpu), of(resources.memory), of(resources.disk_read),
      of(resources.disk_write), of(resources.net_in), of(resources.net_out)};
}

/// The same as whole numbers.
inline sched::Resources resources_of(const Usage& usage) {
  const auto of = [&](std::size_t kind) { return static_cast<std::uint32_t>(usage[kind] + 0.5); };
  return {.cpu = of(0),
      .memory = of(1),
      .custom = {},
      .disk_read = of(2),
      .disk_write = of(3),
      .net_in = of(4),
      .net_out = of(5)};
}

}  // namespace dunlin::sim
