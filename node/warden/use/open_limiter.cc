// SPDX-License-Identifier: MIT
#include "node/warden/use/open_limiter.h"

#include "node/warden/use/disks.h"

namespace dunlin::node::warden {

Result<std::unique_ptr<Limiter>> open_limiter(
    const Settings& wanted, std::vector<std::string>& notes, std::string& no_disk_limits) {
  LimiterOptions options{.label = wanted.label,
      .wanted = wanted.limits,
      .cpu_quota = wanted.cpu_quota,
      .pids_max = wanted.pids_max,
      .counts_disks = wanted.sample_ms > 0 || !wanted.data.empty()};
  no_disk_limits.clear();
  const auto disk = wanted.data.empty()
      ? Result<Device>(failure(ErrorKind::refused, "no data directory was named"))
      : disk_below(wanted.data);
  if (disk) options.disk = *disk;
  auto limiter = Limiter::open(options, notes);
  if (!limiter || (*limiter)->limits_disk()) return limiter;
  no_disk_limits = "limits: tasks are not held to the rates of disks that they demand, since " +
      (disk ? "no cgroup takes a limit of the disk below " + wanted.data + " (controller " +
                  ((*limiter)->word() == "v2" ? "io" : "blkio") + ")"
            : disk.error().text);
  return limiter;
}

}  // namespace dunlin::node::warden
