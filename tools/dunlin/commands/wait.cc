// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/published.h"
#include "tools/dunlin/connection/report.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/time_limit.h"
#include "tools/dunlin/screen/progress.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

/// The sum of several jobs' counts.
TaskCounts sum_of(const Json& jobs) {
  TaskCounts sum;
  for (const Json& job : jobs) {
    const auto counts = counts_of(member(job, "counts"));
    sum.done += counts.done;
    sum.failed += counts.failed;
    sum.cancelled += counts.cancelled;
    sum.running += counts.running;
    sum.waiting += counts.waiting;
  }
  return sum;
}

/// The summaries of the jobs when all have ended.
Result<Json> wait_for(Connection& agent,
    const std::vector<std::uint32_t>& numbers,
    Clock::time_point deadline,
    Progress* progress) {
  const auto id = agent.start("wait", {{"numbers", numbers}, {"progress", progress != nullptr}});
  if (!id) return tl::unexpected(id.error());
  const std::string label =
      numbers.size() == 1 ? "job " + std::to_string(numbers[0]) : count_text(numbers.size(), "job");
  while (true) {
    auto reply = agent.next(deadline);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->error) return tl::unexpected(*reply->error);
    if (reply->end) return member(reply->ok, "jobs");
    if (progress != nullptr) {
      progress->show(label, sum_of(member(reply->ok, "progress")), "");
    }
  }
}

std::string ending_text(const Json& job) {
  const auto counts = counts_of(member(job, "counts"));
  std::string text = "job " + std::to_string(value<std::uint32_t>(job, "number")) + ": " +
      value<std::string>(job, "state") + "; " + std::to_string(counts.done) + " of " +
      count_text(counts.total(), "task") + " done";
  if (counts.failed != 0) text += ", " + std::to_string(counts.failed) + " failed";
  if (counts.cancelled != 0) text += ", " + std::to_string(counts.cancelled) + " cancelled";
  return text;
}

}  // namespace

Result<int> wait(const Globals& globals, const WaitOptions& options) {
  const auto selector = parse_jobs(options.jobs);
  if (!selector) return tl::unexpected(selector.error());
  Clock::time_point deadline = kNoDeadline;
  if (!options.timeout.empty()) {
    const auto limit = parse_time_limit(options.timeout);
    if (!limit) return failure(ErrorKind::usage, "--timeout: " + limit.error().text);
    deadline = Clock::now() + *limit;
  }
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto numbers = choose_jobs(*agent, *selector, true);
  if (!numbers) return tl::unexpected(numbers.error());
  Json ended = Json::array();
  if (!numbers->empty()) {
    Progress progress(stderr, globals.err());
    auto waited = wait_for(*agent, *numbers, deadline, options.quiet ? nullptr : &progress);
    if (!waited && waited.error().kind == ErrorKind::timeout) {
      progress.clear();
      if (globals.json)
        print_json_error({ErrorKind::timeout, "not finished in time", 0});
      else
        std::fprintf(stderr, "dunlin: not finished within %s\n", options.timeout.c_str());
      return kTimeout;
    }
    if (!waited) return tl::unexpected(waited.error());
    ended = std::move(*waited);
  }
  if (numbers->empty() && !globals.json && !options.quiet) {
    std::printf("nothing to wait for: no job is unfinished\n");
  }
  bool all_done = true;
  for (const Json& job : ended) {
    const auto counts = counts_of(member(job, "counts"));
    all_done = all_done && counts.done == counts.total();
    if (!globals.json && !options.quiet) std::printf("%s\n", ending_text(job).c_str());
  }
  if (globals.json) print_json("dunlin.wait/1", {{"jobs", published(ended)}});
  return all_done || options.ignore_failures ? kSuccess : kFailure;
}

}  // namespace dunlin::cli
