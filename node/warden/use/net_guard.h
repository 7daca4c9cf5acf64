// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "overlay/result.h"

namespace dunlin::node {

/// Bytes that came by the network, and that went to it. What stays on the machine does not count.
struct NetBytes {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  friend bool operator==(const NetBytes&, const NetBytes&) = default;
};

/// The most that a cgroup may receive and send; KiB/s, 0 is no limit.
struct NetRates {
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  friend bool operator==(const NetRates&, const NetRates&) = default;
};

/// Counts what the processes of a cgroup of version 2 receive and send, and holds them to rates, by
/// two small programs in the kernel, which live as long as the cgroup. Needs Linux 5.8, CAP_BPF and
/// CAP_NET_ADMIN, or root.
class NetGuard {
 public:
  /// The number of the loopback interface, in every network namespace.
  static constexpr std::uint32_t kLoopback = 1;

  /// What passes the interface `local` counts nothing. An error says what the kernel refused.
  static Result<NetGuard> attach(const std::string& directory, std::uint32_t local = kLoopback);
  NetGuard(NetGuard&& from) noexcept;
  NetGuard& operator=(NetGuard&& from) noexcept;
  ~NetGuard();

  /// Both from now on. An error is an errno of the kernel.
  Result<void> limit(const NetRates& rates);
  /// Since attach(); zeros if the kernel does not tell.
  NetBytes bytes() const;

 private:
  explicit NetGuard(int map) : map_(map) {}

  int map_ = -1;  ///< The descriptor of the numbers that the programs share with this process.
};

}  // namespace dunlin::node
