// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

/// Finished tasks are told in bundles, at most so often; the end of a job is told at once.
constexpr overlay::Duration kBundlePeriod = std::chrono::milliseconds(50);
/// Results remembered until the client has read those before; beyond, they are read back from disk.
constexpr std::size_t kFreshMax = 4096;

/// The error of a job that another node drives by now.
Error moved(const AgentServices& agent, const sched::JobId& job) {
  return {ErrorKind::timeout,
      "node " + agent.peer().self().name + " does not drive job " + std::to_string(job.number) +
          " any more: a standby took it over; ask again"};
}

/// Replies when all of some jobs are finished.
class WaitPending final : public Pending {
 public:
  struct Awaited {
    sched::JobId id;
    bool has_replicas = false;
  };

  WaitPending(std::vector<Awaited> awaited, const Principal& viewer, bool progress)
      : awaited_(std::move(awaited)),
        viewer_(viewer),
        progress_(progress) {}

  overlay::Time due() const override { return progress_ ? next_ : overlay::kNever; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    // Jobs end one by one: look only at the first that had not ended. A forgotten one has.
    while (ended_ < awaited_.size()) {
      const auto* job = sched::find_job(agent.peer(), awaited_[ended_].id);
      if (job != nullptr && !job->finished()) break;
      if (job == nullptr && awaited_[ended_].has_replicas) {
        reply.fail(moved(agent, awaited_[ended_].id));
        return false;
      }
      ++ended_;
    }
    if (ended_ == awaited_.size()) {
      // The end is not final before it is on disk; while that is full, the loop turns each second.
      if (!marks_) marks_ = marks(agent);
      const auto durable = [&](const RecordMark& mark) { return agent.durable(mark); };
      if (!std::ranges::all_of(*marks_, durable)) return true;
      reply.end({{"jobs", summaries(agent)}});
      return false;
    }
    if (progress_ && agent.now() >= next_) {
      next_ = agent.now() + kProgressPeriod;
      if (!reply.congested()) reply.part({{"progress", summaries(agent)}});
    }
    return true;
  }

 private:
  Json summaries(AgentServices& agent) const {
    Json jobs = Json::array();
    for (const Awaited& awaited : awaited_) {
      const auto* job = sched::find_job(agent.peer(), awaited.id);
      if (job != nullptr) jobs.push_back(summary_of(agent, *job, viewer_));
    }
    return jobs;
  }
  std::vector<RecordMark> marks(const AgentServices& agent) const {
    std::vector<RecordMark> all{agent.record_mark()};
    for (const Awaited& awaited : awaited_) {
      if (awaited.has_replicas) all.push_back(agent.record_mark(awaited.id));
    }
    return all;
  }

  std::vector<Awaited> awaited_;
  Principal viewer_;
  bool progress_;
  std::size_t ended_ = 0;
  std::optional<std::vector<RecordMark>> marks_;  ///< Of the ends of the jobs.
  overlay::Time next_{};
};

/// Tells each finished task of a job once: those of the past from disk, then those that finish.
class WatchPending final : public Pending {
 public:
  /// `running`: attempts that begin are told, too.
  WatchPending(const sched::JobId& job, const Principal& viewer, std::uint32_t tasks, bool running)
      : job_(job),
        viewer_(viewer),
        told_(tasks),
        running_(running) {}

  overlay::Time due() const override {
    if (held_up_) return last_ + kBundlePeriod;
    if (stale_) return last_;
    return last_ + (fresh_.empty() ? kProgressPeriod : kBundlePeriod);
  }

  void on_result(
      const sched::JobId& job, const sched::Report& report, overlay::PeerId worker) override {
    if (job != job_) return;
    // A slow client must not cost memory: from here on, the disk remembers.
    if (fresh_.size() >= kFreshMax) {
      fresh_.clear();
      ready_ = 0;
      mark_.reset();
      stale_ = true;
      from_ = 0;
    }
    fresh_.push_back({report, worker});
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const auto* job = sched::find_job(agent.peer(), job_);
    if (job == nullptr) {
      reply.fail(has_replicas_ ? moved(agent, job_)
                               : Error{ErrorKind::not_found,
                                     "the job was forgotten: too many others came after it"});
      return false;
    }
    has_replicas_ = job->job().replicas > 0;
    const bool finished = job->finished().has_value();
    if (!finished && agent.now() < due()) return true;
    last_ = agent.now();
    if (!mark_) {
      mark_ = agent.record_mark(job_);
      ready_ = fresh_.size();
    }
    held_up_ = reply.congested() || !agent.durable(*mark_);
    if (held_up_) return true;
    mark_.reset();

    Json told = Json::array();
    if (stale_) {
      if (auto read = read_back(agent, told); !read) {
        reply.fail(read.error());
        return false;
      }
    } else {
      const auto end = fresh_.begin() + static_cast<std::ptrdiff_t>(std::exchange(ready_, 0));
      for (auto row = fresh_.begin(); row != end; ++row) tell(agent, *row, told);
      fresh_.erase(fresh_.begin(), end);
    }
    Json message = {{"progress", summary_of(agent, *job, viewer_)}, {"finished", std::move(told)}};
    if (running_) message["started"] = started(*job);
    const bool last = finished && !stale_ && fresh_.empty();
    last ? reply.end(std::move(message)) : reply.part(std::move(message));
    return !last;
  }

 private:
  /// The attempts that were bound since the last reply, and still are.
  Json started(const sched::JobState& job) {
    Json begun = Json::array();
    std::map<std::uint32_t, std::uint32_t> bound;
    for (const auto& [index, binding] : job.bindings()) {
      bound.emplace_hint(bound.end(), index, binding.attempt);
      const auto before = bound_.find(index);
      if (before != bound_.end() && before->second == binding.attempt) continue;
      begun.push_back({{"index", index}, {"attempt", binding.attempt}});
    }
    bound_ = std::move(bound);
    return begun;
  }

  /// One page of recorded results, without those told already.
  Result<void> read_back(AgentServices& agent, Json& told) {
    const auto rows =
        agent.results({.job = job_, .first = from_, .limit = kPageMax, .listed = Listed::all});
    if (!rows) return tl::unexpected(rows.error());
    for (const ResultRow& row : *rows) tell(agent, row, told);
    stale_ = rows->size() == kPageMax;
    if (stale_) from_ = rows->back().report.index + 1;
    return {};
  }

  void tell(AgentServices& agent, const ResultRow& row, Json& told) {
    if (row.report.index >= told_.size() || told_[row.report.index]) return;
    told_[row.report.index] = true;
    told.push_back(task_of(agent, row));
  }

  sched::JobId job_;
  Principal viewer_;
  std::vector<bool> told_;
  bool running_;
  bool has_replicas_ = false;
  std::map<std::uint32_t, std::uint32_t> bound_;  ///< The attempts told, if it tells of them.
  bool stale_ = true;                             ///< Results are on disk that were not told.
  std::uint32_t from_ = 0;                        ///< Where to read on.
  std::vector<ResultRow> fresh_;  ///< Results to tell, some of which may be told already.
  std::size_t ready_ = 0;         ///< So many of them are on disk once mark_ is.
  std::optional<RecordMark> mark_;
  bool held_up_ = false;  ///< By the client, or the disk.
  overlay::Time last_{};
};

}  // namespace

PendingResult handle_wait(AgentServices& agent, ControlSession& session, Args& args) {
  const bool progress = args.flag("progress");
  std::vector<std::uint32_t> numbers;
  for (const Json& number : args.list("numbers", 100'000)) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > UINT32_MAX) {
      args.fail("numbers", "a list of job numbers");
      break;
    }
    numbers.push_back(number.get<std::uint32_t>());
  }
  const auto origin = origin_of(agent, args);
  if (!origin) return tl::unexpected(origin.error());
  std::vector<WaitPending::Awaited> awaited;
  for (const std::uint32_t number : numbers) {
    const sched::JobState* const job = sched::find_job(agent.peer(), *origin, number);
    if (job == nullptr) return tl::unexpected(no_job(agent, *origin, number));
    awaited.push_back({job->id(), job->job().replicas > 0});
  }
  return std::make_unique<WaitPending>(std::move(awaited), session.speaker(), progress);
}

PendingResult handle_watch(AgentServices& agent, ControlSession& session, Args& args) {
  const auto job = find_job(agent, args);
  const bool running = args.flag("running");
  if (!job) return tl::unexpected(job.error());
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<WatchPending>(
      (*job)->id(), session.speaker(), (*job)->task_count(), running);
}

}  // namespace dunlin::node
