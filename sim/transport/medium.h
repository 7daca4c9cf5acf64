// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overlay/prefetch.h"
#include "sim/scenario/faults.h"
#include "sim/transport/latency.h"

namespace dunlin::sim {

/// The fate of a message.
struct Passage {
  Duration delay{0};
  bool lost = false;
};

/// The network between the peers, for transports that have none of their own: delays, loss, links
/// of limited bandwidth, partitions. Transports that are given the same messages get the same
/// answers, so equal seeds give equal traces.
///
/// Messages wait for each other on two links: the sender's when they leave, and the receiver's when
/// they arrive, first come, first served. Between those nothing waits.
class Medium {
 public:
  Medium(const NetworkParams& params, Delay delay, std::uint64_t seed, const Faults& faults)
      : loss_(params.loss),
        bandwidth_(params.bandwidth),
        spine_bandwidth_(params.spine_bandwidth),
        backlog_(params.backlog),
        racks_{params.rack_size},
        hops_(params.latency_spread == Spread::racks),
        delay_(std::move(delay)),
        seed_(seed),
        faults_(faults) {}

  /// True if passage depends on the size of messages. If not, any size will do.
  bool weighs() const { return bandwidth_ > 0 || (hops_ && spine_bandwidth_ > 0); }
  /// `from` sends `bytes` to `to` now. A message to itself is never lost. The delay ends when the
  /// last bit arrives, if nothing else does then.
  Passage pass(Time now, std::uint32_t from, std::uint32_t to, std::size_t bytes);
  /// A hint that `from` will soon send.
  void soon(std::uint32_t from) const {
    if (from < sent_.size()) overlay::prefetch(&sent_[from], sizeof sent_[from]);
  }
  /// True if an arriving message must land().
  bool lands() const { return bandwidth_ > 0; }
  /// `bytes` arrive at `to` now, from another peer. Returns how much longer the link takes, because
  /// others arrive as well. Calls come in the order of time.
  Passage land(Time now, std::uint32_t to, std::size_t bytes);

 private:
  /// The time of sending on a link of so many Mbit/s; 0 for no limit.
  Duration on_link(std::size_t bytes, double bandwidth) const;

  double loss_;
  double bandwidth_;
  double spine_bandwidth_;
  Duration backlog_;
  Racks racks_;
  bool hops_;  ///< True if routers pass on a message when they have all of it.
  Delay delay_;
  std::uint64_t seed_;
  Faults faults_;
  std::vector<std::uint32_t> sent_;  ///< Messages of each peer.
  std::vector<Time> busy_;           ///< The end of what is on the link of each peer, outwards ...
  std::vector<Time> landing_;        ///< ... and inwards.
};

}  // namespace dunlin::sim
