// SPDX-License-Identifier: MIT
#include "overlay/cyclon.h"

#include <algorithm>
#include <utility>

// Cyclon keeps a random sample of the cluster at every peer. Each period a peer picks the neighbour
// with the oldest link, removes it, and sends it a few of its links and a fresh one to itself; the
// partner answers with links of its own, and both keep what they got in the slots of what they
// gave.
// The oldest first, because a dead peer makes no fresh links: its links grow old everywhere, are
// tried, and are gone, and a live partner returns as a new link. Links are swapped, not copied, so
// no peer becomes known to many more peers than others.
// Beyond the paper: a partner that does not answer is followed by the next one in the same period
// (`tries`), and becomes a tombstone that is tried again now and then.
// Source: Voulgaris, Gavidia, van Steen 2005, section 2.3 (steps 1 to 7 of enhanced shuffling).
namespace dunlin::overlay {

Cyclon::Cyclon(
    Shared<CyclonParams> params, const Endpoint& self, std::span<const Endpoint> contacts)
    : params_(params),
      view_(params->view_size),
      tombstones_(params->tombstones_max) {
  Bootstrap bootstrap(self, contacts);
  if (bootstrap.possible()) bootstrap_.emplace(std::move(bootstrap));
  deadlines_.set(Timer::cycle, Time{});
}

void Cyclon::wake(GossipTurn& turn, Self& self) {
  if (!started_) {
    // Peers that are started together would act together for ever, so each draws a phase.
    started_ = true;
    last_incoming_ = turn.now;
    deadlines_.set(Timer::cycle, turn.now + turn.rng.between(Duration{0}, params_->period));
    if (bootstrap_) {
      deadlines_.set(Timer::join, turn.now + turn.rng.between(Duration{0}, params_->period / 5));
    }
    return;
  }
  if (deadlines_.take(Timer::timeout, turn.now)) expire(turn, self);
  if (deadlines_.take(Timer::join, turn.now)) join(turn, self);
  if (deadlines_.take(Timer::cycle, turn.now)) start_cycle(turn, self);
}

void Cyclon::start_cycle(GossipTurn& turn, Self& self) {
  deadlines_.set(Timer::cycle, turn.now + turn.rng.jitter(params_->period, params_->jitter));
  if (needy(turn.now)) {
    if (view_.size() < known_ || deadlines_.at(Timer::join) == kNever) {
      turn.events.on(Rejoining{.known = static_cast<std::uint32_t>(view_.size())});
      bootstrap_->hurry();
      join(turn, self);
    }
  }
  // A failed peer is tried now and then, which joins the halves of a partition again. A peer
  // without neighbours has nothing else to try.
  if (view_.empty() || turn.rng.chance(params_->tombstone_chance)) {
    if (const auto dead = tombstones_.draw(turn.rng)) return shuffle(turn, self, *dead, 0, 0);
  }
  shuffle_with_oldest(turn, self, 1);
}

void Cyclon::shuffle_with_oldest(GossipTurn& turn, Self& self, std::uint16_t attempt) {
  if (view_.empty()) return;
  // Steps 2 and 3. The partner's slot is free now: if it never answers, it is forgotten already.
  const Link oldest = view_.take_oldest();
  shuffle(turn, self, endpoint(oldest.neighbour.peer), oldest.neighbour.peer.incarnation, attempt);
}

void Cyclon::shuffle(GossipTurn& turn,
    Self& self,
    const Endpoint& partner,
    std::uint32_t incarnation,
    std::uint16_t attempt) {
  if (pending_.size() == kPendingMax) pending_.erase(0);
  Pending& pending = pending_.push_back({.request = turn.rng() | 1,
      .partner = partner,
      .incarnation = incarnation,
      .timeout = turn.now + params_->timeout,
      .attempt = attempt,
      .sent = {}});
  // The message is made in place and never zeroed, because it is large.
  Message message{std::in_place_type<ShuffleRequest>, pending.request};
  auto& request = std::get<ShuffleRequest>(message);
  request.sample.push_back(self.descriptor());
  for (const Link& link : view_.draw(turn.rng, params_->sample_size - 1u)) {
    request.sample.push_back(aged(link.neighbour.peer, link.linked, turn.now));
    pending.sent.push_back(link.id());
  }
  set_timeout();
  turn.out.send(partner, message);
}

void Cyclon::expire(GossipTurn& turn, Self& self) {
  // Expired shuffles are taken out first, because a new attempt joins the list.
  InlineVector<Pending, kPendingMax> expired;
  pending_.erase_if([&](const Pending& pending) {
    if (pending.timeout > turn.now) return false;
    expired.push_back(pending);
    return true;
  });
  for (const Pending& pending : expired) {
    tombstones_.add(pending.partner, pending.incarnation, GoneReason::unanswered, turn.now);
    if (pending.attempt > 0) {
      turn.events.on(ShuffleTimedOut{.partner = pending.partner.id, .attempt = pending.attempt});
    }
    // An attempt with a failed peer is not counted: no answer was expected.
    if (pending.attempt < params_->tries) {
      shuffle_with_oldest(turn, self, static_cast<std::uint16_t>(pending.attempt + 1));
    }
  }
  set_timeout();
}

void Cyclon::receive(
    GossipTurn& turn, Self& self, const Endpoint& from, const ShuffleRequest& request) {
  last_incoming_ = turn.now;
  Message message{std::in_place_type<ShuffleReply>, request.request};
  auto& reply = std::get<ShuffleReply>(message);
  // A view with room lost links, or belongs to a small cluster: a new link to this peer helps.
  if (!view_.full()) reply.sample.push_back(self.descriptor());
  InlineVector<PeerId, kSampleMax> sent;
  for (const Link& link : view_.draw(turn.rng, params_->sample_size - reply.sample.size())) {
    reply.sample.push_back(aged(link.neighbour.peer, link.linked, turn.now));
    sent.push_back(link.id());
  }
  turn.out.send(from, message);
  merge(turn, self, from.id, request.sample, sent);
}

void Cyclon::receive(
    GossipTurn& turn, Self& self, const Endpoint& from, const ShuffleReply& reply) {
  const auto pending = std::ranges::find(pending_, reply.request, &Pending::request);
  if (pending == pending_.end() || pending->partner.id != from.id) {
    return ignore(turn, from.id, IgnoreReason::stale_reply);
  }
  const auto sent = pending->sent;
  pending_.erase(static_cast<std::size_t>(pending - pending_.begin()));
  set_timeout();
  merge(turn, self, from.id, reply.sample, sent);
}

void Cyclon::merge(GossipTurn& turn,
    const Self& self,
    PeerId from,
    std::span<const Descriptor> sample,
    std::span<const PeerId> sent) {
  for (const Descriptor& statement : sample) {
    const Neighbour news = heard(statement, turn.now);
    if (!welcome(turn, self, from, news)) continue;
    const Link link{.neighbour = news, .linked = news.born};
    if (const std::size_t known = view_.place_of(statement.id); known < view_.size()) {
      view_.refresh(known, link);
    } else if (!view_.full()) {
      view_.add(link);
    } else {
      // A slot of a link sent may be gone: the link may have left the view since.
      std::size_t place = view_.size();
      while (!sent.empty() && place == view_.size()) {
        place = view_.place_of(sent.back());
        sent = sent.first(sent.size() - 1);
      }
      if (place < view_.size()) view_.put(place, link);
    }
  }
}

// A statement about this peer itself is an echo, unless it is fresher than what the peer last said:
// then another node uses its name.
bool Cyclon::welcome(GossipTurn& turn, const Self& self, PeerId from, const Neighbour& news) {
  const Descriptor& peer = news.peer;
  if (peer.id == self.id()) {
    if (fresher(peer, self.latest())) ignore(turn, from, IgnoreReason::own_name);
    return false;
  }
  return peer.id && peer.address && !tombstones_.refuses(news);
}

void Cyclon::seed(const Self& self, std::span<const Neighbour> known) {
  for (const Neighbour& neighbour : known) {
    const PeerId peer = neighbour.peer.id;
    if (!peer || peer == self.id() || view_.full() || view_.contains(peer)) continue;
    view_.add({.neighbour = neighbour, .linked = neighbour.born});
  }
}

void Cyclon::refresh(const Neighbour& news) {
  auto known = view_.find(news.peer.id);
  if (known && update(known->neighbour, news)) view_.update(*known);
}

void Cyclon::learn(Time now, PeerId peer, const Descriptor& capacity) {
  if (auto known = view_.find(peer)) {
    copy_capacity(capacity, known->neighbour.peer);
    known->neighbour.born = now;
    view_.update(*known);
  }
}

void Cyclon::mark_gone(
    const Endpoint& peer, std::uint32_t incarnation, GoneReason reason, Time now) {
  view_.remove(peer.id);
  tombstones_.add(peer, incarnation, reason, now);
}

void Cyclon::set_timeout() {
  const auto first = std::ranges::min_element(pending_, {}, &Pending::timeout);
  deadlines_.set(Timer::timeout, first == pending_.end() ? kNever : first->timeout);
}

}  // namespace dunlin::overlay
