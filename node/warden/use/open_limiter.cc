// SPDX-License-Identifier: MIT
#include "node/warden/use/open_limiter.h"

#include <utility>

#include "node/warden/use/disks.h"

namespace dunlin::node::warden {

std::optional<Note> Unenforced::note_for(const Start& start) {
  const bool disk_counts = start.disk_read + start.disk_write != 0 && !disk.empty();
  // Told once, with the first task that it concerns: most nodes have no such tasks.
  if (disk_counts) return Note{std::exchange(disk, {})};
  const bool net_counts = start.net_in + start.net_out != 0 && !net.empty();
  if (net_counts) return Note{std::exchange(net, {})};
  return std::nullopt;
}

Result<std::unique_ptr<Limiter>> open_limiter(
    const Settings& wanted, std::vector<std::string>& notes, Unenforced& unenforced) {
  LimiterOptions options{.label = wanted.label,
      .wanted = wanted.limits,
      .cpu_quota = wanted.cpu_quota,
      .pids_max = wanted.pids_max,
      .limits_net = !wanted.data.empty(),
      .counts_disks = wanted.sample_ms > 0 || !wanted.data.empty()};
  const auto disk = wanted.data.empty()
      ? Result<Device>(failure(ErrorKind::refused, "no data directory was named"))
      : disk_below(wanted.data);
  if (disk) options.disk = *disk;
  auto limiter = Limiter::open(options, notes);
  if (!limiter) return limiter;
  unenforced = {};
  if (!(*limiter)->limits_disk()) {
    unenforced.disk = "limits: tasks are not held to the rates of disks that they demand, since " +
        (disk ? "no cgroup takes a limit of the disk below " + wanted.data + " (controller " +
                    ((*limiter)->word() == "v2" ? "io" : "blkio") + ")"
              : disk.error().text);
  }
  if (!(*limiter)->limits_net()) {
    unenforced.net =
        "limits: tasks are not held to the rates of the network that they demand: that needs "
        "cgroups of version 2, and CAP_BPF with CAP_NET_ADMIN";
  }
  return limiter;
}

}  // namespace dunlin::node::warden
