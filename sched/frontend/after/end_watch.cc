// SPDX-License-Identifier: MIT
#include "sched/frontend/after/end_watch.h"

#include <algorithm>
#include <utility>

// A job waits for others by name alone, and the home of each is asked. There is no list of
// dependants at the other home that could be lost with its disk: what it keeps of askers only
// hastens the answer. So either home may die at any time, and the next question mends it.
//
// Where this frontend drives the awaited job itself it sends the word of its end to its own node,
// and does not look at the other job at once: the word leaves when the end is on disk, as each does
// upon which other jobs begin.
namespace dunlin::sched {
namespace {

/// True of a job that goes on here, and of which all that wait want the end: that will tell.
bool end_tells(const JobTable& jobs, const JobId& job) {
  const JobState* const found = jobs.find(job);
  return found != nullptr && !found->finished() &&
      jobs.indexes().dependants().begin_of(job).empty();
}

}  // namespace

void EndWatch::put_aside(const Jobs::value_type& of) {
  timers_.erase({of.second.next, of.first});
  due_.erase({of.second.unanswered, of.first});
}

void EndWatch::put_back(const Jobs::value_type& of) {
  if (of.second.next != kNever) timers_.emplace(of.second.next, of.first);
}

Duration EndWatch::round() const {
  return static_cast<Duration::rep>(timers_.size() + due_.size()) * kAgainEach;
}

void EndWatch::follow(Time now, JobTable& jobs) {
  for (const JobId& job : jobs.take_awaited_news()) {
    const auto known = awaited_.find(job);
    if (!jobs.indexes().dependants().all().contains(job)) {
      if (known == awaited_.end()) continue;
      put_aside(*known);
      awaited_.erase(known);
    } else if (known == awaited_.end()) {
      const bool tells = end_tells(jobs, job);
      const bool here = jobs.find(job) != nullptr;
      const Endpoint home = here ? self_ : Endpoint{job.home, said_of(jobs, job).address};
      const Awaited fresh{.home = home, .since = now, .next = tells ? kNever : now};
      put_back(*awaited_.emplace(job, fresh).first);
    } else if (!jobs.indexes().dependants().begin_of(job).empty()) {
      put_aside(*known);
      known->second.next = std::min(known->second.next, now);
      put_back(*known);
    }
  }
}

void EndWatch::look(Turn& turn, const Surroundings& around, JobTable& jobs) {
  follow(turn.now, jobs);
  while (!timers_.empty() && timers_.begin()->first <= turn.now) {
    const JobId job = timers_.begin()->second;
    timers_.erase(timers_.begin());
    due_.emplace(awaited_.at(job).unanswered, job);
  }
  if (turn.now < paused_until_) return;
  for (std::size_t asked = 0; asked < kQuestionsMax && !due_.empty();) {
    const auto found = awaited_.find(due_.begin()->second);
    due_.erase(due_.begin());
    if (end_tells(jobs, found->first)) {
      // Its user has had it run again.
      found->second = {.home = self_, .since = turn.now, .next = kNever};
      continue;
    }
    ask(turn, around, said_of(jobs, found->first), found->second);
    put_back(*found);
    ++asked;
  }
  if (!due_.empty()) paused_until_ = turn.now + kPause;
}

void EndWatch::ask(
    Turn& turn, const Surroundings& around, const AfterJob& after, Awaited& awaited) {
  // It may have moved since.
  if (const auto known = around.find(awaited.home.id)) awaited.home = *known;
  awaited.request = turn.rng() | 1;
  awaited.wait = awaited.unanswered == 0 ? kAgain : std::min(2 * awaited.wait, wait_max());
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
  const auto found = awaited_.find(told.job);
  if (found == awaited_.end()) return false;
  Awaited& awaited = found->second;
  const bool asked = told.request != 0 && told.request == awaited.request;
  const bool unasked = told.request == 0 && from.id == awaited.home.id;
  if (!asked && !unasked) return false;
  if (told.standing == JobStanding::elsewhere) {
    // The node that it names is asked at once, but not in a circle.
    if (told.home.empty() || told.home.front().node == awaited.home.id) return true;
    put_aside(*found);
    awaited.home = {told.home.front().node, told.home.front().address};
    awaited.next = now + kAgain;
    put_back(*found);
    return true;
  }
  put_aside(*found);
  if (told.standing != JobStanding::unknown) awaited.home = from;
  awaited.unknown = told.standing == JobStanding::unknown;
  awaited.since = now;
  awaited.unanswered = 0;
  awaited.next = now + wait_max();
  put_back(*found);
  return true;
}

void EndWatch::await_begin(Time now, const JobTable& jobs, const JobEnd& told) {
  const bool stands = told.standing == JobStanding::open || told.standing == JobStanding::ended;
  const auto found = awaited_.find(told.job);
  if (found == awaited_.end() || !stands) return;
  Duration wait = Duration::max();
  for (const Dependants::Wait& each : jobs.indexes().dependants().begin_of(told.job)) {
    const JobState& job = jobs.all().at(each.job);
    // It may just have been decided, which the index does not know yet.
    if (job.finished() || (job.progress().after_met >> each.place & 1) != 0) continue;
    const Duration wanted = *job.job().after_jobs[each.place].begun_for;
    wait = std::min(wait, told.begun_for ? wanted - *told.begun_for : kAgainBegin);
  }
  if (wait == Duration::max()) return;
  put_aside(*found);
  // Not before others were asked, too; nor at once if what was told decided nothing.
  wait = std::max({wait, round(), Duration{std::chrono::milliseconds(1)}});
  found->second.next = std::min(found->second.next, now + wait);
  put_back(*found);
}

bool EndWatch::on_end(Time now, const JobId& job) {
  const auto found = awaited_.find(job);
  if (found == awaited_.end()) return false;
  put_aside(*found);
  found->second.home = self_;
  found->second.next = now + kAgain;
  put_back(*found);
  return true;
}

Time EndWatch::next() const {
  if (!due_.empty()) return paused_until_;
  return timers_.empty() ? kNever : timers_.begin()->first;
}

const EndWatch::Awaited* EndWatch::find(const JobId& job) const {
  const auto found = awaited_.find(job);
  return found == awaited_.end() ? nullptr : &found->second;
}

std::optional<std::string> EndWatch::broken_invariant(const JobTable& jobs) const {
  const auto is_awaited = [&](const auto& each) {
    return jobs.indexes().dependants().all().contains(each.first);
  };
  if (awaited_.size() != jobs.indexes().dependants().all().size() ||
      !std::ranges::all_of(awaited_, is_awaited)) {
    return "a frontend asks after other jobs than those that its jobs wait for";
  }
  std::size_t asked = 0;
  for (const auto& [job, awaited] : awaited_) {
    const bool is_asked =
        timers_.contains({awaited.next, job}) || due_.contains({awaited.unanswered, job});
    asked += is_asked ? 1 : 0;
    if (!is_asked && !end_tells(jobs, job)) {
      return "a frontend waits for the end of job " + label_of(job) + ", and no node will tell";
    }
  }
  if (asked == timers_.size() + due_.size()) return {};
  return "a frontend asks after a job twice";
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

const AfterJob& said_of(const JobTable& jobs, const JobId& awaited) {
  const Dependants::Wait& first = *jobs.indexes().dependants().of(awaited).begin();
  return jobs.all().at(first.job).job().after_jobs[first.place];
}

JobEnd end_of(const JobState& job, Time now, std::uint64_t request) {
  JobEnd told{.request = request,
      .job = job.id(),
      .standing = job.finished() ? JobStanding::ended : JobStanding::open,
      .tasks = job.task_count(),
      .succeeded = job.counts()[TaskState::succeeded],
      .replicas = job.job().replicas,
      .home = {}};
  // 0 on the wire stands for none.
  if (job.begun()) told.begun_for = std::max(now - *job.begun(), Duration{1});
  return told;
}

bool decides(const JobEnd& told) {
  return told.standing == JobStanding::ended || told.standing == JobStanding::unknown ||
      told.begun_for;
}

JobChange news_of(const JobState& job, const JobEnd& told) {
  JobChange news;
  for_each_awaited(job, [&](std::size_t i, const AfterJob& after) {
    if (after.job != told.job) return;
    const std::uint32_t bit = std::uint32_t{1} << i;
    const bool ended = told.standing == JobStanding::ended;
    // A job with replicas may be known elsewhere.
    const bool gone = told.standing == JobStanding::unknown && !after.has_replicas;
    if (after.begun_for) {
      // One that never began, or of which no node knows, will not begin any more.
      const bool over = gone || (ended && !told.begun_for);
      if (over || (told.begun_for && *told.begun_for >= *after.begun_for)) news.after_met |= bit;
      return;
    }
    if (!ended && !gone) return;
    // Of one that is gone no node can say how it ended.
    const bool well = told.succeeded == told.tasks;
    const bool good = after.any || (!gone && well != after.failed);
    (good ? news.after_met : news.after_missed) |= bit;
  });
  return news;
}

}  // namespace dunlin::sched
