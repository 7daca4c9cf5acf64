// SPDX-License-Identifier: MIT
#include "overlay/gradient.h"

#include <algorithm>
#include <array>

namespace dunlin::overlay {
namespace {

/// Views are of at most 64 each.
constexpr std::size_t kViewMax = 64;
/// Different neighbours: those of one view, and of the other view or a buffer.
using Candidates = Inline<const Neighbour*, 2 * kViewMax>;

/// The `count` that are wanted most, or all, in order. `candidates` are different peers. Most of
/// them stand in order already, or are not wanted: so each is compared with the last place first.
Inline<const Neighbour*, kViewMax> best_of(
    const Candidates& candidates, const Preference& preference, std::size_t count) {
  struct Ranked {
    Preference::Place place;
    const Neighbour* neighbour;
  };
  const std::size_t most = std::min(count, kViewMax);
  std::array<Ranked, kViewMax> order;
  std::size_t kept = 0;
  for (const Neighbour* neighbour : candidates) {
    const Preference::Place place = preference.place(neighbour->peer);
    if (kept == most && (most == 0 || order[most - 1].place < place)) continue;
    std::size_t i = kept < most ? kept++ : most - 1;
    for (; i > 0 && place < order[i - 1].place; --i) order[i] = order[i - 1];
    order[i] = {place, neighbour};
  }
  Inline<const Neighbour*, kViewMax> best;
  for (std::size_t i = 0; i < kept; ++i) best.push_back(order[i].neighbour);
  return best;
}

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
    deadlines_.set(Timer::cycle, turn.now + turn.rng.between(Duration{0}, params_->period));
    return {};
  }
  Endpoint doubted;
  if (deadlines_.take(Timer::timeout, turn.now)) {
    doubted = pending_->partner;
    pending_.reset();
  }
  if (!deadlines_.take(Timer::cycle, turn.now)) return doubted;
  deadlines_.set(Timer::cycle, turn.now + turn.rng.jitter(params_->period, params_->jitter));

  take_in_random(self, random, turn.now);
  if (view_.empty()) return doubted;
  const auto candidates = std::min<std::size_t>(params_->candidates, view_.size());
  const Descriptor& partner = view_[turn.rng.index(candidates)].peer;
  const Pending& pending = pending_.emplace(Pending{turn.rng() | 1, endpoint(partner)});
  deadlines_.set(Timer::timeout, turn.now + params_->timeout);
  turn.out.send(pending.partner,
      GradientRequest{
          .request = pending.request, .buffer = buffer_for(partner, self, random, turn.now)});
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
  take_in_all(self, random, request.buffer, turn.now);
}

void Gradient::receive(GossipTurn& turn,
    Self& self,
    const Cyclon& random,
    const Endpoint& from,
    const GradientReply& reply) {
  if (!pending_ || reply.request != pending_->request || from.id != pending_->partner.id) {
    turn.events.on(MessageIgnored{.from = from.id, .reason = IgnoreReason::stale_reply});
    return;
  }
  pending_.reset();
  deadlines_.clear(Timer::timeout);
  take_in_all(self, random, reply.buffer, turn.now);
}

Gradient::Intake Gradient::begin_intake() const {
  Intake intake;
  for (const Neighbour& neighbour : view_) intake.view.push_back(neighbour.peer.id);
  return intake;
}

void Gradient::take_in(
    Intake& intake, const Self& self, const Cyclon& random, const Neighbour& news, Time now) {
  const Descriptor& peer = news.peer;
  if (!peer.id || !peer.address || peer.id == self.id()) return;
  if (too_old(news, now) || random.graveyard().holds(news)) return;
  const auto place_in = [&](const auto& ids) {
    return static_cast<std::size_t>(std::ranges::find(ids, peer.id) - ids.begin());
  };
  if (const std::size_t known = place_in(intake.view); known < view_.size()) {
    update(view_[known], news);
  } else if (const std::size_t new_one = place_in(intake.ids); new_one < intake.ids.size()) {
    update(intake.newcomers[new_one], news);
  } else {
    intake.ids.push_back(peer.id);
    intake.newcomers.push_back(news);
  }
}

void Gradient::take_in_all(
    const Self& self, const Cyclon& random, std::span<const Descriptor> statements, Time now) {
  Intake intake = begin_intake();
  for (const Descriptor& statement : statements) {
    take_in(intake, self, random, heard(statement, now), now);
  }
  keep_best(intake.newcomers, self, now);
}

void Gradient::take_in_random(const Self& self, const Cyclon& random, Time now) {
  Intake intake = begin_intake();
  for (const Link& link : random.view().links()) {
    take_in(intake, self, random, link.neighbour, now);
  }
  keep_best(intake.newcomers, self, now);
}

void Gradient::keep_best(const Newcomers& newcomers, const Self& self, Time now) {
  Candidates candidates;
  for (const Neighbour& neighbour : view_) {
    if (!too_old(neighbour, now)) candidates.push_back(&neighbour);
  }
  for (const Neighbour& neighbour : newcomers) candidates.push_back(&neighbour);
  const Preference preference(params_->ranking, params_->utility, self.latest());
  const auto wanted = best_of(candidates, preference, params_->view_size);
  const auto stays = [&](std::size_t i) { return wanted[i] == &view_[i]; };
  std::size_t same = 0;
  while (same < wanted.size() && same < view_.size() && stays(same)) ++same;
  if (same == wanted.size() && same == view_.size()) return;  // As most often.
  Inline<Neighbour, kViewMax> best;
  for (const Neighbour* neighbour : wanted) best.push_back(*neighbour);
  // Exactly what is needed: a vector that grows by itself would take twice the memory.
  if (view_.capacity() < best.size()) {
    view_ = {};
    view_.reserve(std::min<std::size_t>(params_->view_size, 2 * best.size()));
  }
  view_.assign(best.begin(), best.end());
}

Gradient::Buffer Gradient::buffer_for(
    const Descriptor& partner, Self& self, const Cyclon& random, Time now) const {
  Candidates candidates;
  Inline<PeerId, kViewMax> known;
  for (const Neighbour& neighbour : view_) {
    known.push_back(neighbour.peer.id);
    if (neighbour.peer.id != partner.id && !too_old(neighbour, now)) {
      candidates.push_back(&neighbour);
    }
  }
  Newcomers others;
  const auto& ids = random.view().ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == partner.id || std::ranges::find(known, ids[i]) != known.end()) continue;
    others.push_back(random.view().at(i).neighbour);
    if (!too_old(others.back(), now)) candidates.push_back(&others.back());
  }
  const Preference preference(params_->ranking, params_->utility, partner);
  Buffer buffer{self.descriptor()};
  for (const Neighbour* neighbour :
      best_of(candidates, preference, params_->buffer_size - std::size_t{1})) {
    buffer.push_back(aged(neighbour->peer, neighbour->born, now));
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
