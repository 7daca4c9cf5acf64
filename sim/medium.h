// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/faults.h"
#include "sim/latency.h"

namespace dunlin::sim {

/// What becomes of a message.
struct Passage {
  Duration delay{0};
  bool lost = false;
};

/// What lies between the peers, whichever transport carries the messages: delays, loss, links of
/// limited bandwidth, partitions. Transports that are given the same messages get the same answers,
/// so equal seeds give equal traces.
class Medium {
 public:
  Medium(const NetworkParams& params, Delay delay, std::uint64_t seed, Faults faults)
      : loss_(params.loss),
        bandwidth_(params.bandwidth),
        backlog_(params.backlog),
        delay_(std::move(delay)),
        seed_(seed),
        faults_(std::move(faults)) {}

  /// True if passage depends on the size of messages: else any size will do.
  bool weighs() const { return bandwidth_ > 0; }
  /// `from` sends `bytes` to `to` now. To itself nothing is lost.
  Passage pass(Time now, std::uint32_t from, std::uint32_t to, std::size_t bytes);

 private:
  double loss_;
  double bandwidth_;
  Duration backlog_;
  Delay delay_;
  std::uint64_t seed_;
  Faults faults_;
  std::vector<std::uint32_t> sent_;  ///< Messages of each peer.
  std::vector<Time> busy_;           ///< Until when the link of each peer is.
};

}  // namespace dunlin::sim
