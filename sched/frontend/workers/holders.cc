// SPDX-License-Identifier: MIT
#include "sched/frontend/workers/holders.h"

#include <algorithm>
#include <utility>

namespace dunlin::sched {

void Holders::note(Turn& turn, const Endpoint& worker, Duration away) {
  const auto found = known_.find(worker.id);
  const bool same =
      found != known_.end() && found->second.worker == worker && found->second.away == away;
  if (same) {
    found->second.used = turn.now;
    return;
  }
  if (found == known_.end() && known_.size() >= kMax) return;
  known_[worker.id] = {.worker = worker, .away = away, .used = turn.now};
  turn.store.put_holder({worker, away});
}

void Holders::tidy(Turn& turn, const std::set<PeerId>& busy) {
  std::erase_if(awaited_, [&](const auto& each) { return each.second.until <= turn.now; });
  for (auto each = known_.begin(); each != known_.end();) {
    auto& [id, holder] = *each;
    if (busy.contains(id)) holder.used = turn.now;
    if (turn.now - holder.used <= kIdle || awaited_.contains(id)) {
      ++each;
      continue;
    }
    turn.store.forget_holder(id);
    each = known_.erase(each);
  }
}

void Holders::restore(std::span<const StoredHolder> holders, Time now, Duration lease) {
  for (const StoredHolder& stored : holders) {
    if (known_.size() >= kMax) return;
    const PeerId id = stored.worker.id;
    known_[id] = {.worker = stored.worker, .away = stored.away, .used = now};
    awaited_[id] = {.begun = now, .until = now + lease + std::max(Duration{0}, stored.away)};
  }
}

void Holders::hear(PeerId worker, Time now, Duration soon) {
  const auto found = awaited_.find(worker);
  if (found == awaited_.end() || std::exchange(found->second.spoke, true)) return;
  found->second.until = std::min(found->second.until, now + soon);
}

std::optional<Time> Holders::awaited_until(Time now) {
  std::erase_if(awaited_, [now](const auto& each) { return each.second.until <= now; });
  std::optional<Time> last;
  for (const auto& [id, awaited] : awaited_) last = std::max(last.value_or(now), awaited.until);
  return last;
}

std::vector<Endpoint> Holders::ask_silent(Turn& turn, Time since) {
  std::vector<Endpoint> suspects;
  if (turn.now - asked_at_ < kAskAgain) return suspects;
  asked_at_ = turn.now;
  for (const auto& [id, awaited] : awaited_) {
    if (awaited.spoke) continue;
    const Known& holder = known_.at(id);
    turn.out.send(holder.worker, FactsRequest{turn.rng()});
    if (holder.away == Duration{0} && awaited.begun <= since) suspects.push_back(holder.worker);
  }
  return suspects;
}

}  // namespace dunlin::sched
