// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "overlay/cyclon.h"
#include "overlay/gossip.h"
#include "overlay/gradient.h"
#include "overlay/liveness.h"
#include "overlay/neighbour.h"
#include "overlay/self.h"
#include "overlay/shared.h"

namespace dunlin::overlay {

/// The cluster as one peer sees it: a random view, a view of the best, and which neighbours of both
/// are dead. A value: a copy is a second peer in the same state. About 3 KB with views of 20 and
/// 20.
///
/// Contract: after every call the driver reads deadline() again, and calls wake() then.
class Overlay {
 public:
  /// `incarnation` must grow from one start of this peer to the next. `contacts` are where to join;
  /// their ids may be 0, and this peer may be one of them. Nothing happens before the first wake().
  Overlay(Shared<CyclonParams> cyclon,
      Shared<GradientParams> gradient,
      Shared<LivenessParams> liveness,
      const Endpoint& self,
      std::uint32_t incarnation,
      std::span<const Endpoint> contacts);

  void wake(GossipTurn& turn);
  void receive(GossipTurn& turn, const Endpoint& from, const Message& message);
  /// At once, until the first wake(); never, after leave().
  Time deadline() const;
  /// Says good-bye to all neighbours. Messages that arrive later are ignored.
  void leave(GossipTurn& turn);

  /// Sets what the next statements about this peer say.
  void publish(const Capacity& capacity) { self_.publish(capacity); }

  /// Peers to start from besides the contacts, such as the neighbours of an earlier incarnation.
  void seed(std::span<const Neighbour> known) { cyclon_.seed(self_, known); }
  /// Joins by these contacts from now on, at once if it has not joined yet; see Cyclon.
  void set_contacts(Time now, std::span<const Endpoint> contacts) {
    cyclon_.set_contacts(now, endpoint(self_.latest()), contacts);
  }
  /// This peer is a later incarnation from now on. Requires that it is later.
  void raise(std::uint32_t incarnation) { self_.raise(incarnation); }
  /// Takes over the free capacity that a peer told in a scheduling reply just now. Does nothing if
  /// the peer is no neighbour. Of `told` only that counts, not what the peer has in all.
  void learn(Time now, PeerId peer, const Capacity& told);
  /// The peer was seen dead: it leaves the views, and is refused until it says something new.
  void forget(Time now, PeerId peer) { mark_down(now, peer); }

  /// Every distinct neighbour of both views, its freshest statement each, in order of id. Clears
  /// `out` first.
  void neighbours(std::vector<Neighbour>& out) const;

  /// A hint that the next call is near; changes nothing.
  void prefetch() const {
    cyclon_.view().prefetch();
    gradient_.prefetch();
  }

  /// The last statement about this peer.
  const Descriptor& self() const { return self_.latest(); }
  const Cyclon& cyclon() const { return cyclon_; }
  const Gradient& gradient() const { return gradient_; }
  const Liveness& liveness() const { return liveness_; }

 private:
  void dispatch(GossipTurn& turn, const Endpoint& from, const Message& message);
  /// Takes in a farewell: marks the sender as gone, unless it is from an earlier incarnation of the
  /// sender.
  void part_with(GossipTurn& turn, const Endpoint& from, const Leave& farewell);
  /// Removes a peer from all three protocols, with a tombstone.
  void mark_gone(Time now, const Endpoint& peer, std::uint32_t incarnation, GoneReason reason);
  /// Marks a neighbour as down. False if it was no neighbour.
  bool mark_down(Time now, PeerId peer);
  /// The freshest statement about a neighbour, if it is one.
  std::optional<Descriptor> find(PeerId peer) const;
  /// The neighbour with the least id above `peer`'s, or the least of all. Empty if there is none.
  Endpoint next_after(PeerId peer) const;

  Self self_;
  Cyclon cyclon_;
  Gradient gradient_;
  // What follows may stand in its last bytes: a simulation has a million of these.
  [[no_unique_address]] Liveness liveness_;
  bool left_ = false;
};

}  // namespace dunlin::overlay
