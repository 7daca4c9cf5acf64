// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/engine/message_kind.h"

namespace dunlin::sim {

/// What crossed the network, by kind of message.
class Traffic {
 public:
  struct Tally {
    std::uint64_t messages = 0;
    std::uint64_t weighed = 0;        ///< Those of them whose encoding was measured ...
    std::uint64_t bytes_weighed = 0;  ///< ... and its size.

    /// Of all messages: exact if all were weighed, else estimated.
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
  Tally gossip() const { return sum(0, kOverlayKinds); }
  Tally scheduling() const { return sum(kOverlayKinds, kOverlayKinds + kSchedKinds); }
  Tally sharing() const { return sum(kOverlayKinds + kSchedKinds, kMessageKinds); }

 private:
  std::array<Tally, kMessageKinds> tallies_{};
  std::string scratch_;
};

}  // namespace dunlin::sim
