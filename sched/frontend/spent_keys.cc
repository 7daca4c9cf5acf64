// SPDX-License-Identifier: MIT
#include "sched/frontend/spent_keys.h"

#include <algorithm>
#include <iterator>

namespace dunlin::sched {

void SpentKeys::add(Time now, const Job& job) {
  if (job.key.empty()) return;
  const auto [at, is_new] = spent_.try_emplace(job.key,
      Spent{.id = job.id,
          .owner = job.owner,
          .name = job.name,
          .tasks = job.task_count(),
          .until = now + kKept});
  if (!is_new) return;
  by_user_[job.owner].push_back(job.key);
  if (spent_.size() <= kMax) return;
  drop_first(
      std::ranges::max_element(by_user_, {}, [](const auto& each) { return each.second.size(); }));
}

void SpentKeys::expire(Time now) {
  for (auto user = by_user_.begin(); user != by_user_.end();) {
    const auto next = std::next(user);
    // The last key of a user takes the user along.
    for (std::size_t left = user->second.size(); left > 0; --left) {
      if (spent_.at(user->second.front()).until > now) break;
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

const SpentKeys::Spent* SpentKeys::find(const SubmitKey& key) const {
  const auto found = spent_.find(key);
  return found == spent_.end() ? nullptr : &found->second;
}

}  // namespace dunlin::sched
