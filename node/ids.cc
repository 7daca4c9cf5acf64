// SPDX-License-Identifier: MIT
#include "node/ids.h"

namespace dunlin::node {

std::string hex_text(std::uint64_t value) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); value != 0; ++digit, value >>= 4) {
    *digit = "0123456789abcdef"[value & 0xf];
  }
  return text;
}

std::string to_string(overlay::PeerId id) {
  return hex_text(id.value);
}

std::string to_string(sched::CellId id) {
  return hex_text(id.value);
}

std::string to_string(sched::MemberId id) {
  return hex_text(id.value);
}

std::string to_string(const sched::JobId& job) {
  return hex_text(job.home.value) + "." + std::to_string(job.number);
}

std::string lineage_text(const sched::JobId& job) {
  return hex_text(job.lineage);
}

}  // namespace dunlin::node
