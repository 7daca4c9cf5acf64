// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/dunlin/json.h"
#include "tools/dunlin/launch/host_launch.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// "node3: started, as 10.0.0.3:7700" or "node4: FAILED: no ssh server listens there": the line of
/// a host that is done.
std::string host_line(const HostLaunch& host);

/// The hosts that are at work, a line each, and below them how many are done: at most `rows` lines,
/// each ended and cut to the terminal.
std::string progress_text(
    const std::vector<HostLaunch>& hosts, const Terminal& terminal, std::size_t rows);

/// The table of all hosts.
std::string hosts_table(const std::vector<HostLaunch>& hosts, const Terminal& terminal);
Json hosts_json(const std::vector<HostLaunch>& hosts);

/// "38 up, 2 failed".
std::string hosts_summary(const std::vector<HostLaunch>& hosts);

/// Shows a launch while it goes on: on a terminal a table that is painted anew, else a line for
/// each host that is done.
class LaunchView {
 public:
  /// Writes to stderr; nothing at all if `quiet`.
  LaunchView(const Terminal& terminal, bool quiet);
  ~LaunchView() { clear(); }
  LaunchView(const LaunchView&) = delete;
  LaunchView& operator=(const LaunchView&) = delete;

  void show(const std::vector<HostLaunch>& hosts);
  /// Says that `host` is done.
  void done(const HostLaunch& host);
  void clear();

 private:
  Terminal terminal_;
  bool quiet_;
  std::size_t painted_ = 0;  ///< Lines on the terminal that are ours.
  std::string last_;
};

}  // namespace dunlin::cli
