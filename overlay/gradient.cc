// SPDX-License-Identifier: MIT
#include "overlay/gradient.h"

#include <algorithm>

#include "overlay/top_k.h"

// The gradient keeps the neighbours that a peer likes best, so that a task finds free capacity in a
// few hops uphill. Each period a peer sends one of its best neighbours those descriptors that *the
// partner* would rank best, and the partner answers likewise. Equals like the same peers, so good
// neighbours spread fast.
// Merging is three steps: take fresher statements of known neighbours, collect strangers (one
// statement each, the freshest), and keep the best of both. Cyclon's view supplies random peers,
// without which a peer would never leave its corner of the ranking.
// Nothing older than the age limit stays: a utility changes with each task, and a promise of
// capacity that is long gone draws a herd.
// Source: Jelasity, Montresor, Babaoglu 2009 (T-Man); ID2210 sections 2.3 and 3.2.
//
// Speed matters here: every peer ranks some dozens of descriptors each period, so lists are read in
// part and copied only where wanted.
namespace dunlin::overlay {
namespace {

constexpr std::size_t kViewMax = TopK::kSizeMax;

/// A set of ids in one word, with one bit for all ids that are equal modulo 64. A clear bit proves
/// that an id is not in the set, which is true of most; so most searches are skipped.
class Bits {
 public:
  void add(PeerId id) { bits_ |= bit_of(id); }
  bool may_hold(PeerId id) const { return (bits_ & bit_of(id)) != 0; }

 private:
  static std::uint64_t bit_of(PeerId id) { return std::uint64_t{1} << id.value % 64; }

  std::uint64_t bits_ = 0;
};

/// News of a peer that is no neighbour yet.
struct Stranger {
  PeerId id;
  std::size_t place = 0;  ///< The index in the list of news.
};

// The two lists of news below share an interface. take_in() looks at a part of each element, and
// copies it only if it is wanted.

/// The statements that a partner sent.
class Statements {
 public:
  Statements(std::span<const Descriptor> all, Time now) : all_(all), now_(now) {}

  std::size_t size() const { return all_.size(); }
  PeerId id(std::size_t i) const { return all_[i].address ? all_[i].id : PeerId{}; }
  Time born(std::size_t i) const { return now_ - all_[i].age; }
  const Descriptor& offer(std::size_t i) const { return all_[i]; }
  Neighbour at(std::size_t i) const { return heard(all_[i], now_); }

 private:
  std::span<const Descriptor> all_;
  Time now_;
};

/// The links of a random view.
class Supply {
 public:
  explicit Supply(const RandomView& view) : view_(view) {}

  std::size_t size() const { return view_.size(); }
  PeerId id(std::size_t i) const { return view_.ids()[i]; }
  Time born(std::size_t i) const { return view_.born(i); }
  PackedLinks::Offer offer(std::size_t i) const { return view_.offer(i); }
  Neighbour at(std::size_t i) const { return view_.at(i).neighbour; }

 private:
  const RandomView& view_;
};

Link linked(const Neighbour& neighbour) {
  return {.neighbour = neighbour, .linked = neighbour.born};
}

}  // namespace

Endpoint Gradient::wake(GossipTurn& turn, Self& self, const Cyclon& random) {
  if (!started_) {
    started_ = true;
    deadlines_.set(Timer::cycle, turn.now + turn.rng.between(Duration{0}, params_->period));
    return {};
  }
  Endpoint suspected;
  if (deadlines_.take(Timer::timeout, turn.now)) {
    suspected = pending_->partner;
    pending_.reset();
  }
  if (!deadlines_.take(Timer::cycle, turn.now)) return suspected;
  deadlines_.set(Timer::cycle, turn.now + turn.rng.jitter(params_->period, params_->jitter));

  take_in(self, random, Supply(random.view()), turn.now);
  if (view_.size() == 0) return suspected;
  const auto candidates = std::min<std::size_t>(params_->candidates, view_.size());
  const Descriptor partner = view_.at(turn.rng.index(candidates)).neighbour.peer;
  const Pending& pending = pending_.emplace(Pending{turn.rng() | 1, endpoint(partner)});
  deadlines_.set(Timer::timeout, turn.now + params_->timeout);
  // The message is made in place and never zeroed, because it is large.
  Message message{std::in_place_type<GradientRequest>, pending.request};
  auto& request = std::get<GradientRequest>(message);
  fill(request.buffer, partner, self, random, turn.now);
  turn.out.send(pending.partner, message);
  return suspected;
}

void Gradient::receive(GossipTurn& turn,
    Self& self,
    const Cyclon& random,
    const Endpoint& from,
    const GradientRequest& request) {
  // The partner ranks for the sender, so the sender's own statement must be among the entries.
  const auto sender = std::ranges::find(request.buffer, from.id, &Descriptor::id);
  if (sender == request.buffer.end()) {
    ignore(turn, from.id, IgnoreReason::impostor);
    return;
  }
  Message message{std::in_place_type<GradientReply>, request.request};
  auto& reply = std::get<GradientReply>(message);
  fill(reply.buffer, *sender, self, random, turn.now);
  turn.out.send(from, message);
  take_in(self, random, Statements(request.buffer, turn.now), turn.now);
}

void Gradient::receive(GossipTurn& turn,
    Self& self,
    const Cyclon& random,
    const Endpoint& from,
    const GradientReply& reply) {
  if (!pending_ || reply.request != pending_->request || from.id != pending_->partner.id) {
    ignore(turn, from.id, IgnoreReason::stale_reply);
    return;
  }
  pending_.reset();
  deadlines_.clear(Timer::timeout);
  take_in(self, random, Statements(reply.buffer, turn.now), turn.now);
}

template <typename News>
void Gradient::take_in(const Self& self, const Cyclon& random, const News& news, Time now) {
  Bits known;
  for (const PeerId id : view_.ids()) known.add(id);
  Bits met;
  InlineVector<Stranger, kViewMax> strangers;
  const Time oldest = this->oldest(now);
  // Most peers have no tombstones, and then no statement need be unpacked to check them.
  const bool all_alive = random.tombstones().tombstones().empty();
  for (std::size_t i = 0; i < news.size(); ++i) {
    const PeerId id = news.id(i);
    if (!id || id == self.id() || news.born(i) < oldest) continue;
    if (!all_alive && random.tombstones().holds(news.at(i))) continue;
    if (known.may_hold(id)) {
      if (const std::size_t place = place_of(id); place < view_.size()) {
        improve(place, news.at(i));
        continue;
      }
    }
    Stranger* twice =
        met.may_hold(id) ? std::ranges::find(strangers, id, &Stranger::id) : strangers.end();
    if (twice == strangers.end()) {
      strangers.push_back({id, i});
      met.add(id);
    } else if (fresher(news.at(i).peer, news.at(twice->place).peer)) {
      twice->place = i;
    }
  }

  // The first indices stand for the neighbours, the later ones for the strangers.
  const Preference preference(params_->ranking, params_->utility, self.latest());
  TopK best(params_->view_size);
  for (std::size_t i = 0; i < view_.size(); ++i) {
    if (view_.born(i) >= oldest) best.offer(preference.place(view_.offer(i)), i);
  }
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    best.offer(preference.place(news.offer(strangers[i].place)), view_.size() + i);
  }
  const std::size_t neighbours = view_.size();
  InlineVector<std::uint8_t, kViewMax> places;
  for (std::size_t i = 0; i < best.size(); ++i) {
    places.push_back(static_cast<std::uint8_t>(best[i]));
  }
  view_.arrange(places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < neighbours) continue;
    view_.set(i, linked(news.at(strangers[places[i] - neighbours].place)));
  }
}

void Gradient::fill(
    Buffer& buffer, const Descriptor& partner, Self& self, const Cyclon& random, Time now) const {
  const Preference preference(params_->ranking, params_->utility, partner);
  const Supply others(random.view());
  TopK best(params_->buffer_size - std::size_t{1});
  const Time oldest = this->oldest(now);
  const auto eligible = [&](PeerId id, Time born) { return id != partner.id && born >= oldest; };
  for (std::size_t i = 0; i < view_.size(); ++i) {
    if (!eligible(view_.ids()[i], view_.born(i))) continue;
    best.offer(preference.place(view_.offer(i)), i);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!eligible(others.id(i), others.born(i))) continue;
    // Few are wanted, so the search for a duplicate comes last.
    const auto place = preference.place(others.offer(i));
    if (best.wants(place) && !knows(others.id(i))) best.offer(place, view_.size() + i);
  }
  buffer.push_back(self.descriptor());
  for (std::size_t i = 0; i < best.size(); ++i) {
    const bool ours = best[i] < view_.size();
    const Neighbour chosen = ours ? view_.at(best[i]).neighbour : others.at(best[i] - view_.size());
    buffer.push_back(aged(chosen.peer, chosen.born, now));
  }
}

std::size_t Gradient::place_of(PeerId peer) const {
  return static_cast<std::size_t>(std::ranges::find(view_.ids(), peer) - view_.ids().begin());
}

bool Gradient::knows(PeerId peer) const {
  return place_of(peer) < view_.size();
}

void Gradient::improve(std::size_t place, const Neighbour& news) {
  if (!view_.is_older(place, news.peer)) return;
  Neighbour known = view_.at(place).neighbour;
  update(known, news);
  view_.set(place, linked(known));
}

void Gradient::refresh(const Neighbour& news) {
  if (const std::size_t place = place_of(news.peer.id); place < view_.size()) improve(place, news);
}

void Gradient::learn(Time now, PeerId peer, const Descriptor& capacity) {
  const std::size_t place = place_of(peer);
  if (place == view_.size()) return;
  Neighbour known = view_.at(place).neighbour;
  copy_capacity(capacity, known.peer);
  known.born = now;
  view_.set(place, linked(known));
}

bool Gradient::remove(PeerId peer) {
  const std::size_t place = place_of(peer);
  if (place == view_.size()) return false;
  InlineVector<std::uint8_t, kViewMax> others;  // In their order.
  for (std::size_t i = 0; i < view_.size(); ++i) {
    if (i != place) others.push_back(static_cast<std::uint8_t>(i));
  }
  view_.arrange(others);
  return true;
}

}  // namespace dunlin::overlay
