// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ranges>

#include "overlay/boxed.h"
#include "overlay/cyclon.h"
#include "overlay/deadlines.h"
#include "overlay/gossip.h"
#include "overlay/packed_links.h"
#include "overlay/params/gradient_params.h"
#include "overlay/ranking.h"
#include "overlay/self.h"
#include "overlay/shared.h"

namespace dunlin::overlay {

/// A view of the peers that rank best, by gossip: each period a peer swaps with one of its best
/// those descriptors that rank best *for the other*, and both keep the best *for themselves*.
///
/// It keeps the best, not the newest; statements beyond the age limit are dropped, and their age
/// only ever grows: utilities change, and a stale promise of free capacity draws a herd.
/// Source: Jelasity, Montresor, Babaoglu 2009 (T-Man); ID2210 section 3.2.
class Gradient {
 public:
  explicit Gradient(const Shared<GradientParams>& params)
      : params_(params),
        view_(params_->view_size) {
    deadlines_.set(Timer::cycle, Time{});
  }

  /// `random` serves as the supply of random peers. Returns the partner that did not answer, so
  /// that the caller suspects it; an empty endpoint if there is none.
  Endpoint wake(GossipTurn& turn, Self& self, const Cyclon& random);
  void receive(GossipTurn& turn,
      Self& self,
      const Cyclon& random,
      const Endpoint& from,
      const GradientRequest& request);
  void receive(GossipTurn& turn,
      Self& self,
      const Cyclon& random,
      const Endpoint& from,
      const GradientReply& reply);
  Time deadline() const { return deadlines_.earliest(); }

  void refresh(const Neighbour& news);
  /// Takes over the free capacity that a neighbour just told of itself.
  void learn(Time now, PeerId peer, const Descriptor& capacity);
  /// False if it was no neighbour.
  bool remove(PeerId peer);

  /// A hint that the view will soon be read; changes nothing.
  void prefetch() const { view_.prefetch(); }
  /// A range of Neighbour, by value: the most wanted first, as of the last exchange. Some may have
  /// grown too old since. Borrows this object until the next change.
  auto view() const {
    return std::views::iota(0u, static_cast<unsigned>(view_.size())) |
        std::views::transform([this](unsigned i) { return view_.at(i).neighbour; });
  }
  /// True if the peer is in the view.
  bool knows(PeerId peer) const;
  const GradientParams& params() const { return *params_; }

 private:
  enum class Timer : std::uint8_t { cycle, timeout, count_ };
  using Buffer = InlineVector<Descriptor, kSampleMax>;

  /// Puts news of neighbours into the view. Then the view becomes the best of itself and of the
  /// strangers in `news`, without those that are too old. `news` is a list; see the .cc.
  template <typename News>
  void take_in(const Self& self, const Cyclon& random, const News& news, Time now);
  /// Fills `buffer` with this peer itself, then with the descriptors that rank best for `partner`.
  void fill(
      Buffer& buffer, const Descriptor& partner, Self& self, const Cyclon& random, Time now) const;
  /// The index of a peer in the view; the view's size if it is not there.
  std::size_t place_of(PeerId peer) const;
  /// Replaces a neighbour's statement by `news`, if that is newer.
  void improve(std::size_t place, const Neighbour& news);
  /// Statements born before this are too old.
  Time oldest(Time now) const { return now - params_->age_limit * params_->period; }

  /// An exchange that awaits its reply.
  struct Pending {
    std::uint64_t request = 0;
    Endpoint partner;
  };

  Shared<GradientParams> params_;
  PackedLinks view_;
  Deadlines<Timer> deadlines_;
  Boxed<Pending> pending_;
  bool started_ = false;
};

}  // namespace dunlin::overlay
