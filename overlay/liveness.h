// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/boxed.h"
#include "overlay/gossip.h"
#include "overlay/params/liveness_params.h"
#include "overlay/self.h"
#include "overlay/shared.h"

namespace dunlin::overlay {

/// Finds out which neighbours are dead. It pings them in turn, one each period, and suspected ones
/// at once. A neighbour is down after some pings in a row without an answer; any message from it
/// ends the suspicion.
class Liveness {
 public:
  /// Suspects beyond these wait for a later round.
  static constexpr std::size_t kWatchMax = 4;
  using Dead = InlineVector<PeerId, kWatchMax>;

  explicit Liveness(const Shared<LivenessParams>& params) : params_(params) {}

  /// `next` finds the neighbour to ping after the one it is given, in a cycle, or none. It is
  /// asked only when a ping is due. Returns the neighbours that are down.
  template <typename Next>
  Dead wake(GossipTurn& turn, const Next& next) {
    if (ping_due(turn)) watch(turn, next(cursor_), true);
    return expire(turn);
  }
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const Ping& ping);
  /// True if the pong was awaited: then `pong.self` is news.
  bool receive(GossipTurn& turn, const Endpoint& from, const Pong& pong);
  Time deadline() const;

  /// Pings `peer` at once, if there is room.
  void suspect(GossipTurn& turn, const Endpoint& peer) { watch(turn, peer, false); }
  /// Stops watching `peer`: it sent something, or it left the views.
  void clear_suspicion(PeerId peer);

  /// 0 if all is well here; the waits are 1 + this many timeouts.
  std::uint16_t health() const { return health_; }
  const LivenessParams& params() const { return *params_; }

 private:
  struct Watch {
    Endpoint peer;
    std::uint64_t request = 0;  ///< The same for all pings in a row: a late pong is proof of life.
    Time due{};
    std::uint16_t missed = 0;
  };

  bool ping_due(GossipTurn& turn);
  void watch(GossipTurn& turn, const Endpoint& peer, bool in_turn);
  Dead expire(GossipTurn& turn);
  Duration wait() const { return params_->timeout * (1 + health_); }

  Shared<LivenessParams> params_;
  LazyVector<Watch> watched_;  ///< At most kWatchMax.
  Time next_ping_{};
  PeerId cursor_;  ///< The neighbour pinged last.
  std::uint16_t health_ = 0;
  bool started_ = false;
};

}  // namespace dunlin::overlay
