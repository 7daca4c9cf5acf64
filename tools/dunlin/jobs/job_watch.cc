// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_watch.h"

#include <cstdio>
#include <iterator>

#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// One connection carries three conversations at once: the watch (which tasks ended, and the
// progress), the outputs, and a cancellation. Replies carry the id of their request, so each goes
// to its own reader, in whatever order they come.
// The watch ends when the job does, but the loop goes on until all output is printed.
namespace dunlin::cli {
namespace {

/// After this long without a running task, people want to know why.
constexpr std::chrono::seconds kReasonAfter{2};
/// A single task that ends within this time gets no progress line.
constexpr std::chrono::seconds kLineAfter{1};
/// Failed tasks that are remembered: only a user who has that many run again makes a difference.
constexpr std::size_t kFailedMax = 1000;

}  // namespace

JobWatch::JobWatch(Connection& agent, std::uint32_t job, const Globals& globals, bool quiet)
    : agent_(agent),
      job_(job),
      label_("job " + std::to_string(job)),
      quiet_(quiet || globals.json),
      silent_(globals.json),
      err_(globals.err()),
      progress_(stderr, err_),
      output_(
          agent,
          {{"number", job}},
          [this] { progress_.clear(); },
          [](const std::string& sentence) {
            std::fprintf(stderr, "dunlin: %s\n", printable(sentence).c_str());
          }) {}

void JobWatch::feed_from(int from, bool terminal) {
  feed_.emplace(agent_, job_, from, terminal, wake_);
  shown_ = terminal;
}

Result<JobEnding> JobWatch::follow(bool live) {
  live_ = live;
  wake_.add(interrupts_.fd());
  agent_.wake_by(wake_.fd());
  const auto watch = agent_.start("watch", {{"number", job_}});
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  if (live_ && !silent_ && !shown_) {
    for (const bool err : {false, true}) {
      if (auto asked = output_.add({.task = 0, .err = err, .live = true, .node = ""}); !asked) {
        return tl::unexpected(asked.error());
      }
    }
  }
  if (feed_) {
    if (auto started = feed_->start(); !started) return tl::unexpected(started.error());
  }
  while (watch_ != 0 || !output_.idle() || (feed_ && !feed_->over())) {
    if (auto stepped = step(); !stepped) return tl::unexpected(stepped.error());
  }
  agent_.wake_by(-1);
  if (!failed_.empty()) ending_.failed = failed_.begin()->second;
  feed_.reset();
  progress_.clear();
  output_.report_left_out();
  if (!output_.trouble().empty() && !quiet_) {
    std::fprintf(
        stderr, "dunlin: some output is missing: %s\n", printable(output_.trouble()).c_str());
  }
  return std::move(ending_);
}

Result<void> JobWatch::step() {
  const bool busy = feed_ && feed_->busy();
  const auto reply = agent_.next(busy ? Clock::now() : kNoDeadline);
  if (reply) {
    if (auto taken = take(*reply); !taken) return taken;
  } else if (reply.error().kind != ErrorKind::timeout) {
    return tl::unexpected(reply.error());
  }
  if (feed_) {
    if (auto worked = feed_->work(); !worked) return worked;
    if (feed_->trouble() && watch_ != 0 && cancel_ == 0) {
      ending_.starved = feed_->trouble();
      return cancel();
    }
  }
  if (interrupts_.seen() && !ending_.cancelled) return interrupt();
  return {};
}

Result<void> JobWatch::take(const Reply& reply) {
  if (reply.id == cancel_) return {};  // A job that has ended by itself meanwhile is no failure.
  if (feed_ && reply.id != watch_) {
    const auto fed = feed_->take(reply);
    if (!fed) return tl::unexpected(fed.error());
    if (*fed) return {};
  }
  if (reply.id != watch_) {
    const auto taken = output_.take(reply);
    return taken ? Result<void>() : tl::unexpected(taken.error());
  }
  if (reply.error) return tl::unexpected(*reply.error);
  if (auto taken = take_finished(member(reply.ok, "finished")); !taken) return taken;
  take_progress(member(reply.ok, "progress"));
  if (reply.end) watch_ = 0;
  return {};
}

void JobWatch::take_progress(const Json& summary) {
  if (!summary.is_object()) return;
  ending_.summary = summary;
  if (quiet_ || watch_ == 0 || value<bool>(summary, "finished")) return;
  const auto counts = counts_of(member(summary, "counts"));
  const auto waited = Clock::now() - begun_;
  const bool waits = counts.running == 0 && counts.waiting != 0;
  const auto reason = printable(value<std::string>(summary, "reason"));
  if (waits && !reason_told_ && waited >= kReasonAfter && !reason.empty()) {
    reason_told_ = true;
    progress_.clear();
    const double seconds = std::chrono::duration<double>(waited).count();
    std::fprintf(stderr, "%s: waiting %s: %s (dunlin explain %u)\n", label_.c_str(),
        age_text(seconds).c_str(), reason.c_str(), job_);
  }
  if (waited < kLineAfter && counts.total() == 1) return;
  // A bar would tear a live task's own lines apart.
  if (live_ && counts.running != 0) return progress_.clear();
  progress_.show(label_, counts, "");
}

Result<void> JobWatch::take_finished(const Json& tasks) {
  for (const Json& task : tasks) {
    const auto index = value<std::uint32_t>(task, "index");
    failed_.erase(index);  // The last result of a task is the one that counts.
    if (value<std::string>(task, "state") == "failed") failed_[index] = task;
    if (failed_.size() > kFailedMax) failed_.erase(std::prev(failed_.end()));
    if (live_ || silent_) continue;
    for (const bool err : {false, true}) {
      if (value<std::uint64_t>(task, err ? "err_bytes" : "out_bytes") == 0) continue;
      auto asked = output_.add({.task = index,
          .err = err,
          .live = false,
          .node = value<std::string>(task, "worker_name")});
      if (!asked) return asked;
    }
  }
  return {};
}

Result<void> JobWatch::interrupt() {
  ending_.cancelled = true;
  wake_.remove(interrupts_.fd());
  progress_.clear();
  std::fprintf(stderr, "\ndunlin: cancelling job %u; press Ctrl-C again to leave at once\n", job_);
  return cancel();
}

Result<void> JobWatch::cancel() {
  const auto id = agent_.start("cancel", {{"number", job_}});
  if (!id) return tl::unexpected(id.error());
  cancel_ = *id;
  return {};
}

}  // namespace dunlin::cli
