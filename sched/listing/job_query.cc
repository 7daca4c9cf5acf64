// SPDX-License-Identifier: MIT
#include "sched/listing/job_query.h"

#include <algorithm>
#include <tuple>

#include "sched/frontend/job_state.h"
#include "sched/labels.h"
#include "sched/ledger/class_name.h"
#include "sched/listing/name_pattern.h"

namespace dunlin::sched {

std::size_t rank_of(std::string_view state) {
  return static_cast<std::size_t>(std::ranges::find(kJobStates, state) - kJobStates.begin());
}

std::string_view state_word(const JobState& job) {
  const auto& counts = job.counts();
  if (job.progress().held && counts[TaskState::waiting] > 0) return "held";
  if (counts[TaskState::launched] + counts[TaskState::cancelling] > 0) return "running";
  if (counts[TaskState::waiting] > 0) {
    const bool begun = counts[TaskState::waiting] < job.task_count();
    return begun ? "running" : "waiting";
  }
  if (counts[TaskState::failed] > 0) return "failed";
  return counts[TaskState::cancelled] > 0 ? "cancelled" : "done";
}

std::string_view class_of(const JobState& job) {
  const std::string& service_class = job.job().service_class;
  return service_class.empty() ? kDefaultClass : std::string_view(service_class);
}

JobLine line_of(const JobState& job, PeerId home) {
  return {.state = state_word(job),
      .user = job.job().owner,
      .service_class = class_of(job),
      .name = job.job().name,
      .submitted_at = job.job().submitted_at,
      .tasks = job.task_count(),
      .finished = job.finished().has_value(),
      .home = home,
      .number = job.id().number,
      .origin = job.id().home,
      .ended_at = ended_at(job)};
}

std::int64_t started_at(const JobState& job) {
  return job.begun() ? wall_after(job.job().submitted_at, *job.begun() - job.accepted()) : 0;
}

std::int64_t ended_at(const JobState& job) {
  const auto& ended = job.progress().ended;
  return job.finished() && ended ? wall_after(job.job().submitted_at, ended->after) : 0;
}

FirstJob place_of(const JobLine& job, JobSort sort) {
  const std::string_view key = sort == JobSort::name ? job.name
      : sort == JobSort::user                        ? job.user
                                                     : std::string_view();
  return {.number = job.number,
      .submitted_at = job.submitted_at,
      .tasks = job.tasks,
      .state = static_cast<std::uint8_t>(rank_of(job.state)),
      .key = std::string(key.substr(0, FirstJob::kKeyMax)),
      .origin = job.origin};
}

JobLine line_of(const FirstJob& place, JobSort sort) {
  JobLine line{.state = place.state < kJobStates.size() ? kJobStates[place.state] : "",
      .submitted_at = place.submitted_at,
      .tasks = place.tasks,
      .number = place.number,
      .origin = place.origin};
  if (sort == JobSort::name) line.name = place.key;
  if (sort == JobSort::user) line.user = place.key;
  return line;
}

bool JobQuery::is_behind(const JobLine& job) const {
  return !after || before(line_of(*after, sort), job);
}

bool JobQuery::covers(const JobLine& job) const {
  if (!state.empty() && job.state != state) return false;
  if (!user.empty() && job.user != user) return false;
  if (!service_class.empty() && job.service_class != service_class) return false;
  if (since > 0 && job.submitted_at < since) return false;
  if (ended_since > 0 && job.ended_at < ended_since) return false;
  const auto is_named = [&](const ListedJob& named) {
    return named.node == job.origin && named.number == job.number;
  };
  if (!ids.empty() && std::ranges::none_of(ids, is_named)) return false;
  return name.empty() || matches(name, job.name);
}

bool JobQuery::covers(const JobLine& job, std::span<const Label> its_labels) const {
  return covers(job) && has_labels(its_labels, labels);
}

bool JobQuery::before(const JobLine& a, const JobLine& b) const {
  const auto newer = [&] {
    return std::tie(b.submitted_at, a.origin, b.number) <
        std::tie(a.submitted_at, b.origin, a.number);
  };
  const auto by = [&](auto of_a, auto of_b) { return of_a != of_b ? of_a < of_b : newer(); };
  switch (sort) {
    case JobSort::number:
      return std::tie(a.origin, a.number) < std::tie(b.origin, b.number);
    case JobSort::newest:
      return newer();
    case JobSort::oldest:
      return std::tie(a.submitted_at, a.origin, a.number) <
          std::tie(b.submitted_at, b.origin, b.number);
    case JobSort::tasks:
      return by(b.tasks, a.tasks);
    case JobSort::name:
      return by(a.name, b.name);
    case JobSort::user:
      return by(a.user, b.user);
    case JobSort::state:
      return by(rank_of(a.state), rank_of(b.state));
  }
  return false;
}

JobFilter filter_of(const JobQuery& query) {
  JobFilter filter{.all = query.all,
      .state = query.state,
      .user = query.user,
      .service_class = query.service_class,
      .name = query.name,
      .since = query.since,
      .sort = query.sort,
      .ended_since = query.ended_since,
      .ids = query.ids,
      .after = {},
      .labels = query.labels};
  if (filter.labels.size() > JobFilter::kLabelsMax) filter.labels.resize(JobFilter::kLabelsMax);
  if (filter.ids.size() > JobFilter::kIdsMax) filter.ids.resize(JobFilter::kIdsMax);
  if (query.after) filter.after.push_back(*query.after);
  return filter;
}

JobQuery query_of(const JobFilter& filter) {
  JobQuery query{.all = filter.all,
      .state = filter.state,
      .user = filter.user,
      .service_class = filter.service_class,
      .name = filter.name,
      .since = filter.since,
      .sort = filter.sort,
      .ended_since = filter.ended_since,
      .ids = filter.ids,
      .labels = filter.labels};
  if (!filter.after.empty()) query.after = filter.after.front();
  return query;
}

void count(JobTotals& totals, std::string_view state) {
  if (const std::size_t rank = rank_of(state); rank < totals.size()) ++totals[rank];
}

}  // namespace dunlin::sched
