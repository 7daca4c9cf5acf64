// SPDX-License-Identifier: MIT
#include "sim/workload/workload.h"

namespace dunlin::sim {

std::string duration_bytes(Duration duration) {
  std::string bytes;
  const auto value = static_cast<std::uint64_t>(duration.count());
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

Duration duration_of(const sched::Launch& launch) {
  const std::string& bytes = launch.entry.empty() ? launch.spec : launch.entry;
  if (bytes.size() < 8) return std::chrono::seconds(1);
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return Duration{static_cast<Duration::rep>(value)};
}

}  // namespace dunlin::sim
