// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_watch.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

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
      name_(std::to_string(job)),
      // With --json a program reads: nothing but the one document may come out.
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

void JobWatch::label_lines() {
  labelled_ = true;
  output_.label_lines();
}

void JobWatch::feed_from(int from, bool terminal) {
  feed_.emplace(agent_, job_, from, terminal, wake_);
  shown_ = terminal;
}

Result<JobEnding> JobWatch::follow(bool live) {
  live_ = live;
  wake_.add(interrupts_.fd());
  // One descriptor for signals and for input that can be read, since the wait for replies takes
  // one.
  agent_.wake_by(wake_.fd());
  auto done = start();
  while (!ending_.goes_on && (watch_ != 0 || !printed() || (feed_ && !feed_->over()))) {
    if (done) done = step();
    // An agent that restarts takes its jobs up again, so the watch can go on where it was.
    if (!done && agent_.lost()) done = resume(done.error());
    if (!done) return tl::unexpected(done.error());
  }
  // From here on nothing is waited for: what is left is only printed.
  agent_.wake_by(-1);
  // By index: the first failed task is the same whatever the order in which they ended.
  if (!failed_.empty()) ending_.failed = failed_.begin()->second;
  // Gives the terminal back before anything else is printed.
  feed_.reset();
  progress_.clear();
  output_.report_left_out();
  for (const std::string& sentence : lines_ ? lines_->troubles() : std::vector<std::string>()) {
    std::fprintf(stderr, "dunlin: %s\n", printable(sentence).c_str());
  }
  if (!output_.trouble().empty() && !quiet_) {
    std::fprintf(
        stderr, "dunlin: some output is missing: %s\n", printable(output_.trouble()).c_str());
  }
  return std::move(ending_);
}

Result<void> JobWatch::ask_watch() {
  Json request = {{"number", job_}};
  if (lines_) request["running"] = true;  // Output is asked for as soon as a task starts.
  const auto watch = agent_.start("watch", std::move(request));
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  return {};
}

Result<void> JobWatch::start() {
  if (by_line_ && !silent_) {
    lines_.emplace(agent_, Json{{"number", job_}}, [this] { progress_.clear(); });
    // Whole lines only: tasks that print at once would else write into each other's.
    lines_->hold_lines();
    if (!labelled_) lines_->leave_labels();
    followed_.emplace(*lines_, TaskSelector(), WantedOutput());
  }
  if (auto asked = ask_watch(); !asked) return asked;
  // With a terminal the task's output is shown by what feeds it.
  if (live_ && !lines_ && !silent_ && !shown_) {
    for (const bool err : {false, true}) {
      auto asked = output_.add({.task = 0, .err = err, .live = true, .node = ""});
      if (!asked) return asked;
    }
  }
  return feed_ ? feed_->start() : Result<void>();
}

Result<void> JobWatch::resume(const Error& why) {
  progress_.clear();
  // What there is to read has time; a second signal ends us anyway.
  agent_.wake_by(ending_.signal == 0 ? interrupts_.fd() : -1);
  auto back = agent_.come_back(why);
  if (!back && back.error().kind == ErrorKind::timeout) {
    ending_.signal = interrupts_.signal();
    leave("no agent is there to cancel it");
    return {};
  }
  if (!back) return back;
  agent_.wake_by(wake_.fd());
  // A watch that has told its end needs no other: output alone may be missing.
  if (watch_ != 0) {
    if (auto asked = ask_watch(); !asked) return asked;
  }
  // The cancellation may have got lost with the connection. To cancel twice is to cancel once.
  if (std::exchange(cancel_, 0) != 0) {
    if (auto cancelled = cancel(); !cancelled) return cancelled;
  }
  if (feed_) feed_->on_lost();
  if (lines_) {
    if (auto resumed = lines_->resume(); !resumed) return resumed;
  }
  return output_.resume();
}

Result<void> JobWatch::step() {
  // Before replies: a cluster that tells much must not keep Ctrl-C from being heard.
  if (interrupts_.seen() && ending_.signal == 0) return interrupt();
  // With input at hand replies are only looked for: the feed must not wait for them.
  const bool busy = feed_ && feed_->busy();
  const auto now = Clock::now();
  const auto reply = agent_.next(busy ? now : lines_ ? lines_->deadline(now) : kNoDeadline);
  if (reply) {
    if (auto taken = take(*reply); !taken) return taken;
  } else if (reply.error().kind != ErrorKind::timeout) {
    return tl::unexpected(reply.error());
  }
  if (lines_) {
    if (auto turned = lines_->tick(Clock::now()); !turned) return turned;
  }
  if (feed_) {
    if (auto worked = feed_->work(); !worked) return worked;
    // A task that gets no more of its input would wait for it for ever, or take half of it for all.
    if (feed_->trouble() && watch_ != 0 && cancel_ == 0) {
      ending_.starved = feed_->trouble();
      return cancel();
    }
  }
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
    if (lines_) {
      const auto line = lines_->take(reply, Clock::now());
      if (!line || *line) return line ? Result<void>() : tl::unexpected(line.error());
    }
    const auto taken = output_.take(reply);
    return taken ? Result<void>() : tl::unexpected(taken.error());
  }
  // Of the watch itself: without it nothing is known of the job any more.
  if (reply.error) return tl::unexpected(*reply.error);
  if (followed_) {
    if (auto taken = followed_->take(reply.ok); !taken) return taken;
  }
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
  // Only where nothing runs: a job of which something runs moves, and its reason would only worry.
  const bool waits = counts.running == 0 && counts.waiting != 0;
  const auto reason = printable(value<std::string>(summary, "reason"));
  if (waits && !reason_told_ && waited >= kReasonAfter && !reason.empty()) {
    reason_told_ = true;
    progress_.clear();
    const double seconds = std::chrono::duration<double>(waited).count();
    std::fprintf(stderr, "%s: waiting %s: %s (dunlin explain %s)\n", label_.c_str(),
        age_text(seconds).c_str(), reason.c_str(), name_.c_str());
  }
  if (waited < kLineAfter && counts.total() == 1) return;
  // A bar would tear a live task's own lines apart.
  if (live_ && counts.running != 0) return progress_.clear();
  progress_.show(label_, counts, "");
}

Result<void> JobWatch::take_finished(const Json& tasks) {
  for (const Json& task : tasks) {
    const auto index = value<std::uint32_t>(task, "index");
    const auto attempt = value<std::uint32_t>(task, "attempt");
    // An agent that is back tells all of them once more.
    const auto [told, is_new] = told_.try_emplace(index, attempt);
    if (!is_new && std::exchange(told->second, attempt) == attempt) continue;
    failed_.erase(index);  // The last result of a task is the one that counts.
    if (value<std::string>(task, "state") == "failed") failed_[index] = task;
    if (failed_.size() > kFailedMax) failed_.erase(std::prev(failed_.end()));
    // In these cases the output comes while the task runs, or is not wanted.
    if (live_ || lines_ || silent_) continue;
    for (const bool err : {false, true}) {
      // A request for each empty stream of a million tasks would take longer than the job.
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
  ending_.signal = interrupts_.signal();
  // It stays readable, and the loop would turn without end; a second signal ends the process.
  wake_.remove(interrupts_.fd());
  progress_.clear();
  if (keep_) {
    leave("as --keep says");
    return {};
  }
  // On a line of its own: the terminal has just shown ^C.
  std::fprintf(stderr, "\ndunlin: %s: cancelling job %u; %s leaves at once\n",
      ending_.signal == SIGINT ? "Ctrl-C" : strsignal(ending_.signal), job_,
      ending_.signal == SIGINT ? "Ctrl-C again" : "a second signal");
  return cancel();
}

void JobWatch::leave(const char* why) {
  ending_.goes_on = true;
  std::fprintf(stderr, "\ndunlin: job %u goes on, %s: dunlin wait %s; dunlin logs -f %s\n", job_,
      why, name_.c_str(), name_.c_str());
}

Result<void> JobWatch::cancel() {
  const auto id = agent_.start("cancel", {{"number", job_}});
  if (!id) return tl::unexpected(id.error());
  cancel_ = *id;
  return {};
}

}  // namespace dunlin::cli
