// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/progress.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// One request for each node with jobs that are waited for, however many they are, all on one
// connection. Whatever goes away is waited for (the agent at hand, a job's node) up to the user's
// own limit: jobs outlive both.
namespace dunlin::cli {
namespace {

/// Adds the counts of several jobs.
void add_counts(TaskCounts& sum, const Json& jobs) {
  for (const Json& job : jobs) {
    const auto counts = counts_of(member(job, "counts"));
    sum.done += counts.done;
    sum.failed += counts.failed;
    sum.cancelled += counts.cancelled;
    sum.running += counts.running;
    sum.waiting += counts.waiting;
  }
}

/// A job that has ended, under the user's own word.
struct Ended {
  std::string label;
  Json summary;  ///< Null: its home has forgotten it, so nobody knows how it ended.
};

/// The jobs of one node that are waited for.
/// The request is kept, to be asked again when the agent at hand or the node was away.
struct Awaited {
  std::vector<JobRef> jobs;
  Json request = {};
  std::uint64_t id = 0;  ///< The request; 0 when its last reply has come.
  Json summaries = Json::array();
  bool silence_told = false;  ///< That their node does not answer.

  Result<void> ask(Connection& agent) {
    const auto asked = agent.start("wait", request);
    if (!asked) return tl::unexpected(asked.error());
    id = *asked;
    return {};
  }
};

/// Jobs of a node that does not answer are asked after so often.
constexpr std::chrono::seconds kAskAgain{1};

/// One request for the jobs of each node.
Result<std::vector<Awaited>> start_waiting(
    Connection& agent, const std::vector<JobRef>& jobs, bool progress) {
  std::vector<Awaited> all;
  for (const JobRef& job : jobs) {
    auto at = std::ranges::find_if(
        all, [&](const Awaited& each) { return each.jobs.front().home == job.home; });
    if (at == all.end()) at = all.insert(at, Awaited{});
    at->jobs.push_back(job);
  }
  // Asked when all are sorted: so each node has one request, whatever the order of the words.
  for (Awaited& each : all) {
    Json numbers = Json::array();
    for (const JobRef& job : each.jobs) numbers.push_back(job.number);
    Json request = {{"numbers", std::move(numbers)}, {"progress", progress}};
    if (!each.jobs.front().home.empty()) request["at"] = each.jobs.front().home;
    each.request = std::move(request);
    if (auto asked = each.ask(agent); !asked) return tl::unexpected(asked.error());
  }
  return all;
}

/// A node does not answer for its jobs. They go on, here or there, and it answers when it is back,
/// or another one does: so they are asked after again, and the user is told once.
Result<void> wait_on(Connection& agent,
    Awaited& awaited,
    const Error& why,
    Clock::time_point deadline,
    Progress* progress) {
  if (!std::exchange(awaited.silence_told, true) && progress != nullptr) {
    progress->clear();
    std::fprintf(stderr, "dunlin: %s; waiting on\n", printable(why.text).c_str());
  }
  std::this_thread::sleep_until(std::min(Clock::now() + kAskAgain, deadline));
  // An agent that went away is waited for by next_reply().
  if (auto asked = awaited.ask(agent); !asked && !agent.lost()) {
    return tl::unexpected(asked.error());
  }
  return {};
}

/// The next reply; waits for an agent that went away, and asks it once more.
Result<Reply> next_reply(Connection& agent, std::vector<Awaited>& all, Clock::time_point deadline) {
  while (true) {
    auto reply = agent.next(deadline);
    if (reply || !agent.lost()) return reply;
    if (auto back = agent.come_back(reply.error()); !back) return tl::unexpected(back.error());
    for (Awaited& each : all) {
      if (each.id == 0) continue;
      if (auto asked = each.ask(agent); !asked && !agent.lost()) {
        return tl::unexpected(asked.error());
      }
    }
  }
}
/// Says why the first of some jobs waits, if none of their tasks runs for long: once for a reason.
class Reason {
 public:
  void tell(const std::vector<Awaited>& all, Progress& progress) {
    const double waited = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (waited < kReasonAfter || lines_ == kReasonsMax) return;
    for (const Awaited& each : all) {
      for (const Json& job : each.summaries) {
        const auto reason = printable(value<std::string>(job, "reason"));
        if (value<bool>(job, "finished") || reason.empty()) continue;
        if (reason == told_) return;
        told_ = reason;
        ++lines_;
        progress.clear();
        std::fprintf(stderr, "job %u: waiting %s: %s\n", value<std::uint32_t>(job, "number"),
            age_text(waited).c_str(), reason.c_str());
        return;
      }
    }
  }

 private:
  static constexpr double kReasonAfter = 2;  ///< Seconds.
  static constexpr int kReasonsMax = 20;     ///< Reasons of other numbers may change for ever.
  Clock::time_point begun_ = Clock::now();
  std::string told_;
  int lines_ = 0;
};

/// The jobs when all have ended.
Result<std::vector<Ended>> wait_for(Connection& agent,
    const std::vector<JobRef>& jobs,
    Clock::time_point deadline,
    Progress* progress) {
  auto all = start_waiting(agent, jobs, progress != nullptr);
  if (!all) return tl::unexpected(all.error());
  const std::string label =
      jobs.size() == 1 ? "job " + jobs.front().label : count_text(jobs.size(), "job");
  Reason reason;
  while (std::ranges::any_of(*all, [](const Awaited& each) { return each.id != 0; })) {
    auto reply = next_reply(agent, *all, deadline);
    if (!reply) return tl::unexpected(reply.error());
    const auto at = std::ranges::find(*all, reply->id, &Awaited::id);
    // Not a failure of the job: its node does not answer for now.
    const bool silent = reply->error && reply->error->kind == ErrorKind::timeout;
    // Its jobs go on, there or elsewhere: what is asked again will be answered.
    if (silent && at != all->end()) {
      auto asked = wait_on(agent, *at, *reply->error, deadline, progress);
      if (!asked) return tl::unexpected(asked.error());
      continue;
    }
    if (reply->error) return tl::unexpected(*reply->error);
    // To a request that was asked anew since.
    if (at == all->end()) continue;
    at->silence_told = false;
    // Replaced, not added to: each reply tells of all jobs of that node.
    at->summaries = member(reply->ok, reply->end ? "jobs" : "progress");
    if (reply->end) at->id = 0;
    if (progress == nullptr) continue;
    TaskCounts sum;
    for (const Awaited& each : *all) add_counts(sum, each.summaries);
    if (sum.running == 0 && sum.waiting > 0) reason.tell(*all, *progress);
    progress->show(label, sum, "");
  }
  std::vector<Ended> ended;
  for (const Awaited& each : *all) {
    for (const Json& summary : each.summaries) {
      const auto job =
          std::ranges::find(each.jobs, value<std::uint32_t>(summary, "number"), &JobRef::number);
      if (job != each.jobs.end()) ended.push_back({job->label, summary});
    }
    for (const JobRef& job : each.jobs) {
      // A job without a summary has ended, and its home has forgotten how.
      const bool told = std::ranges::any_of(each.summaries,
          [&](const Json& of) { return value<std::uint32_t>(of, "number") == job.number; });
      if (!told) ended.push_back({job.label, nullptr});
    }
  }
  return ended;
}

/// "job 12: done; 4 of 4 tasks done".
std::string line_of(const Ended& job) {
  const auto counts = counts_of(member(job.summary, "counts"));
  std::string text = "job " + job.label + ": " + value<std::string>(job.summary, "state") + "; " +
      std::to_string(counts.done) + " of " + count_text(counts.total(), "task") + " done";
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
  const auto patience = parse_patience(globals.reconnect);
  if (!patience) return tl::unexpected(patience.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  agent->be_patient(*patience, globals.err().interactive && !options.quiet);
  const auto jobs = choose_jobs(*agent, *selector, Among::ended_by_range);
  if (!jobs) return tl::unexpected(jobs.error());
  std::vector<Ended> ended;
  if (!jobs->empty()) {
    Progress progress(stderr, globals.err());
    auto waited = wait_for(*agent, *jobs, deadline, options.quiet ? nullptr : &progress);
    // A wake-up is a timeout as well: only at the deadline is it the user's.
    if (!waited && waited.error().kind == ErrorKind::timeout && Clock::now() >= deadline) {
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
  if (jobs->empty() && !globals.json && !options.quiet) {
    std::printf("nothing to wait for: no job is unfinished\n");
  }
  bool all_done = true;
  Json summaries = Json::array();
  for (const Ended& job : ended) {
    if (job.summary.is_null()) {
      // No success: perhaps it was none.
      all_done = false;
      std::fprintf(stderr,
          "dunlin: job %s was forgotten, since too many others ended after it: how it ended is not "
          "known\n",
          printable(job.label).c_str());
      continue;
    }
    const auto counts = counts_of(member(job.summary, "counts"));
    all_done = all_done && counts.done == counts.total();
    summaries.push_back(job.summary);
    if (!globals.json && !options.quiet) std::printf("%s\n", line_of(job).c_str());
  }
  if (globals.json) print_json("dunlin.wait/1", {{"jobs", published(summaries)}});
  return all_done || options.ignore_failures ? kSuccess : kFailure;
}

}  // namespace dunlin::cli
