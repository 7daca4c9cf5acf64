// SPDX-License-Identifier: MIT
// Joining a cluster, and joining it again: the part of Cyclon that seldom works.
//
// A newcomer asks a contact, which answers with neighbours to start from and sends random walks on
// their way, one over each neighbour. A walk ends at a peer far from the contact; that peer takes
// the newcomer in and gives the newcomer the link that made room. So the newcomer is known to about
// as many peers as others, and no other peer loses a link: in-degrees stay even.
// A peer joins anew when its view has shrunk to a quarter, or when no peer has shuffled with it for
// long: then the others have forgotten it, and it would not notice by itself.
// Source: Voulgaris, Gavidia, van Steen 2005, section 2.4.
#include <algorithm>
#include <utility>

#include "overlay/cyclon.h"

namespace dunlin::overlay {
namespace {

/// A random neighbour that is neither of two peers, or an empty one.
Endpoint draw_other(const RandomView& view, Rng& rng, PeerId one, PeerId other) {
  const auto eligible = [&](const Link& link) { return link.id() != one && link.id() != other; };
  const auto count = std::ranges::count_if(view.links(), eligible);
  if (count == 0) return {};
  auto skip = rng.index(static_cast<std::size_t>(count));
  for (const Link& link : view.links()) {
    if (eligible(link) && skip-- == 0) return endpoint(link.neighbour.peer);
  }
  return {};
}

}  // namespace

bool Cyclon::needy(Time now) const {
  return bootstrap_ &&
      (view_.size() < params_->view_size / 4u ||
          now - last_incoming_ > params_->silence_max * params_->period);
}

void Cyclon::set_contacts(Time now, const Endpoint& self, std::span<const Endpoint> contacts) {
  Bootstrap fresh(self, contacts);
  if (!fresh.possible()) return;
  if (bootstrap_) {
    bootstrap_->replace(std::move(fresh));
  } else {
    bootstrap_.emplace(std::move(fresh));
  }
  // The first wake-up draws a phase of its own.
  if (started_ && (!joined_ || needy(now))) deadlines_.set(Timer::join, now);
}

void Cyclon::join(GossipTurn& turn, Self& self) {
  if (joined_ && !needy(turn.now)) return;
  known_ = static_cast<std::uint32_t>(view_.size());
  const Duration wait = bootstrap_->ask(turn, self, params_->timeout, params_->rejoin_max);
  deadlines_.set(Timer::join, turn.now + turn.rng.jitter(wait, params_->jitter));
}

void Cyclon::receive(GossipTurn& turn, Self& self, const Endpoint& from, const Join& join) {
  if (join.joiner.id != from.id) return ignore(turn, from.id, IgnoreReason::impostor);
  const Neighbour joiner = heard(join.joiner, turn.now);
  if (!welcome(turn, self, from.id, joiner)) {
    return ignore(turn, from.id, IgnoreReason::stale_incarnation);
  }
  Welcome answer{.request = join.request, .sample = {self.descriptor()}};
  for (const Link& link : view_.draw(turn.rng, kSampleMax - 1)) {
    if (link.id() != from.id) {
      answer.sample.push_back(aged(link.neighbour.peer, link.linked, turn.now));
    }
  }
  turn.out.send(from, answer);

  const Descriptor walker = aged(join.joiner, joiner.born, turn.now);
  const auto hops = static_cast<std::uint8_t>(params_->walk_hops);
  for (const Link& link : view_.links()) {
    if (link.id() == from.id) continue;
    turn.out.send(endpoint(link.neighbour.peer), JoinWalk{.joiner = walker, .hops = hops});
  }
  if (!view_.contains(from.id)) {
    turn.events.on(NeighbourUp{.peer = from.id, .incarnation = join.joiner.incarnation});
  }
  merge(turn, self, from.id, std::span(&join.joiner, 1), {});
}

void Cyclon::receive(GossipTurn& turn, Self& self, const Endpoint& from, const Welcome& answer) {
  if (!bootstrap_ || !bootstrap_->accept(from, answer)) {
    return ignore(turn, from.id, IgnoreReason::stale_reply);
  }
  merge(turn, self, from.id, answer.sample, {});
  if (!joined_) turn.events.on(Joined{.contact = from.id});
  joined_ = true;
  // The contact introduces this peer again, and their shuffles need time to arrive.
  last_incoming_ = turn.now;
  known_ = static_cast<std::uint32_t>(view_.size());
  if (!needy(turn.now)) {
    deadlines_.clear(Timer::join);
    bootstrap_->hurry();
  }
}

void Cyclon::receive(GossipTurn& turn, Self& self, const Endpoint& from, const JoinWalk& walk) {
  const Neighbour joiner = heard(walk.joiner, turn.now);
  if (!welcome(turn, self, from.id, joiner)) return;
  Endpoint next;
  if (walk.hops > 0) next = draw_other(view_, turn.rng, walk.joiner.id, from.id);
  if (!next.id) return end_walk(turn, self, joiner);
  // A stranger may claim 255 hops. No walk goes further than this peer's own setting.
  const auto hops = std::min<std::uint16_t>(walk.hops, params_->walk_hops);
  turn.out.send(next,
      JoinWalk{.joiner = aged(walk.joiner, joiner.born, turn.now),
          .hops = static_cast<std::uint8_t>(hops - 1)});
}

void Cyclon::end_walk(GossipTurn& turn, Self& self, const Neighbour& joiner) {
  const Link link{.neighbour = joiner, .linked = joiner.born};
  if (const std::size_t known = view_.place_of(joiner.peer.id); known < view_.size()) {
    return view_.refresh(known, link);
  }
  const Endpoint to = endpoint(joiner.peer);
  if (!view_.full()) {
    view_.add(link);
    turn.out.send(to, JoinOffer{.evicted = self.descriptor()});
    return;
  }
  // The joiner gets the link that made room for it, so no peer is known to fewer peers than before.
  const std::size_t place = turn.rng.index(view_.size());
  const Link evicted = view_.at(place);
  view_.put(place, link);
  turn.out.send(to, JoinOffer{.evicted = aged(evicted.neighbour.peer, evicted.linked, turn.now)});
}

void Cyclon::receive(GossipTurn& turn, Self& self, const Endpoint& from, const JoinOffer& offer) {
  if (view_.full()) return ignore(turn, from.id, IgnoreReason::unasked);
  merge(turn, self, from.id, std::span(&offer.evicted, 1), {});
}

}  // namespace dunlin::overlay
