// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/control/after/stages.h"
#include "node/control/control_handlers.h"
#include "node/control/job_name.h"
#include "node/control/timeline/timeline_bins.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "sched/peer_view.h"
#include "sched/task.h"

// The verb `timeline`: when the attempts of a job began and ended. A job may have a million tasks,
// so the answer counts them by bins of time; only of a job of some tens it has each by itself. And
// it is made in slices: a turn of the loop reads kSliceRows rows, and gossip goes on between two.
namespace dunlin::node {
namespace {

/// Rows that are read from disk in a turn: under 2 ms.
constexpr std::uint32_t kSliceRows = 256;
/// Tasks that run are looked at in memory.
constexpr std::size_t kSliceBound = 2048;
/// Bins of all groups together: what a turn can write down.
constexpr std::size_t kCellsMax = 4000;
/// The wishes of a client, with their defaults: bins of time, and tasks with a bar each.
constexpr std::int64_t kBinsMax = 1000;
constexpr std::int64_t kBinsUsual = 100;
constexpr std::int64_t kBarsMax = 200;
constexpr std::int64_t kBarsUsual = 40;
/// Attempts of one task that are told: the last ones.
constexpr std::size_t kAttemptsTold = 16;
/// The wait for results to come to the disk.
constexpr overlay::Duration kTimelineWait = std::chrono::milliseconds(200);

using Mark = TimelineBins::Mark;

constexpr std::pair<const char*, Mark> kSeries[] = {{"started", Mark::started},
    {"done", Mark::done}, {"failed", Mark::failed}, {"stopped", Mark::stopped},
    {"lost", Mark::lost}};

/// An attempt of a task, as far as it is known.
struct Bar {
  std::uint16_t attempt = 0;
  overlay::PeerId worker;
  std::int64_t started = 0;           ///< ns since 1970; 0: it never did, or that is not known.
  std::optional<std::int64_t> ended;  ///< Empty: it runs.
  std::string_view how = "running";
};

/// The count of its bin to which a task adds: one that was stopped by others is no failure of its
/// own.
Mark mark_of(const sched::Report& report) {
  if (sched::is_success(report)) return Mark::done;
  if (report.outcome == sched::Outcome::lost) return Mark::lost;
  return sched::is_own_failure(report) ? Mark::failed : Mark::stopped;
}

/// The first and the last that is known of a group.
struct Span {
  std::int64_t first = 0;  ///< 0: no attempt has started.
  std::int64_t last = 0;   ///< 0: none has ended.
};

/// What is read so far.
class Timeline {
 public:
  Timeline(const sched::JobState& job, std::size_t bins, bool bars)
      : begin_(job.job().submitted_at),
        bins_(begin_, job.groups().size(), bins),
        spans_(job.groups().size()),
        running_(job.groups().size()),
        bars_wanted_(bars) {}

  void add(const sched::JobState& job, const ResultRow& row) {
    add_ended(job, row.report, row.worker, mark_of(row.report));
  }

  void add(const sched::JobState& job, const AttemptRow& row) {
    if (!row.lost) return add_ended(job, row.report, row.worker, mark_of(row.report));
    const std::uint16_t group = job.group_of(row.report.index);
    bins_.add(group, Mark::lost, past(row.report.started_at));
    add_bar(row.report.index,
        {.attempt = sched::number_of(row.report.attempt),
            .worker = row.worker,
            .ended = row.report.started_at,
            .how = "lost"});
  }

  void add_running(const sched::JobState& job,
      std::uint32_t index,
      const sched::Binding& binding,
      std::int64_t at) {
    const std::uint16_t group = job.group_of(index);
    ++running_[group];
    note_start(group, at);
    add_bar(index,
        {.attempt = sched::number_of(binding.attempt),
            .worker = binding.worker.id,
            .started = at,
            .ended = std::nullopt,
            .how = binding.launching ? "starting"
                : binding.suspended  ? "suspended"
                                     : "running"});
  }

  Json json(AgentServices& agent, const sched::JobState& job) {
    if (!job.finished()) bins_.reach(now_);
    Json groups = Json::array();
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      groups.push_back(group_json(job, static_cast<std::uint16_t>(i)));
    }
    return {{"job", to_string(job.id())}, {"known_as", job_text(agent, job.id())},
        {"name", job.job().name}, {"state", sched::state_word(job)}, {"count", job.task_count()},
        {"submitted_at_ns", begin_}, {"now_at_ns", now_}, {"finished", job.finished().has_value()},
        {"bin_ns", bins_.width()}, {"bins", bins_.size()}, {"untimed", untimed_},
        {"groups", std::move(groups)}, {"tasks", bars_json(agent, job)}};
  }

 private:
  /// Clocks of nodes differ: what is in the future here has not been longer than a moment.
  std::int64_t past(std::int64_t at) const { return std::min(at, now_); }

  /// Attempts are read in no order of time, so the first start is the earliest so far.
  void note_start(std::uint16_t group, std::int64_t at) {
    bins_.add(group, Mark::started, past(at));
    Span& span = spans_[group];
    span.first = span.first == 0 ? past(at) : std::min(span.first, past(at));
  }

  void add_ended(
      const sched::JobState& job, const sched::Report& report, overlay::PeerId worker, Mark mark) {
    const std::uint16_t group = job.group_of(report.index);
    const std::int64_t ended = report.started_at + report.wall.count();
    if (report.started_at == 0) {
      ++untimed_;  // It never ran.
    } else {
      note_start(group, report.started_at);
      bins_.add(group, mark, past(ended));
      spans_[group].last = std::max(spans_[group].last, past(ended));
    }
    add_bar(report.index,
        {.attempt = sched::number_of(report.attempt),
            .worker = worker,
            .started = report.started_at,
            .ended = report.started_at == 0 ? 0 : ended,
            .how = sched::is_success(report)
                ? "done"
                : sched::kOutcomeWords[static_cast<std::size_t>(report.outcome)]});
  }

  /// In the order of attempts; the oldest goes if there are too many.
  void add_bar(std::uint32_t index, const Bar& bar) {
    if (!bars_wanted_) return;
    std::vector<Bar>& bars = tasks_[index];
    bars.push_back(bar);
    std::ranges::sort(bars, {}, &Bar::attempt);
    if (bars.size() > kAttemptsTold) bars.erase(bars.begin());
  }

  Json group_json(const sched::JobState& job, std::uint16_t group) const {
    const auto time = [](std::int64_t at) { return at == 0 ? Json(nullptr) : Json(at); };
    Json json = {{"name", job.spec_of(group).name}, {"first", job.groups()[group].first},
        {"count", job.spec_of(group).count}, {"after", stages_json(job, group)},
        {"held", job.stages().holds(group)}, {"started_at_ns", time(spans_[group].first)},
        {"ended_at_ns", time(spans_[group].last)}, {"running", running_[group]}};
    for (const auto& [name, mark] : kSeries) {
      Json counts = Json::array();
      for (const std::uint32_t count : bins_.counts(group, mark)) counts.push_back(count);
      json["bins"][name] = std::move(counts);
    }
    return json;
  }

  Json bars_json(AgentServices& agent, const sched::JobState& job) const {
    Json all = Json::array();
    if (!bars_wanted_) return all;
    for (std::uint32_t index = 0; index < job.task_count(); ++index) {
      Json attempts = Json::array();
      if (const auto bars = tasks_.find(index); bars != tasks_.end()) {
        for (const Bar& bar : bars->second) attempts.push_back(bar_json(agent, bar));
      }
      const auto state = static_cast<std::size_t>(job.task(index).state);
      all.push_back({{"index", index}, {"group", job.group_of(index)},
          {"state", sched::kTaskStateWords[state]}, {"attempts", std::move(attempts)}});
    }
    return all;
  }

  static Json bar_json(AgentServices& agent, const Bar& bar) {
    return {{"attempt", bar.attempt}, {"worker", to_string(bar.worker)},
        {"worker_name", agent.name_of(bar.worker)},
        {"started_at_ns", bar.started == 0 ? Json(nullptr) : Json(bar.started)},
        {"ended_at_ns", bar.ended.value_or(0) == 0 ? Json(nullptr) : Json(*bar.ended)},
        {"how", bar.how}};
  }

  std::int64_t begin_;
  std::int64_t now_ = wall_clock_ns();
  TimelineBins bins_;
  std::vector<Span> spans_;             ///< By group, ...
  std::vector<std::uint32_t> running_;  ///< ... and so these.
  std::map<std::uint32_t, std::vector<Bar>> tasks_;
  std::uint32_t untimed_ = 0;
  bool bars_wanted_;
};

/// The resolution that a client wants.
struct TimelineWish {
  std::size_t bins = kBinsUsual;
  std::size_t bars = kBarsUsual;
};

/// As few bins as all groups have room for.
std::size_t bins_of(const sched::JobState& job, std::size_t wanted) {
  const std::size_t fit = kCellsMax / std::max<std::size_t>(job.groups().size(), 1);
  return std::clamp<std::size_t>(wanted, 2, std::max<std::size_t>(fit, 2));
}

class TimelinePending final : public Pending {
 public:
  TimelinePending(const AgentServices& agent, const sched::JobState& job, const TimelineWish& wish)
      : job_(job.id()),
        mark_(agent.record_mark(job.id())),
        until_(agent.now() + kTimelineWait),
        timeline_(job, bins_of(job, wish.bins), job.task_count() <= wish.bars) {}

  overlay::Time due() const override { return began_ ? overlay::Time{} : until_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const sched::JobState* const job = sched::find_job(agent.peer(), job_);
    if (job == nullptr) {
      reply.fail({ErrorKind::not_found, "the job was forgotten"});
      return false;
    }
    if (!began_) {
      const bool ready = agent.durable(mark_) || !agent.store_error().empty();
      if (!ready && agent.now() < until_) return true;
      began_ = true;
    }
    const auto read =
        next_ < job->task_count() ? read_results(agent, *job) : read_attempts(agent, *job);
    if (!read) {
      reply.fail(read.error());
      return false;
    }
    if (!over_) return true;
    reply.end(timeline_.json(agent, *job));
    return false;
  }

 private:
  /// The results of some tasks that come next, and those of the same tasks that run.
  Result<void> read_results(AgentServices& agent, const sched::JobState& job) {
    const auto rows =
        agent.results({.job = job_, .first = next_, .limit = kSliceRows, .listed = Listed::all});
    if (!rows) return tl::unexpected(rows.error());
    // A damaged row is left out of its page, so only an empty page is the end of them.
    std::uint32_t end = rows->empty() ? job.task_count() : rows->back().report.index + 1;
    std::size_t looked = 0;
    const auto& bound = job.bindings();
    for (auto at = bound.lower_bound(next_); at != bound.end() && at->first < end; ++at) {
      if (looked++ == kSliceBound) {
        end = at->first;
        break;
      }
      const std::int64_t since = wall_clock_ns() - (agent.now() - at->second.bound).count();
      timeline_.add_running(job, at->first, at->second, since);
    }
    for (const ResultRow& row : *rows) {
      // A task that a user has run again has a result no more, and may be bound.
      if (row.report.index < end && !bound.contains(row.report.index)) timeline_.add(job, row);
    }
    next_ = end;
    return {};
  }

  /// Some attempts that did not count.
  Result<void> read_attempts(AgentServices& agent, const sched::JobState& job) {
    attempts_.job = job_;
    attempts_.limit = kSliceRows;
    const auto rows = agent.attempts_page(attempts_);
    if (!rows) return tl::unexpected(rows.error());
    for (const AttemptRow& row : *rows) {
      if (row.report.index < job.task_count()) timeline_.add(job, row);
    }
    over_ = rows->empty();
    if (over_) return {};
    attempts_.task = rows->back().report.index;
    attempts_.attempt = rows->back().report.attempt;
    return {};
  }

  sched::JobId job_;
  RecordMark mark_;
  overlay::Time until_;
  Timeline timeline_;
  bool began_ = false;
  std::uint32_t next_ = 0;  ///< Results are read up to this task.
  AttemptQuery attempts_;
  bool over_ = false;
};

}  // namespace

PendingResult handle_timeline(AgentServices& agent, ControlSession&, Args& args) {
  const auto found = find_job(agent, args);
  const TimelineWish wish{
      .bins = static_cast<std::size_t>(args.number("bins", 2, kBinsMax, kBinsUsual)),
      .bars = static_cast<std::size_t>(args.number("bars", 0, kBarsMax, kBarsUsual))};
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!found) return tl::unexpected(found.error());
  return std::make_unique<TimelinePending>(agent, **found, wish);
}

}  // namespace dunlin::node
