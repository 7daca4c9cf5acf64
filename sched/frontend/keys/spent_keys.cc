// SPDX-License-Identifier: MIT
#include "sched/frontend/keys/spent_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dunlin::sched {
namespace {

/// The finish of splitmix64: each bit of the value moves each bit of what comes out.
constexpr std::uint64_t whitened(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t hash_of(const SubmitKey& key) {
  return whitened(whitened(key.high) ^ key.low);
}

void SpentKeys::add(Time now, const Job& job) {
  if (job.key.empty()) return;
  add({.hash = hash_of(job.key),
      .id = job.id,
      .owner = job.owner,
      .name = job.name,
      .tasks = job.task_count(),
      .at = now});
}

// Their ages go by the wall clock: one that was set back would keep them for longer than a day, and
// one that was set forward would forget all of them at once.
void SpentKeys::restore(Time now, std::vector<SpentKey> keys) {
  for (SpentKey& key : keys) {
    key.at = std::clamp(key.at, now - kKept + kRestoredKept, now);
    add(std::move(key));
  }
  expire(now);
}

void SpentKeys::add(SpentKey&& key) {
  const std::uint64_t hash = key.hash;
  const auto [at, is_new] = spent_.try_emplace(hash, std::move(key));
  if (!is_new) return;
  by_user_[at->second.owner].push_back(hash);
  if (spent_.size() <= kMax) return;
  drop_first(
      std::ranges::max_element(by_user_, {}, [](const auto& each) { return each.second.size(); }));
}

void SpentKeys::expire(Time now) {
  for (auto user = by_user_.begin(); user != by_user_.end();) {
    const auto next = std::next(user);
    // The last key of a user takes the user along.
    for (std::size_t left = user->second.size(); left > 0; --left) {
      if (now - spent_.at(user->second.front()).at < kKept) break;
      drop_first(user);
    }
    user = next;
  }
}

void SpentKeys::drop_first(OfUser::iterator user) {
  spent_.erase(user->second.front());
  user->second.pop_front();
  if (user->second.empty()) by_user_.erase(user);
}

const SpentKey* SpentKeys::find(const SubmitKey& key) const {
  const auto found = spent_.find(hash_of(key));
  return found == spent_.end() || key.empty() ? nullptr : &found->second;
}

}  // namespace dunlin::sched
