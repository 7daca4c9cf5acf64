// SPDX-License-Identifier: MIT
#include "node/ids.h"

#include <spdlog/fmt/fmt.h>

namespace dunlin::node {

std::string to_string(overlay::PeerId id) {
  return fmt::format("{:016x}", id.value);
}

std::string to_string(sched::CellId id) {
  return fmt::format("{:016x}", id.value);
}

std::string to_string(sched::MemberId id) {
  return fmt::format("{:016x}", id.value);
}

std::string to_string(const sched::JobId& job) {
  return fmt::format("{:016x}.{}", job.home.value, job.number);
}

std::string lineage_text(const sched::JobId& job) {
  return fmt::format("{:016x}", job.lineage);
}

}  // namespace dunlin::node
