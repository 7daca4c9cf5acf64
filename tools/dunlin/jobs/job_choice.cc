// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_choice.h"

#include <algorithm>

#include "tools/dunlin/screen/text.h"

// A node's name may hold dots and digits, so the command line alone cannot tell where it ends. The
// agent knows the nodes and reads such words (`find`); all else needs no agent.
namespace dunlin::cli {
namespace {

struct Found {
  JobRef job;
  std::string tasks;
};

Result<Found> find(Connection& agent, const std::string& word) {
  const auto reply = agent.ask("find", {{"name", word}});
  if (!reply) return tl::unexpected(reply.error());
  Found found{.job = {.number = value<std::uint32_t>(*reply, "number"),
                  .home = value<std::string>(*reply, "node"),
                  .label = word},
      .tasks = value<std::string>(*reply, "tasks")};
  // The label is of the job alone, without the dot and the tasks.
  if (!found.tasks.empty()) found.job.label.resize(word.size() - found.tasks.size() - 1);
  return found;
}

/// Numbers of jobs here, ascending: of all that are known, or of those that have not ended.
/// All pages, however many: a range such as 3-7 means nothing before all numbers are known.
Result<std::vector<std::uint32_t>> known_here(Connection& agent, bool unfinished_only) {
  std::vector<std::uint32_t> known;
  Json request = {{"all", !unfinished_only}};
  for (bool more = true; more;) {
    const auto reply = agent.ask("jobs", request);
    if (!reply) return tl::unexpected(reply.error());
    for (const Json& job : member(*reply, "jobs")) {
      known.push_back(value<std::uint32_t>(job, "number"));
    }
    // Of jobs that have ended there may be many pages.
    const auto next = value<std::string>(*reply, "next");
    more = !next.empty();
    request["after"] = next;
  }
  std::ranges::sort(known);
  return known;
}

/// The number of the last job that was submitted here; empty if none is known.
Result<std::vector<std::uint32_t>> last_here(Connection& agent) {
  const auto reply = agent.ask("jobs", {{"all", true}, {"sort", "newest"}, {"limit", 1}});
  if (!reply) return tl::unexpected(reply.error());
  std::vector<std::uint32_t> last;
  for (const Json& job : member(*reply, "jobs")) {
    last.push_back(value<std::uint32_t>(job, "number"));
  }
  return last;
}

Result<std::vector<std::uint32_t>> numbers_here(
    Connection& agent, const JobSelector& selector, Among among) {
  // Most commands name numbers, and need no list of jobs.
  if (auto numbers = selector.numbers()) return std::move(*numbers);
  const bool some = among == Among::unfinished && !selector.last;
  // The list of all jobs may be many pages; the newest one is one line.
  const bool last_alone = selector.last && !selector.all && selector.ranges.empty();
  const auto known = last_alone ? last_here(agent) : known_here(agent, some);
  if (!known) return tl::unexpected(known.error());
  if (among != Among::ended_by_range || !selector.all) return selector.among(*known);
  // "all" is of those that go on, and a range beside it of all: 3-7 may have ended before.
  const auto going_on = known_here(agent, true);
  if (!going_on) return tl::unexpected(going_on.error());
  JobSelector rest = selector;
  rest.all = false;
  auto chosen = rest.among(*known);
  if (!chosen) return chosen;
  chosen->insert(chosen->end(), going_on->begin(), going_on->end());
  std::ranges::sort(*chosen);
  const auto [begin, end] = std::ranges::unique(*chosen);
  chosen->erase(begin, end);
  return chosen;
}

}  // namespace

// Without `at` the agent that is asked takes the job for its own.
Json JobRef::request() const {
  Json request = {{"number", number}};
  if (!home.empty()) request["at"] = home;
  return request;
}

Result<std::vector<JobRef>> choose_jobs(
    Connection& agent, const JobSelector& selector, Among among) {
  std::vector<JobRef> jobs;
  for (const std::string& name : selector.names) {
    auto found = find(agent, name);
    if (!found) return tl::unexpected(found.error());
    if (!found->tasks.empty()) {
      return failure(
          ErrorKind::usage, "'" + name + "' names tasks; name the job: " + found->job.label);
    }
    // Two names may mean one job: a node by its name and by its id.
    const bool twice = std::ranges::any_of(jobs, [&](const JobRef& job) {
      return job.number == found->job.number && job.home == found->job.home;
    });
    if (!twice) jobs.push_back(std::move(found->job));
  }
  if (!selector.all && !selector.last && selector.ranges.empty()) return jobs;
  const auto numbers = numbers_here(agent, selector, among);
  if (!numbers) return tl::unexpected(numbers.error());
  for (const auto number : *numbers) jobs.push_back(JobRef::here(number));
  return jobs;
}

std::string pasted_name(const Json& answer, const JobRef& job) {
  return printable(value<std::string>(answer, "known_as", job.label));
}

std::string pasted_name(Connection& agent, const JobRef& job) {
  const auto reply = agent.ask("job", job.request());
  // A name for a text is not worth an error of its own.
  return reply ? pasted_name(*reply, job) : job.label;
}

Result<ChosenTasks> choose_tasks(Connection& agent, std::string_view word) {
  auto selector = parse_tasks(word);
  if (!selector) return tl::unexpected(selector.error());
  if (!selector->job.names.empty()) {
    auto found = find(agent, selector->job.names.front());
    if (!found) return tl::unexpected(found.error());
    ChosenTasks chosen{.job = std::move(found->job), .tasks = std::move(*selector)};
    if (found->tasks.empty()) return chosen;
    auto tasks = parse_task_list(found->tasks, word);
    if (!tasks) return tl::unexpected(tasks.error());
    chosen.tasks.tasks = std::move(*tasks);
    return chosen;
  }
  const auto numbers = numbers_here(agent, selector->job, Among::known);
  if (!numbers) return tl::unexpected(numbers.error());
  // Tasks are of one job: 11.0-9 of two jobs would be two questions.
  if (numbers->size() != 1) {
    return failure(ErrorKind::usage, "name one job: its number, NODE.NUMBER, or last");
  }
  return ChosenTasks{.job = JobRef::here(numbers->front()), .tasks = std::move(*selector)};
}

}  // namespace dunlin::cli
