// SPDX-License-Identifier: MIT
#include "overlay/gradient.h"

#include <algorithm>

namespace dunlin::overlay {
namespace {

/// Where a candidate stands in somebody's order, and which one it is.
struct Ranked {
  Preference::Place place;
  std::size_t index = 0;

  friend auto operator<=>(const Ranked&, const Ranked&) = default;
};

/// Views are of at most 64 each, and one buffer comes on top.
constexpr std::size_t kCandidatesMax = 64 + 64 + kSampleMax;

}  // namespace

Result<void> validate(const GradientParams& params) {
  if (params.timeout > params.period) {
    return failure(ErrorKind::usage, "gradient.timeout must not exceed gradient.period");
  }
  return {};
}

Endpoint Gradient::wake(GossipTurn& turn, Self& self, const Cyclon& random) {
  if (!started_) {
    started_ = true;
    deadlines_.set(Timer::cycle, turn.now + turn.rng.between(Duration{0}, params_.period));
    return {};
  }
  Endpoint doubted;
  if (deadlines_.take(Timer::timeout, turn.now)) {
    request_ = 0;
    doubted = partner_;
  }
  if (!deadlines_.take(Timer::cycle, turn.now)) return doubted;
  deadlines_.set(Timer::cycle, turn.now + turn.rng.jitter(params_.period, params_.jitter));

  take_in_random(turn, self, random);
  trim(self, turn.now);
  if (view_.empty()) return doubted;
  const auto candidates = std::min<std::size_t>(params_.candidates, view_.size());
  const Descriptor& partner = view_[turn.rng.index(candidates)].peer;
  request_ = turn.rng() | 1;
  partner_ = endpoint(partner);
  deadlines_.set(Timer::timeout, turn.now + params_.timeout);
  turn.out.send(partner_,
      GradientRequest{.request = request_, .buffer = buffer_for(partner, self, random, turn.now)});
  return doubted;
}

void Gradient::receive(GossipTurn& turn,
    Self& self,
    const Cyclon& random,
    const Endpoint& from,
    const GradientRequest& request) {
  const auto sender = std::ranges::find(request.buffer, from.id, &Descriptor::id);
  if (sender == request.buffer.end()) {
    turn.events.on(MessageIgnored{.from = from.id, .reason = IgnoreReason::impostor});
    return;
  }
  turn.out.send(from,
      GradientReply{
          .request = request.request, .buffer = buffer_for(*sender, self, random, turn.now)});
  for (const Descriptor& peer : request.buffer) {
    take_in(turn, self, random, heard(peer, turn.now));
  }
  trim(self, turn.now);
}

void Gradient::receive(GossipTurn& turn,
    Self& self,
    const Cyclon& random,
    const Endpoint& from,
    const GradientReply& reply) {
  if (request_ == 0 || reply.request != request_ || from.id != partner_.id) {
    turn.events.on(MessageIgnored{.from = from.id, .reason = IgnoreReason::stale_reply});
    return;
  }
  request_ = 0;
  deadlines_.clear(Timer::timeout);
  for (const Descriptor& peer : reply.buffer) {
    take_in(turn, self, random, heard(peer, turn.now));
  }
  trim(self, turn.now);
}

void Gradient::take_in(
    GossipTurn& turn, const Self& self, const Cyclon& random, const Neighbour& news) {
  const Descriptor& peer = news.peer;
  if (!peer.id || !peer.address || peer.id == self.id()) return;
  if (too_old(news, turn.now) || random.graveyard().holds(news)) return;
  const auto known = std::ranges::find(
      view_, peer.id, [](const Neighbour& neighbour) { return neighbour.peer.id; });
  if (known == view_.end()) {
    view_.push_back(news);
  } else {
    update(*known, news);
  }
}

void Gradient::take_in_random(GossipTurn& turn, const Self& self, const Cyclon& random) {
  for (const Link& link : random.view().links()) take_in(turn, self, random, link.neighbour);
}

void Gradient::trim(const Self& self, Time now) {
  std::erase_if(view_, [&](const Neighbour& neighbour) { return too_old(neighbour, now); });
  const Preference preference(params_.ranking, params_.utility, self.latest());
  Inline<Ranked, kCandidatesMax> order;
  for (std::size_t i = 0; i < view_.size(); ++i) {
    order.push_back({.place = preference.place(view_[i].peer), .index = i});
  }
  const std::size_t kept = std::min<std::size_t>(params_.view_size, order.size());
  std::partial_sort(order.begin(), order.begin() + kept, order.end());
  std::vector<Neighbour> best;
  best.reserve(kept);
  for (std::size_t i = 0; i < kept; ++i) best.push_back(view_[order[i].index]);
  view_ = std::move(best);
}

Gradient::Buffer Gradient::buffer_for(
    const Descriptor& partner, Self& self, const Cyclon& random, Time now) const {
  Inline<const Neighbour*, kCandidatesMax> candidates;
  const auto add = [&](const Neighbour& neighbour) {
    if (neighbour.peer.id != partner.id && !too_old(neighbour, now)) {
      candidates.push_back(&neighbour);
    }
  };
  for (const Neighbour& neighbour : view_) add(neighbour);
  for (const Link& link : random.view().links()) {
    const bool known = std::ranges::any_of(
        view_, [&](const Neighbour& neighbour) { return neighbour.peer.id == link.id(); });
    if (!known) add(link.neighbour);
  }
  const Preference preference(params_.ranking, params_.utility, partner);
  Inline<Ranked, kCandidatesMax> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    order.push_back({.place = preference.place(candidates[i]->peer), .index = i});
  }
  Buffer buffer{self.descriptor()};
  const std::size_t count = std::min<std::size_t>(params_.buffer_size - 1u, order.size());
  std::partial_sort(order.begin(), order.begin() + count, order.end());
  for (std::size_t i = 0; i < count; ++i) {
    const Neighbour& neighbour = *candidates[order[i].index];
    buffer.push_back(aged(neighbour.peer, neighbour.born, now));
  }
  return buffer;
}

void Gradient::refresh(const Neighbour& news) {
  for (Neighbour& neighbour : view_) {
    if (neighbour.peer.id == news.peer.id) update(neighbour, news);
  }
}

void Gradient::learn(Time now, PeerId peer, const Descriptor& capacity) {
  for (Neighbour& neighbour : view_) {
    if (neighbour.peer.id != peer) continue;
    copy_capacity(capacity, neighbour.peer);
    neighbour.born = now;
  }
}

bool Gradient::remove(PeerId peer) {
  return std::erase_if(
             view_, [&](const Neighbour& neighbour) { return neighbour.peer.id == peer; }) > 0;
}

}  // namespace dunlin::overlay
