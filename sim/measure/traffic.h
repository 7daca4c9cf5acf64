// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/measure/message_kind.h"

namespace dunlin::sim {

/// The messages that crossed the network, by kind.
class Traffic {
 public:
  struct Tally {
    std::uint64_t messages = 0;
    std::uint64_t weighed = 0;        ///< Messages with a measured encoding ...
    std::uint64_t bytes_weighed = 0;  ///< ... and its size.

    /// The size of all messages: exact if all were weighed, otherwise estimated.
    std::uint64_t bytes() const;
  };

  /// Counts a message that was encoded in `bytes`.
  void count(std::size_t kind, std::size_t bytes);
  /// Counts a message that travels unencoded: every 64th of its kind is weighed.
  template <typename Message>
  void count(const Message& message);

  const Tally& operator[](std::size_t kind) const { return tallies_[kind]; }
  /// The sum over kinds [first, last).
  Tally sum(std::size_t first, std::size_t last) const;
  /// What views cost, whether there are jobs or not.
  Tally gossip() const { return sum(0, kOverlayKinds); }
  /// All that is not gossip: reservations, plans, leases, reports, logs, the consensus of cells. A
  /// design must not look cheap because its messages are of another kind.
  Tally work() const { return sum(kOverlayKinds, kMessageKinds); }

 private:
  std::array<Tally, kMessageKinds> tallies_{};
  std::string scratch_;
};

}  // namespace dunlin::sim
