// SPDX-License-Identifier: MIT
#include "overlay/overlay.h"

#include <algorithm>
#include <utility>

// The overlay runs three protocols side by side on one set of neighbours. Cyclon knows a random
// sample, the gradient the best, and liveness asks both which neighbours to ping. They meet here
// only: a neighbour that is dead leaves both views at once, and a message of any kind is a sign of
// life.
// A message is offered to the protocol that has a receive() for its type; the compiler finds it, so
// a new message needs no switch.
namespace dunlin::overlay {
namespace {

/// Calls `visit` for each neighbour of both views; those in both come twice.
void for_each_neighbour(const Cyclon& cyclon, const Gradient& gradient, auto&& visit) {
  for (const Link& link : cyclon.view().links()) visit(link.neighbour);
  for (const Neighbour& neighbour : gradient.view()) visit(neighbour);
}

}  // namespace

Overlay::Overlay(Shared<CyclonParams> cyclon,
    Shared<GradientParams> gradient,
    Shared<LivenessParams> liveness,
    const Endpoint& self,
    std::uint32_t incarnation,
    std::span<const Endpoint> contacts)
    : self_(self, incarnation),
      cyclon_(cyclon, self, contacts),
      gradient_(gradient),
      liveness_(liveness) {}

Time Overlay::deadline() const {
  if (left_) return kNever;
  return std::min({cyclon_.deadline(), gradient_.deadline(), liveness_.deadline()});
}

void Overlay::wake(GossipTurn& turn) {
  if (left_) return;
  cyclon_.wake(turn, self_);
  const Endpoint silent = gradient_.wake(turn, self_, cyclon_);
  // A silent partner is only suspected: liveness pings it before it counts as dead.
  if (silent.id && find(silent.id)) liveness_.suspect(turn, silent);
  const auto next = [this](PeerId peer) { return next_after(peer); };
  for (const PeerId dead : liveness_.wake(turn, next)) {
    if (mark_down(turn.now, dead)) {
      turn.events.on(NeighbourDown{.peer = dead, .graceful = false});
    }
  }
}

void Overlay::receive(GossipTurn& turn, const Endpoint& from, const Message& message) {
  if (left_) return;
  if (!from.id || from.id == self_.id()) {
    const auto reason = from.id ? IgnoreReason::own_name : IgnoreReason::impostor;
    ignore(turn, from.id, reason);
    return;
  }
  dispatch(turn, from, message);
}

void Overlay::dispatch(GossipTurn& turn, const Endpoint& from, const Message& message) {
  // A farewell comes first, because it must not count as a sign of life.
  if (const auto* const farewell = std::get_if<Leave>(&message)) {
    return part_with(turn, from, *farewell);
  }
  if (const auto tombstone = cyclon_.lift(from.id);
      tombstone && tombstone->reason == GoneReason::down) {
    turn.events.on(NeighbourUp{.peer = from.id, .incarnation = tombstone->incarnation});
  }
  if (const auto* const pong = std::get_if<Pong>(&message)) {
    if (!liveness_.receive(turn, from, *pong)) return;
    const Neighbour news = heard(pong->self, turn.now);
    cyclon_.refresh(news);
    gradient_.refresh(news);
    return;
  }
  liveness_.clear_suspicion(from.id);
  std::visit(
      [&](const auto& content) {
        if constexpr (requires { gradient_.receive(turn, self_, cyclon_, from, content); }) {
          gradient_.receive(turn, self_, cyclon_, from, content);
        } else if constexpr (requires { cyclon_.receive(turn, self_, from, content); }) {
          cyclon_.receive(turn, self_, from, content);
        } else if constexpr (requires { liveness_.receive(turn, self_, from, content); }) {
          liveness_.receive(turn, self_, from, content);
        }
      },
      message);
}

void Overlay::leave(GossipTurn& turn) {
  if (left_) return;
  std::vector<Neighbour> all;
  neighbours(all);
  for (const Neighbour& neighbour : all) {
    turn.out.send(endpoint(neighbour.peer), Leave{.incarnation = self_.latest().incarnation});
  }
  left_ = true;
}

void Overlay::part_with(GossipTurn& turn, const Endpoint& from, const Leave& farewell) {
  const auto known = find(from.id);
  if (known && known->incarnation > farewell.incarnation) {
    ignore(turn, from.id, IgnoreReason::stale_incarnation);
    return;
  }
  // Farewells of strangers are remembered too: other peers still pass their descriptors on.
  const bool neighbour = known.has_value();
  mark_gone(turn.now, from, farewell.incarnation, GoneReason::left);
  if (neighbour) turn.events.on(NeighbourDown{.peer = from.id, .graceful = true});
}

void Overlay::mark_gone(
    Time now, const Endpoint& peer, std::uint32_t incarnation, GoneReason reason) {
  cyclon_.mark_gone(peer, incarnation, reason, now);
  gradient_.remove(peer.id);
  liveness_.clear_suspicion(peer.id);
}

bool Overlay::mark_down(Time now, PeerId peer) {
  const auto known = find(peer);
  if (!known) return false;
  mark_gone(now, endpoint(*known), known->incarnation, GoneReason::down);
  return true;
}

void Overlay::learn(Time now, PeerId peer, const Capacity& told) {
  Descriptor capacity;
  capacity.cpu_free = told.cpu_free;
  capacity.memory_free = told.memory_free;
  capacity.rates_used = told.rates_used;
  capacity.queued = told.queued;
  cyclon_.learn(now, peer, capacity);
  gradient_.learn(now, peer, capacity);
}

void Overlay::neighbours(std::vector<Neighbour>& out) const {
  std::vector<Neighbour> all;
  all.reserve(cyclon_.view().size() + gradient_.view().size());
  for_each_neighbour(
      cyclon_, gradient_, [&](const Neighbour& neighbour) { all.push_back(neighbour); });
  // The places are sorted instead of the neighbours, because a neighbour is large.
  std::vector<std::pair<PeerId, std::uint32_t>> order;
  order.reserve(all.size());
  for (const Neighbour& each : all) order.emplace_back(each.peer.id, order.size());
  std::ranges::sort(order);
  out.clear();
  out.reserve(all.size() + 1);
  for (const auto& [id, place] : order) {
    const Neighbour& next = all[place];
    if (out.empty() || out.back().peer.id != id) {
      out.push_back(next);
    } else if (fresher(next.peer, out.back().peer) ||
        (!fresher(out.back().peer, next.peer) && next.born > out.back().born)) {
      out.back() = next;
    }
  }
}

std::optional<Descriptor> Overlay::find(PeerId peer) const {
  std::optional<Descriptor> found;
  if (const auto link = cyclon_.view().find(peer)) found = link->neighbour.peer;
  for (const Neighbour& neighbour : gradient_.view()) {
    if (neighbour.peer.id != peer) continue;
    if (!found || fresher(neighbour.peer, *found)) found = neighbour.peer;
  }
  return found;
}

Endpoint Overlay::next_after(PeerId peer) const {
  Endpoint next;
  // Ids above `peer` count from 0 on, ids up to it after the greatest: the cycle wraps around.
  const auto distance = [&](PeerId id) { return id.value - peer.value - 1; };
  for_each_neighbour(cyclon_, gradient_, [&](const Neighbour& neighbour) {
    if (!next.id || distance(neighbour.peer.id) < distance(next.id)) {
      next = endpoint(neighbour.peer);
    }
  });
  return next;
}

}  // namespace dunlin::overlay
