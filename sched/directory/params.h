// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

struct DirectoryParams {
  std::uint32_t size_max = 4096;
  std::uint16_t facts_per_tick = 4;
  Duration tick = std::chrono::milliseconds(250);
  Duration forget_after = std::chrono::minutes(10);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sched::DirectoryParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
