// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::cli {

/// A host to launch an agent on, as ssh knows it.
struct LaunchHost {
  std::string name;
  std::string user;        ///< Empty: as ssh's configuration says.
  std::uint16_t port = 0;  ///< 0: likewise.
  std::uint32_t cpus = 0;  ///< What its agent offers; 0: all.
  /// KEY=VALUE, settings of its agent alone.
  std::vector<std::string> settings;
  std::string directory;  ///< Where its agent lives, once the host has told it.
  std::string address;    ///< Of its agent, when it was last seen up.

  /// "[user@]name[:port]": one text for each host.
  std::string text() const;

  friend bool operator==(const LaunchHost&, const LaunchHost&) = default;
};

/// The hosts of one launch at most: beyond, a mistyped range is likelier than a cluster.
inline constexpr std::size_t kLaunchHostsMax = 4096;

/// Returns the text of a file.
using ReadText = std::function<Result<std::string>(const std::string& path)>;

/// Reads words such as "4/alice@node[01-40]:2222", or "@FILE", a file with a host on each line and
/// settings of its agent behind it. A host that is named twice counts once. Fails with `usage`,
/// naming the place and what it must be.
Result<std::vector<LaunchHost>> parse_hosts(
    std::span<const std::string> words, const ReadText& read);

/// The nodes of an allocation of Slurm, from the value of SLURM_JOB_NODELIST: "node[01-03],gpu7".
Result<std::vector<LaunchHost>> slurm_hosts(std::string_view list);
/// The nodes of an allocation of PBS, from the text of the file that PBS_NODEFILE names: a line for
/// each processor.
Result<std::vector<LaunchHost>> pbs_hosts(std::string_view text);

/// Fails unless `text` is KEY=VALUE on one line.
Result<void> check_setting(std::string_view text);

}  // namespace dunlin::cli
