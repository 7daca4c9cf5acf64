// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
  /// Tells of a clock, a version of the wire or a key that is not ours. False if the notice is of
  /// none of them.
  bool on_notice(overlay::Time now, const PeerNotice& notice);

 private:
  /// Senders of datagrams that do not open, at most so many at a time.
  static constexpr std::size_t kStrangersMax = 256;
  struct Stranger {
    std::uint64_t count = 0;  ///< Since it was told.
    std::optional<overlay::Time> told;
  };

  void on_unopened(overlay::Time now, const PeerNotice& notice);
  /// True, once a minute.
  static bool due(std::optional<overlay::Time>& told, overlay::Time now);

  Log& log_;
  std::uint64_t unsent_ = 0;  ///< The messages told as unsent so far.
  std::optional<overlay::Time> unsent_told_;
  std::optional<overlay::Time> clock_told_;
  std::optional<overlay::Time> version_told_;
  std::map<overlay::Address, Stranger> strangers_;
};

}  // namespace dunlin::node
