// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "node/kernel/bounds.h"

// The files in which the kernel counts what a whole machine uses. Each parser takes the text of
// one, and says nothing rather than something wrong.
namespace dunlin::node {

/// Time for which CPUs worked, of all of them together, as /proc/stat has it since the machine
/// started.
std::optional<std::chrono::nanoseconds> parse_stat(std::string_view text);
/// MiB of memory that are neither free nor easily freed: /proc/meminfo.
std::optional<std::uint64_t> parse_meminfo(std::string_view text);

/// Bytes to and from somewhere, since the machine started.
struct Flow {
  std::uint64_t in = 0;   ///< Read, or received.
  std::uint64_t out = 0;  ///< Written, or sent.
  friend bool operator==(const Flow&, const Flow&) = default;
};
/// Those of the block device `major`:`minor`: /proc/diskstats.
std::optional<Flow> parse_diskstats(std::string_view text, unsigned major, unsigned minor);
/// Those of a network device: /proc/net/dev.
std::optional<Flow> parse_net_dev(std::string_view text, std::string_view device);

/// What a machine has counted up to a moment; empty where nothing tells.
struct NodeReading {
  std::optional<std::chrono::nanoseconds> cpu{};
  std::optional<std::uint64_t> memory{};  ///< MiB
  std::optional<Flow> disk{};
  std::optional<Flow> net{};
};

/// The counters of this machine; of CPU and memory those of the cgroup that bounds the agent, if
/// one does: what others use outside of it takes nothing of what the agent offers.
class NodeCounters {
 public:
  /// The disk is that below `directory`, the network device that of the default route.
  /// `bounds` are those of this process.
  explicit NodeCounters(const std::string& directory, Bounds bounds = own_bounds());

  NodeReading read() const;
  /// "8:16", or why there is none: for people.
  const std::string& disk_text() const { return disk_text_; }

 private:
  Bounds bounds_;
  unsigned major_ = 0;
  unsigned minor_ = 0;
  std::string disk_text_;
  std::string device_;  ///< Of the network; empty: there is none.
};

}  // namespace dunlin::node
