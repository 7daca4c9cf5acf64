// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "node/log.h"
#include "node/net/datagrams.h"
#include "node/net/transport_counters.h"
#include "overlay/time.h"

namespace dunlin::node {

/// Logs troubles of the network that an operator can cure, with the cure. The network decides how
/// often they happen, so each kind is told once a minute at most.
class NetWatch {
 public:
  static constexpr overlay::Duration kReminder = std::chrono::minutes(1);

  explicit NetWatch(Log& log) : log_(log) {}

  /// Compares the counters with those of the last line. Call every second or so.
  void look(overlay::Time now, const TransportCounters& counters);
  /// Tells of a clock or a version of the wire that is not ours. False if the notice is of neither.
  bool on_notice(overlay::Time now, const PeerNotice& notice);

 private:
  /// True, once a minute.
  static bool due(std::optional<overlay::Time>& told, overlay::Time now);

  Log& log_;
  std::uint64_t unsent_ = 0;  ///< The messages told as unsent so far.
  std::optional<overlay::Time> unsent_told_;
  std::optional<overlay::Time> clock_told_;
  std::optional<overlay::Time> version_told_;
};

}  // namespace dunlin::node
