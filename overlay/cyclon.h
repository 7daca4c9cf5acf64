// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "overlay/bootstrap.h"
#include "overlay/boxed.h"
#include "overlay/deadlines.h"
#include "overlay/gossip.h"
#include "overlay/params.h"
#include "overlay/random_view.h"
#include "overlay/self.h"
#include "overlay/shared.h"
#include "overlay/tombstones.h"

namespace dunlin::overlay {

struct CyclonParams {
  Duration period = std::chrono::seconds(1);
  double jitter = 0.1;
  std::uint16_t view_size = 20;
  std::uint16_t sample_size = 8;
  Duration timeout = std::chrono::milliseconds(500);
  std::uint16_t tries = 3;
  std::uint16_t tombstones_max = 32;
  double tombstone_chance = 0.1;
  std::uint16_t walk_hops = 5;
  std::uint16_t silence_max = 60;
  Duration rejoin_max = std::chrono::minutes(1);
};
template <>
inline constexpr std::string_view kSection<CyclonParams> = "cyclon";
template <>
inline constexpr auto kParams<CyclonParams> = std::tuple{
    Param<&CyclonParams::period>{
        {std::chrono::milliseconds(50), std::chrono::minutes(1), Scale::log},
        "Mean time between the shuffles a peer starts.", "Cyclon section 2"},
    Param<&CyclonParams::jitter>{{0, 0.5},
        "Share of the period by which one may be shorter or longer: peers drift apart.", "ours"},
    Param<&CyclonParams::view_size>{{2, 64, Scale::log},
        "Links a peer keeps (c): 20 up to 10,000 peers, 30 for margin.", "Cyclon section 2"},
    Param<&CyclonParams::sample_size>{
        {1, kSampleMax}, "Links swapped in one shuffle (l).", "Cyclon section 2"},
    Param<&CyclonParams::timeout>{
        {std::chrono::milliseconds(10), std::chrono::seconds(30), Scale::log},
        "Wait for a reply before the partner is given up. At most the period.", "ours"},
    Param<&CyclonParams::tries>{{1, 4},
        "Partners tried in one period: with 3, dead links are gone in half the time.", "ours"},
    Param<&CyclonParams::tombstones_max>{
        {0, 64}, "Failed peers remembered: they join the halves of a partition again.", "ours"},
    Param<&CyclonParams::tombstone_chance>{
        {0, 1}, "Chance, each period, to try one of them.", "ours"},
    Param<&CyclonParams::walk_hops>{
        {1, 10}, "Length of the random walks that introduce a newcomer.", "Cyclon section 2.4"},
    Param<&CyclonParams::silence_max>{{5, 1000, Scale::log},
        "Periods in which nobody shuffled with a peer until it joins anew: 3 view sizes.", "ours"},
    Param<&CyclonParams::rejoin_max>{{std::chrono::seconds(1), std::chrono::hours(1), Scale::log},
        "Longest wait between two attempts to join; there is no last one.", "ours"},
};

/// Fails if parameters that are fine alone contradict each other.
Result<void> validate(const CyclonParams& params);

/// A random view of who is out there, by enhanced shuffling: each peer keeps a few links, and
/// swaps some of them each period with the neighbour whose link is oldest. All links live about
/// as long, so all peers are known to about equally many (the view size, give or take 1.5).
///
/// Source: Voulgaris, Gavidia, van Steen 2005. Ours, and named so in the tests: three tries, the
/// tombstones, joining anew, request ids, statement numbers, and that a partner whose view has room
/// adds itself to its reply (else two peers alone would forget each other).
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

  /// Takes in what there is room for: peers known from an earlier life, or given by a test.
  void seed(const Self& self, std::span<const Neighbour> known);
  /// Takes over a fresher statement of a neighbour. Its link grows no younger.
  void refresh(const Neighbour& news);
  /// What is free at a neighbour, from its own mouth.
  void learn(Time now, PeerId peer, const Descriptor& capacity);
  /// The peer is no neighbour any more, and refused until it says something new.
  void mark_gone(const Endpoint& peer, std::uint32_t incarnation, GoneReason reason, Time now);
  /// The peer itself was heard of. What it had been taken for, if it had been buried.
  std::optional<Tombstones::Tombstone> lift(PeerId peer) { return tombstones_.lift(peer); }

  const RandomView& view() const { return view_; }
  const Tombstones& tombstones() const { return tombstones_; }
  /// When somebody last shuffled with this peer.
  Time last_incoming() const { return last_incoming_; }
  const CyclonParams& params() const { return *params_; }

 private:
  enum class Timer : std::uint8_t { cycle, timeout, join, count_ };

  /// A shuffle whose reply is awaited. Its partner is out of the view.
  struct Pending {
    std::uint64_t request = 0;
    Endpoint partner;
    std::uint32_t incarnation = 0;
    Time timeout{};
    std::uint16_t attempt = 0;  ///< 0 for one with the dead, 1 for the first of a cycle.
    InlineVector<PeerId, kSampleMax> sent;  ///< Links the reply may replace.
  };
  /// Each ends at its timeout, which is at most a period; so there are never more at work than
  /// tries, but after a change of clocks.
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
  bool may_join() const { return static_cast<bool>(bootstrap_); }
  void end_walk(GossipTurn& turn, Self& self, const Neighbour& joiner);
  /// Steps 6 and 7: entries that are new go into empty slots first, then into those of `sent`.
  void merge(GossipTurn& turn,
      const Self& self,
      PeerId from,
      std::span<const Descriptor> sample,
      std::span<const PeerId> sent);
  /// The link at a place in the view becomes `news` of the same peer, if that is fresher.
  void take_over(std::size_t place, const Link& news);
  bool welcome(GossipTurn& turn, const Self& self, PeerId from, const Neighbour& news);
  void set_timeout();
  static void ignore(GossipTurn& turn, PeerId from, IgnoreReason reason);

  Shared<CyclonParams> params_;
  RandomView view_;
  Tombstones tombstones_;
  Boxed<Bootstrap> bootstrap_;  ///< If there are contacts.
  LazyVector<Pending> pending_;
  Deadlines<Timer> deadlines_;
  Time last_incoming_{};
  std::uint32_t known_ = 0;  ///< Neighbours when it last tried to join.
  bool started_ = false;
  bool joined_ = false;
};

}  // namespace dunlin::overlay
