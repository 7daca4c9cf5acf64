// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "tools/dunlin/launch/host_list.h"

namespace dunlin::cli {

/// What the desk keeps of a cluster that was launched from it: no key, and nothing that an agent
/// could not tell.
struct ClusterFile {
  std::string ssh_config;             ///< The file for ssh -F; empty: ssh's own.
  std::string directory;              ///< What --dir said; empty: each host chose.
  std::vector<std::string> settings;  ///< KEY=VALUE of every agent.
  std::vector<LaunchHost> hosts;

  /// The host with this text(); nullptr if there is none.
  LaunchHost* find(std::string_view text);
  /// Adds hosts that are not there, and gives those that are the terms of a new launch.
  void merge(const std::vector<LaunchHost>& launched);

  friend bool operator==(const ClusterFile&, const ClusterFile&) = default;
};

/// Fails unless it can be the name of a cluster: 1 to 63 of a-z A-Z 0-9 _ -, so that files and
/// units may be named after it.
Result<void> check_cluster_name(const std::string& name);

/// `~/.config/dunlin/clusters/NAME` + `ending`, or below $XDG_CONFIG_HOME.
std::string cluster_path(const std::string& name, std::string_view ending);

/// As TOML: parse_cluster() reads the same from it.
std::string format_cluster(const ClusterFile& cluster);
/// Fails, naming the line and what it must be, also at a key that is not known.
Result<ClusterFile> parse_cluster(const std::string& text, const std::string& path);

/// Fails with `not_found` if there is no such file.
Result<ClusterFile> load_cluster(const std::string& name);
/// Whole or not at all, with mode 0600.
Result<void> save_cluster(const std::string& name, const ClusterFile& cluster);

}  // namespace dunlin::cli
