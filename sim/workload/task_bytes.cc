// SPDX-License-Identifier: MIT
#include "sim/workload/task_bytes.h"

#include <array>
#include <string_view>

namespace dunlin::sim {
namespace {

// Lengths of the two forms; the longer has CPU and the rates after the duration, lowest byte first.
constexpr std::size_t kDurationBytes = 8;
constexpr std::array kUsed = {&sched::Resources::cpu, &sched::Resources::disk_read,
    &sched::Resources::disk_write, &sched::Resources::net_in, &sched::Resources::net_out};
constexpr std::size_t kAmountBytes = 4;

sched::Resources use_in(std::string_view bytes, const sched::Resources& demand) {
  sched::Resources use = demand;
  // A task without an amount of its own takes what its group demands.
  if (bytes.size() < kDurationBytes + kAmountBytes * kUsed.size()) return use;
  std::size_t at = kDurationBytes;
  for (const auto amount : kUsed) {
    std::uint32_t value = 0;
    for (std::size_t i = kAmountBytes; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    use.*amount = value;
    at += kAmountBytes;
  }
  return use;
}

sched::Resources read_at(sched::Resources use, sched::InputPlace input) {
  if (input != sched::InputPlace::elsewhere) return use;
  // It is fetched as fast as it would be read.
  use.net_in += use.disk_read;
  use.disk_read = 0;
  return use;
}

}  // namespace

std::string task_bytes(Duration duration, const sched::Resources& use) {
  std::string bytes = duration_bytes(duration);
  for (const auto amount : kUsed) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>(use.*amount >> shift & 0xff);
    }
  }
  return bytes;
}

sched::Resources use_of(const sched::Launch& launch) {
  return read_at(
      use_in(launch.entry.empty() ? launch.spec : launch.entry, launch.demand), launch.input);
}

sched::Resources use_of(
    const sched::TaskGroup& group, std::uint32_t index, sched::InputPlace input) {
  const bool own = group.entries.size() > 0;
  return read_at(
      use_in(own ? group.entries[index] : std::string_view(group.spec), group.demand), input);
}

sched::Resources use_at_source(const sched::Resources& use) {
  sched::Resources taken;
  taken.disk_read = use.net_in;
  taken.net_out = use.net_in;
  return taken;
}

}  // namespace dunlin::sim
