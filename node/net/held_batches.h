// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "overlay/address.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The content of one datagram to be: messages to one peer, or link messages alone.
struct Batch {
  overlay::Endpoint to;
  bool link = false;
  std::size_t messages = 0;
  std::size_t size = 0;  ///< The size of the body.
  std::vector<std::byte> buffer;
};

/// A number that a greeting will echo. Never 0.
std::uint64_t draw_challenge();

/// Batches for peers that have not yet told us the ephemeral key of their present process, until
/// they do, by a greeting. Bounded in number and time: what is beyond is lost, as on any network.
class HeldBatches {
 public:
  static constexpr overlay::Duration kHeldFor = std::chrono::seconds(2);
  /// The time after which a peer that does not answer is asked again.
  static constexpr overlay::Duration kAskAgain = std::chrono::milliseconds(250);
  static constexpr std::size_t kBatchesMax = 2048;

  /// A peer to introduce ourselves to.
  struct Question {
    overlay::Endpoint to;
    std::uint64_t challenge = 0;
  };

  /// Takes a batch away; false, and nothing taken, if there are too many.
  bool hold(Batch& batch, overlay::Time now);
  /// Appends those that are to be asked now, for the first time or again.
  void ask(overlay::Time now, std::vector<Question>& out);
  /// The batches for a peer that has answered the challenge, or (0) has made itself known
  /// otherwise. A contact known by its address alone gets its id.
  std::vector<Batch> release(overlay::PeerId from, std::uint64_t challenge);
  /// Forgets those that were held for too long. Returns the messages in them.
  std::size_t expire(overlay::Time now);

  bool empty() const { return held_.empty(); }
  void clear();

 private:
  struct Held {
    overlay::Endpoint to;
    std::uint64_t challenge = 0;
    overlay::Time since{};
    overlay::Time ask_at{};
    std::vector<Batch> batches;
  };

  std::deque<Held> held_;  // In the order of `since`.
  std::size_t batches_ = 0;
};

}  // namespace dunlin::node
