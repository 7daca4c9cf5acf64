// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "overlay/bootstrap.h"
#include "overlay/boxed.h"
#include "overlay/deadlines.h"
#include "overlay/gossip.h"
#include "overlay/params/cyclon_params.h"
#include "overlay/random_view.h"
#include "overlay/self.h"
#include "overlay/shared.h"
#include "overlay/tombstones.h"

namespace dunlin::overlay {

/// A random view of the cluster, by enhanced shuffling: each peer keeps a few links, and swaps some
/// of them each period with the neighbour at the end of the oldest link. All links live about as
/// long, so about equally many peers know each peer (the view size, give or take 1.5).
///
/// Source: Voulgaris, Gavidia, van Steen 2005. Ours, and named so in the tests: three tries, the
/// tombstones, joining anew, request ids, statement numbers, and that a partner with room in its
/// view adds itself to its reply (without that two peers alone would forget each other).
class Cyclon {
 public:
  Cyclon(Shared<CyclonParams> params, const Endpoint& self, std::span<const Endpoint> contacts);

  void wake(GossipTurn& turn, Self& self);
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const ShuffleRequest& request);
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const ShuffleReply& reply);
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const Join& join);
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const Welcome& welcome);
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const JoinWalk& walk);
  void receive(GossipTurn& turn, Self& self, const Endpoint& from, const JoinOffer& offer);
  Time deadline() const { return deadlines_.earliest(); }

  /// Joins by these contacts from now on, at once if it has not joined yet. Keeps the old ones if
  /// there is none but `self` among them.
  void set_contacts(Time now, const Endpoint& self, std::span<const Endpoint> contacts);
  /// Takes peers in while there is room: peers known from an earlier incarnation, or given by a
  /// test.
  void seed(const Self& self, std::span<const Neighbour> known);
  /// Takes over a fresher statement of a neighbour. Its link grows no younger.
  void refresh(const Neighbour& news);
  /// Takes over the free capacity that a neighbour just told of itself.
  void learn(Time now, PeerId peer, const Descriptor& capacity);
  /// Removes the peer from the view, and refuses it until it says something new.
  void mark_gone(const Endpoint& peer, std::uint32_t incarnation, GoneReason reason, Time now);
  /// Lifts the tombstone of a peer that was heard of again. Returns it, if there was one.
  std::optional<Tombstones::Tombstone> lift(PeerId peer) { return tombstones_.lift(peer); }

  /// True while it has contacts and no neighbour: there may be a cluster that it does not know.
  bool seeks() const { return bootstrap_ && view_.empty(); }
  const RandomView& view() const { return view_; }
  const Tombstones& tombstones() const { return tombstones_; }
  /// The time of the last shuffle that another peer started with this one.
  Time last_incoming() const { return last_incoming_; }
  const CyclonParams& params() const { return *params_; }

 private:
  enum class Timer : std::uint8_t { cycle, timeout, join, count_ };

  /// A shuffle that awaits its reply. Its partner is out of the view.
  struct Pending {
    std::uint64_t request = 0;
    Endpoint partner;
    std::uint32_t incarnation = 0;
    Time timeout{};
    std::uint16_t attempt = 0;  ///< 0 for one with the dead, 1 for the first of a cycle.
    InlineVector<PeerId, kSampleMax> sent;  ///< Links the reply may replace.
  };
  /// Each shuffle ends at its timeout, which is at most a period. So there are never more at work
  /// than `tries`, unless the clock jumps.
  static constexpr std::size_t kPendingMax = 4;

  void start_cycle(GossipTurn& turn, Self& self);
  void shuffle_with_oldest(GossipTurn& turn, Self& self, std::uint16_t attempt);
  void shuffle(GossipTurn& turn,
      Self& self,
      const Endpoint& partner,
      std::uint32_t incarnation,
      std::uint16_t attempt);
  void expire(GossipTurn& turn, Self& self);
  void join(GossipTurn& turn, Self& self);
  bool needy(Time now) const;
  void end_walk(GossipTurn& turn, Self& self, const Neighbour& joiner);
  /// Steps 6 and 7: new entries go into empty slots first, then into the slots of `sent`.
  void merge(GossipTurn& turn,
      const Self& self,
      PeerId from,
      std::span<const Descriptor> sample,
      std::span<const PeerId> sent);
  /// False for a statement about this peer itself, without an address, or older than a tombstone.
  bool welcome(GossipTurn& turn, const Self& self, PeerId from, const Neighbour& news);
  void set_timeout();

  Shared<CyclonParams> params_;
  RandomView view_;
  Tombstones tombstones_;
  Boxed<Bootstrap> bootstrap_;  ///< Empty without contacts.
  LazyVector<Pending> pending_;
  Deadlines<Timer> deadlines_;
  Time last_incoming_{};
  std::uint32_t known_ = 0;  ///< Neighbours when it last tried to join.
  bool started_ = false;
  bool joined_ = false;
};

}  // namespace dunlin::overlay
