// SPDX-License-Identifier: MIT
#include "overlay/cyclon.h"

#include <algorithm>
#include <utility>

namespace dunlin::overlay {

Result<void> validate(const CyclonParams& params) {
  if (params.timeout > params.period) {
    return failure(ErrorKind::usage, "cyclon.timeout must not exceed cyclon.period");
  }
  if (params.sample_size > params.view_size) {
    return failure(ErrorKind::usage, "cyclon.sample_size must not exceed cyclon.view_size");
  }
  return {};
}

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
    // A random phase: peers that are started together are not to act together.
    started_ = true;
    last_incoming_ = turn.now;
    deadlines_.set(Timer::cycle, turn.now + turn.rng.between(Duration{0}, params_->period));
    if (may_join()) {
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
  // Of those that failed one is tried now and then; if there is nobody else, always.
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
  // Made where it is sent from, and never zeroed: a message is large.
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
  // Taken out first: a new attempt joins the list.
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
    // An attempt with the dead is not counted: nobody expected an answer.
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
  // A view with room is one that lost links, or a small cluster's: a new link to us is welcome.
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
      take_over(known, link);
    } else if (!view_.full()) {
      view_.add(link);
    } else {
      // Some of those sent may have left the view since.
      std::size_t place = view_.size();
      while (!sent.empty() && place == view_.size()) {
        place = view_.place_of(sent.back());
        sent = sent.first(sent.size() - 1);
      }
      if (place < view_.size()) view_.put(place, link);
    }
  }
}

void Cyclon::take_over(std::size_t place, const Link& news) {
  Link known = view_.at(place);
  if (!update(known.neighbour, news.neighbour)) return;
  // The link is the statement's: a newer one brings its own age along.
  known.linked = news.linked;
  view_.put(place, known);
}

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

void Cyclon::ignore(GossipTurn& turn, PeerId from, IgnoreReason reason) {
  turn.events.on(MessageIgnored{.from = from, .reason = reason});
}

}  // namespace dunlin::overlay
