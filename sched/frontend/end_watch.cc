// SPDX-License-Identifier: MIT
#include "sched/frontend/end_watch.h"

#include <algorithm>
#include <utility>

// A job waits for others by name alone, and the home of each is asked. There is no list of
// dependants at the other home that could be lost with its disk: what it keeps of askers only
// hastens the answer. So either home may die at any time, and the next question mends it.
namespace dunlin::sched {
namespace {

bool is_same(const JobId& one, const JobId& other) {
  return one.home == other.home && one.number == other.number && one.lineage == other.lineage;
}

}  // namespace

void EndWatch::watch(Time now, const JobState& job) {
  for_each_awaited(job, [&](std::size_t, const AfterJob& after) {
    awaited_.try_emplace(key_of(after.job),
        Awaited{.home = {after.job.home, after.address}, .since = now, .next = now});
  });
}

void EndWatch::look(Turn& turn, const Surroundings& around, std::span<const JobState* const> jobs) {
  std::map<Key, const AfterJob*> wanted;
  for (const JobState* job : jobs) {
    for_each_awaited(*job,
        [&](std::size_t, const AfterJob& after) { wanted.emplace(key_of(after.job), &after); });
  }
  std::erase_if(awaited_, [&](const auto& each) { return !wanted.contains(each.first); });
  std::vector<std::pair<const AfterJob*, Awaited*>> due;
  for (const auto& [key, after] : wanted) {
    const auto [at, is_new] = awaited_.try_emplace(key,
        Awaited{.home = {after->job.home, after->address}, .since = turn.now, .next = turn.now});
    if (at->second.next <= turn.now) due.emplace_back(after, &at->second);
  }
  // Those that were asked least come first: many silent homes must not hide the others.
  std::ranges::stable_sort(due, {}, [](const auto& each) { return each.second->unanswered; });
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (i < kQuestionsMax) {
      ask(turn, around, *due[i].first, *due[i].second);
    } else {
      due[i].second->next = turn.now + kPause;
    }
  }
}

void EndWatch::ask(
    Turn& turn, const Surroundings& around, const AfterJob& after, Awaited& awaited) {
  // It may have moved since.
  if (const auto known = around.find(awaited.home.id)) awaited.home = *known;
  awaited.request = turn.rng() | 1;
  awaited.wait = awaited.unanswered == 0 ? kAgain : std::min(2 * awaited.wait, kAgainMax);
  awaited.next = turn.now + awaited.wait;
  const bool silent = ++awaited.unanswered > 2 || awaited.unknown;
  const EndRequest question{
      .request = awaited.request, .job = after.job, .plain = !after.has_replicas};
  turn.out.send(awaited.home, question);
  if (!after.has_replicas || !silent) return;
  // Another node drives it by now, or will: any replica of it says which.
  std::vector<Endpoint> others{{after.job.home, after.address}};
  for (const overlay::Neighbour& node : around.known()) {
    others.push_back({node.peer.id, node.peer.address});
  }
  for (std::size_t i = 0; i < kOthers && !others.empty(); ++i) {
    const auto drawn = others.begin() + static_cast<std::ptrdiff_t>(turn.rng.index(others.size()));
    if (drawn->id != awaited.home.id) turn.out.send(*drawn, question);
    others.erase(drawn);
  }
}

bool EndWatch::hear(Time now, const Endpoint& from, const JobEnd& told) {
  const auto found = awaited_.find(key_of(told.job));
  if (found == awaited_.end()) return false;
  Awaited& awaited = found->second;
  const bool asked = told.request == awaited.request;
  const bool unasked = told.request == 0 && from.id == awaited.home.id;
  if (!asked && !unasked) return false;
  if (told.standing == JobStanding::elsewhere) {
    // The node that it names is asked at once, but not in a circle.
    if (told.home.empty() || told.home.front().node == awaited.home.id) return true;
    awaited.home = {told.home.front().node, told.home.front().address};
    awaited.next = now + kAgain;
    return true;
  }
  if (told.standing != JobStanding::unknown) awaited.home = from;
  awaited.unknown = told.standing == JobStanding::unknown;
  awaited.since = now;
  awaited.unanswered = 0;
  awaited.next = now + kAgainMax;
  return true;
}

Time EndWatch::next() const {
  Time next = kNever;
  for (const auto& [key, awaited] : awaited_) next = std::min(next, awaited.next);
  return next;
}

const EndWatch::Awaited* EndWatch::find(const JobId& job) const {
  const auto found = awaited_.find(key_of(job));
  return found == awaited_.end() ? nullptr : &found->second;
}

void EndAskers::add(const JobId& job, const Endpoint& asker) {
  if (count_ >= kAskersMax) return;
  std::vector<Endpoint>& of_job = askers_[job.number];
  const bool known = std::ranges::count(of_job, asker.id, &Endpoint::id) > 0;
  if (known || of_job.size() >= kAskersOfJobMax) return;
  of_job.push_back(asker);
  ++count_;
}

std::vector<Endpoint> EndAskers::take(const JobId& job) {
  const auto found = askers_.extract(job.number);
  if (found.empty()) return {};
  count_ -= found.mapped().size();
  return std::move(found.mapped());
}

JobEnd end_of(const JobState& job, std::uint64_t request) {
  return {.request = request,
      .job = job.id(),
      .standing = job.finished() ? JobStanding::ended : JobStanding::open,
      .tasks = job.task_count(),
      .succeeded = job.counts()[TaskState::succeeded],
      .replicas = job.job().replicas,
      .home = {}};
}

JobChange news_of(const JobState& job, const JobEnd& told) {
  JobChange news;
  for_each_awaited(job, [&](std::size_t i, const AfterJob& after) {
    if (!is_same(after.job, told.job)) return;
    // A job with replicas may be known elsewhere.
    const bool gone = told.standing == JobStanding::unknown && !after.has_replicas;
    if (told.standing != JobStanding::ended && !gone) return;
    // Of one that is gone nobody can say how it ended.
    const bool well = told.succeeded == told.tasks;
    const bool good = after.any || (!gone && well != after.failed);
    (good ? news.after_met : news.after_missed) |= std::uint32_t{1} << i;
  });
  return news;
}

}  // namespace dunlin::sched
