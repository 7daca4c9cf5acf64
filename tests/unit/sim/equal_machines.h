// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/fleet.h"

namespace dunlin::sim {

/// So many machines with `cpu` milli-CPUs each.
inline Fleet equal_machines(std::size_t count, std::uint32_t cpu) {
  const Machine machine{.total = {.cpu = cpu, .memory = 0, .custom = {}}, .attributes = {}};
  return std::vector<Machine>(count, machine);
}

}  // namespace dunlin::sim
