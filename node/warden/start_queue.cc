// SPDX-License-Identifier: MIT
#include "node/warden/start_queue.h"

#include <algorithm>
#include <utility>

// A start can hang for as long as its user likes: a lease on the program, a file system of the
// user's own. First come, first served, such starts would take all spawners of a node, and the
// starts of all others would wait for them. So places are dealt out by user, and a start that hangs
// does not keep its place: it costs a thread, which is little, until its patience is over.
namespace dunlin::node::warden {

void StartQueue::push(std::shared_ptr<Launch> launch, Clock::time_point now) {
  const std::string user = launch->start().user;
  users_[user].queue.emplace_back(now, std::move(launch));
  ++waiting_;
}

bool StartQueue::may_run(Users::const_iterator user) const {
  if (user->second.queue.empty()) return false;
  // Three quarters even then: a user that comes meanwhile finds free spawners.
  const bool alone = users_.size() == 1;
  return user->second.busy < (alone ? kPlaces - kPlaces / 4 : kPlaces / 4);
}

std::shared_ptr<Launch> StartQueue::take(Clock::time_point now) {
  // The next one in turn behind the user that was served last, which may be gone.
  auto user = users_.upper_bound(served_);
  for (std::size_t i = 0; i < users_.size(); ++i, ++user) {
    if (user == users_.end()) user = users_.begin();
    if (!may_run(user)) continue;
    auto launch = std::move(user->second.queue.front().second);
    user->second.queue.pop_front();
    ++user->second.busy;
    --waiting_;
    served_ = user->first;
    running_[launch.get()] = {.user = user->first, .since = now};
    return launch;
  }
  return nullptr;
}

bool StartQueue::finish(const Launch& launch) {
  const auto run = running_.find(&launch);
  if (run == running_.end()) return false;
  const auto user = users_.find(run->second.user);
  if (run->second.hangs) {
    --hanging_;
  } else if (user != users_.end()) {
    --user->second.busy;
  }
  running_.erase(run);
  const std::size_t before = users_.size();
  if (user != users_.end()) forget_idle(user);
  return before == 2 && users_.size() == 1 && may_run(users_.begin());
}

bool StartQueue::withdraw(const Launch& launch) {
  const auto user = users_.find(launch.start().user);
  if (user == users_.end()) return false;
  const auto erased = std::erase_if(
      user->second.queue, [&](const auto& waiting) { return waiting.second.get() == &launch; });
  waiting_ -= erased;
  forget_idle(user);
  return erased > 0;
}

bool StartQueue::look(Clock::time_point now) {
  bool any = false;
  for (auto& [launch, run] : running_) {
    if (run.hangs || now - run.since < kHangs || hanging_ == kHangingMax) continue;
    run.hangs = any = true;
    ++hanging_;
    const auto user = users_.find(run.user);
    --user->second.busy;
    forget_idle(user);
  }
  return any;
}

std::optional<StartQueue::Waiting> StartQueue::next() const {
  std::optional<Waiting> first;
  for (auto user = users_.begin(); user != users_.end(); ++user) {
    if (!may_run(user)) continue;
    const Waiting waiting{
        .since = user->second.queue.front().first, .first = user->second.busy == 0};
    if (!first || std::pair(!waiting.first, waiting.since) < std::pair(!first->first, first->since))
      first = waiting;
  }
  return first;
}

void StartQueue::forget_idle(Users::iterator user) {
  if (user->second.queue.empty() && user->second.busy == 0) users_.erase(user);
}

}  // namespace dunlin::node::warden
