// SPDX-License-Identifier: MIT
#include "overlay/gradient.h"

#include <algorithm>
#include <array>

#include "overlay/best.h"

namespace dunlin::overlay {
namespace {

constexpr std::size_t kViewMax = Best::kMost;

/// Ids to search in. Most of what is searched is nowhere, which a bit for every 64th id tells.
class Ids {
 public:
  void push_back(PeerId id) {
    ids_.push_back(id);
    bits_ |= bit_of(id);
  }
  std::size_t size() const { return ids_.size(); }
  /// size() if it is nowhere.
  std::size_t place_of(PeerId id) const {
    if ((bits_ & bit_of(id)) == 0) return size();
    return static_cast<std::size_t>(std::ranges::find(ids_, id) - ids_.begin());
  }

 private:
  static std::uint64_t bit_of(PeerId id) { return std::uint64_t{1} << id.value % 64; }

  Inline<PeerId, kViewMax> ids_;
  std::uint64_t bits_ = 0;
};

// Two lists of news. Each element is looked at in part, and copied only if it is wanted.

/// What a partner said.
class Statements {
 public:
  Statements(std::span<const Descriptor> all, Time now) : all_(all), now_(now) {}

  std::size_t size() const { return all_.size(); }
  PeerId id(std::size_t i) const { return all_[i].address ? all_[i].id : PeerId{}; }
  Time born(std::size_t i) const { return now_ - all_[i].age; }
  const Descriptor& peer(std::size_t i) const { return all_[i]; }
  Neighbour at(std::size_t i) const { return heard(all_[i], now_); }

 private:
  std::span<const Descriptor> all_;
  Time now_;
};

/// A random view.
class Supply {
 public:
  explicit Supply(const RandomView& view) : view_(view) {}

  std::size_t size() const { return view_.size(); }
  PeerId id(std::size_t i) const { return view_.ids()[i]; }
  Time born(std::size_t i) const { return view_.born(i); }
  Descriptor peer(std::size_t i) const { return view_.at(i).neighbour.peer; }
  Neighbour at(std::size_t i) const { return view_.at(i).neighbour; }

 private:
  const RandomView& view_;
};

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

  take_in(self, random, Supply(random.view()), turn.now);
  if (view_.empty()) return doubted;
  const auto candidates = std::min<std::size_t>(params_->candidates, view_.size());
  const Descriptor& partner = view_[turn.rng.index(candidates)].peer;
  const Pending& pending = pending_.emplace(Pending{turn.rng() | 1, endpoint(partner)});
  deadlines_.set(Timer::timeout, turn.now + params_->timeout);
  // Made where it is sent from: a message is large.
  Message message{std::in_place_type<GradientRequest>};
  auto& request = std::get<GradientRequest>(message);
  request.request = pending.request;
  fill(request.buffer, partner, self, random, turn.now);
  turn.out.send(pending.partner, message);
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
  Message message{std::in_place_type<GradientReply>};
  auto& reply = std::get<GradientReply>(message);
  reply.request = request.request;
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
    turn.events.on(MessageIgnored{.from = from.id, .reason = IgnoreReason::stale_reply});
    return;
  }
  pending_.reset();
  deadlines_.clear(Timer::timeout);
  take_in(self, random, Statements(reply.buffer, turn.now), turn.now);
}

template <typename News>
void Gradient::take_in(const Self& self, const Cyclon& random, const News& news, Time now) {
  Ids known;
  for (const Neighbour& neighbour : view_) known.push_back(neighbour.peer.id);
  Ids strangers;
  std::array<std::size_t, kViewMax> place_of_stranger;
  const Time oldest = this->oldest(now);
  const bool all_alive = random.graveyard().graves().empty();
  for (std::size_t i = 0; i < news.size(); ++i) {
    const PeerId id = news.id(i);
    if (!id || id == self.id() || news.born(i) < oldest) continue;
    if (!all_alive && random.graveyard().holds(news.at(i))) continue;
    if (const std::size_t place = known.place_of(id); place < known.size()) {
      update(view_[place], news.at(i));
    } else if (const std::size_t twice = strangers.place_of(id); twice < strangers.size()) {
      std::size_t& before = place_of_stranger[twice];
      if (fresher(news.peer(i), news.peer(before))) before = i;
    } else {
      place_of_stranger[strangers.size()] = i;
      strangers.push_back(id);
    }
  }

  // The neighbours count first, then the strangers.
  const Preference preference(params_->ranking, params_->utility, self.latest());
  Best best(params_->view_size);
  for (std::size_t i = 0; i < view_.size(); ++i) {
    if (view_[i].born >= oldest) best.offer(preference.place(view_[i].peer), i);
  }
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    best.offer(preference.place(news.peer(place_of_stranger[i])), view_.size() + i);
  }
  if (best.are_first(view_.size())) return;  // As most often.
  Inline<Neighbour, kViewMax> chosen;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i] < view_.size())
      chosen.push_back(view_[best[i]]);
    else
      chosen.push_back(news.at(place_of_stranger[best[i] - view_.size()]));
  }
  // Exactly what is needed: a vector that grows by itself would take twice the memory.
  if (view_.capacity() < chosen.size()) {
    view_ = {};
    view_.reserve(std::min<std::size_t>(params_->view_size, 2 * chosen.size()));
  }
  view_.assign(chosen.begin(), chosen.end());
}

void Gradient::fill(
    Buffer& buffer, const Descriptor& partner, Self& self, const Cyclon& random, Time now) const {
  const Preference preference(params_->ranking, params_->utility, partner);
  const Supply others(random.view());
  Best best(params_->buffer_size - std::size_t{1});
  const Time oldest = this->oldest(now);
  const auto eligible = [&](PeerId id, Time born) { return id != partner.id && born >= oldest; };
  for (std::size_t i = 0; i < view_.size(); ++i) {
    if (!eligible(view_[i].peer.id, view_[i].born)) continue;
    best.offer(preference.place(view_[i].peer), i);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!eligible(others.id(i), others.born(i))) continue;
    // Seldom wanted: whether it has been offered already is asked only then.
    const auto place = preference.place(others.peer(i));
    if (best.wants(place) && !knows(others.id(i))) best.offer(place, view_.size() + i);
  }
  buffer.push_back(self.descriptor());
  for (std::size_t i = 0; i < best.size(); ++i) {
    const bool ours = best[i] < view_.size();
    const Neighbour& chosen = ours ? view_[best[i]] : others.at(best[i] - view_.size());
    buffer.push_back(aged(chosen.peer, chosen.born, now));
  }
}

bool Gradient::knows(PeerId peer) const {
  return std::ranges::any_of(view_, [&](const Neighbour& each) { return each.peer.id == peer; });
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
