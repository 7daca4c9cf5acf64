// SPDX-License-Identifier: MIT
#include "node/warden/use/use_meter.h"

#include <limits>

// Two counters see the bytes of disks. The cgroup sees what reaches the disk, at the time when it
// does; but nothing of what v1 writes back later, and nothing that is written back after the end.
// The processes see what they leave for the disk, at once. So the larger sum counts, and rates are
// those of the cgroup where it counts anything.
namespace dunlin::node {
namespace {

using Seconds = std::chrono::duration<double>;

/// A shorter run is no measure of a rate: the clocks of the kernel are not that fine.
constexpr auto kRunMin = std::chrono::milliseconds(10);

std::uint32_t rate(double amount, UseMeter::Span span, double unit) {
  const double per_second = amount / unit / Seconds(span).count();
  return static_cast<std::uint32_t>(
      std::clamp(per_second, 0.0, double{std::numeric_limits<std::uint32_t>::max()}));
}

std::uint32_t milli_cpus(std::uint64_t ns, UseMeter::Span span) {
  return rate(static_cast<double>(ns), span, 1e6);
}

std::uint32_t kibibytes(std::uint64_t bytes, UseMeter::Span span) {
  return rate(static_cast<double>(bytes), span, 1024);
}

}  // namespace

void UseMeter::take(const Reading& reading) {
  if (reading.group_cpu) group_cpu_.read(*reading.group_cpu);
  if (reading.own_cpu) own_cpu_.read(*reading.own_cpu);
  if (reading.memory) memory_ = *reading.memory;
  if (reading.group_disk) {
    group_read_.read(reading.group_disk->read);
    group_written_.read(reading.group_disk->written);
  }
  if (reading.own_disk) {
    own_read_.read(reading.own_disk->read);
    own_written_.read(reading.own_disk->written);
  }
  if (reading.group_net) {
    received_.read(reading.group_net->received);
    sent_.read(reading.group_net->sent);
    has_net_ = true;
  }
  has_disk_ = has_disk_ || reading.group_disk || reading.own_disk;
}

DiskBytes UseMeter::disk() const {
  return {.read = std::max(group_read_.sum(), own_read_.sum()),
      .written = std::max(group_written_.sum(), own_written_.sum())};
}

void UseMeter::read(Time now, const Reading& reading, Span period) {
  take(reading);
  const Span span = now - mark_;
  if (span < period / 2 || span <= Span::zero()) return;
  const DiskBytes told{.read = group_read_.sum() > 0 ? group_read_.sum() : own_read_.sum(),
      .written = group_written_.sum() > 0 ? group_written_.sum() : own_written_.sum()};
  const auto grown = [](std::uint64_t now_sum, std::uint64_t then_sum) {
    return now_sum - std::min(now_sum, then_sum);
  };
  cpu_peak_ = std::max(cpu_peak_, milli_cpus(grown(cpu(), cpu_at_mark_), span));
  read_peak_ = std::max(read_peak_, kibibytes(grown(told.read, disk_at_mark_.read), span));
  write_peak_ = std::max(write_peak_, kibibytes(grown(told.written, disk_at_mark_.written), span));
  in_peak_ = std::max(in_peak_, kibibytes(grown(received_.sum(), net_at_mark_.received), span));
  out_peak_ = std::max(out_peak_, kibibytes(grown(sent_.sum(), net_at_mark_.sent), span));
  net_at_mark_ = net();
  cpu_at_mark_ = cpu();
  disk_at_mark_ = told;
  mark_ = now;
  sampled_ = true;
}

UseSummary UseMeter::summary(Span wall, std::int64_t cpu) const {
  const Span run = std::max<Span>(wall, kRunMin);
  const DiskBytes bytes = disk();
  const auto cpu_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(cpu, 0));
  return {.cpu_peak = std::max(cpu_peak_, milli_cpus(cpu_ns, run)),
      .disk_read = bytes.read,
      .disk_written = bytes.written,
      .disk_read_peak = std::max(read_peak_, kibibytes(bytes.read, run)),
      .disk_write_peak = std::max(write_peak_, kibibytes(bytes.written, run)),
      .has_disk = has_disk_,
      .net_received = received_.sum(),
      .net_sent = sent_.sum(),
      .net_in_peak = std::max(in_peak_, kibibytes(received_.sum(), run)),
      .net_out_peak = std::max(out_peak_, kibibytes(sent_.sum(), run)),
      .has_net = has_net_};
}

}  // namespace dunlin::node
