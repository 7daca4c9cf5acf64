// SPDX-License-Identifier: MIT
#include "sim/workload/workload.h"

#include <cmath>
#include <string_view>

namespace dunlin::sim {
namespace {

Duration duration_in(std::string_view bytes) {
  if (bytes.size() < 8) return std::chrono::seconds(1);
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return Duration{static_cast<Duration::rep>(value)};
}

}  // namespace

std::string duration_bytes(Duration duration) {
  std::string bytes;
  const auto value = static_cast<std::uint64_t>(duration.count());
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

Duration duration_of(const sched::Launch& launch) {
  return duration_in(launch.entry.empty() ? launch.spec : launch.entry);
}

Duration at_speed(Duration duration, double speed) {
  // In the usual case nothing is rounded.
  if (speed == 1) return duration;
  return Duration{std::llround(static_cast<double>(duration.count()) / speed)};
}

Duration duration_of(const sched::TaskGroup& group, std::uint32_t index) {
  const bool own = group.entries.size() > 0;
  return duration_in(own ? group.entries[index] : std::string_view(group.spec));
}

}  // namespace dunlin::sim
