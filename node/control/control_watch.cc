// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/home/task_bits.h"
#include "node/control/subscribe/result_feed.h"
#include "sched/peer_view.h"

// `wait` tells when jobs have ended, `watch` tells of each task that does. Neither says what a
// crash could take back: ends wait until they are on disk, and with the standbys. A client that
// reads slowly loses reports of progress, and no result. When another node takes the jobs over, the
// request is made again there, and says what was told already.
namespace dunlin::node {
namespace {

/// Finished tasks are told in bundles, at most so often; the end of a job is told at once.
constexpr overlay::Duration kBundlePeriod = std::chrono::milliseconds(50);

/// Another node drives the job by now. A client's request is made again, and goes there; another
/// agent does so itself.
class Moved {
 public:
  explicit Moved(const Args& args) {
    if (!args.has("origin")) request_ = args.json();
  }
  void leave(const AgentServices& agent, const sched::JobId& job, const Reply& reply) {
    if (request_) {
      again_ = std::exchange(request_, std::nullopt);
    } else {
      reply.fail({ErrorKind::elsewhere,
          "node " + agent.peer().self().name + " does not drive job " + std::to_string(job.number) +
              " any more: a standby took it over; ask again"});
    }
  }
  std::optional<Json> again() { return std::exchange(again_, std::nullopt); }

 private:
  std::optional<Json> request_;  ///< Empty if another agent made it.
  std::optional<Json> again_;
};

/// Replies when all of some jobs are finished.
class WaitPending final : public Pending {
 public:
  struct Awaited {
    sched::JobId id;
    bool has_replicas = false;
  };

  WaitPending(
      std::vector<Awaited> awaited, const Principal& viewer, const Args& args, bool progress)
      : awaited_(std::move(awaited)),
        viewer_(viewer),
        moved_(args),
        progress_(progress) {}

  std::optional<Json> again() override { return moved_.again(); }

  overlay::Time due() const override { return progress_ ? next_ : overlay::kNever; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    // Jobs end one by one: look only at the first that had not ended. A forgotten one has.
    while (ended_ < awaited_.size()) {
      const auto* job = sched::find_job(agent.peer(), awaited_[ended_].id);
      if (job != nullptr && !job->finished()) break;
      // A job with replicas that is gone from here is driven by another node; one without was
      // forgotten.
      if (job == nullptr && awaited_[ended_].has_replicas) {
        moved_.leave(agent, awaited_[ended_].id, reply);
        return false;
      }
      ++ended_;
    }
    if (ended_ == awaited_.size()) {
      // The end is not final before it is on disk; while that is full, the loop turns each second.
      if (!marks_) marks_ = marks(agent);
      const auto durable = [&](const RecordMark& mark) { return agent.durable(mark); };
      if (std::ranges::any_of(*marks_, [&](const auto& mark) { return agent.is_void(mark); })) {
        moved_.leave(agent, awaited_.back().id, reply);
        return false;
      }
      if (!std::ranges::all_of(*marks_, durable)) return true;
      // While others were waited for, a user may have had tasks of one that had ended run again.
      const auto goes_on = std::ranges::find_if(awaited_, [&](const Awaited& awaited) {
        const auto* job = sched::find_job(agent.peer(), awaited.id);
        return job != nullptr && !job->finished();
      });
      if (goes_on != awaited_.end()) {
        ended_ = static_cast<std::size_t>(goes_on - awaited_.begin());
        marks_.reset();
        return true;
      }
      reply.end({{"jobs", summaries(agent)}});
      return false;
    }
    if (progress_ && agent.now() >= next_) {
      next_ = agent.now() + kProgressPeriod;
      // Progress is not worth a queue: a client that is slow gets the next one.
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
  Moved moved_;
  bool progress_;
  std::size_t ended_ = 0;
  std::optional<std::vector<RecordMark>> marks_;  ///< Of the ends of the jobs.
  overlay::Time next_{};
};

/// Tells each finished task of a job once: those of the past from disk, then those that finish.
class WatchPending final : public Pending {
 public:
  /// `running`: attempts that begin are told, too. `told`: the tasks that were told before.
  WatchPending(const sched::JobId& job,
      const Principal& viewer,
      const Args& args,
      TaskBits told,
      bool running)
      : job_(job),
        viewer_(viewer),
        moved_(args),
        feed_(job, std::move(told)),
        running_(running) {}

  std::optional<Json> again() override {
    auto request = moved_.again();
    if (request) (*request)["told"] = feed_.told().text();
    return request;
  }

  overlay::Time due() const override {
    if (held_up_) return last_ + kBundlePeriod;
    if (feed_.stale()) return last_;
    return last_ + (feed_.has_fresh() ? kBundlePeriod : kProgressPeriod);
  }

  void on_result(
      const sched::JobId& job, const sched::Report& report, overlay::PeerId worker) override {
    if (job == job_) feed_.on_result(report, worker);
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const auto* job = sched::find_job(agent.peer(), job_);
    if (job == nullptr) {
      if (has_replicas_) {
        moved_.leave(agent, job_, reply);
      } else {
        reply.fail({ErrorKind::not_found, "the job was forgotten: too many others came after it"});
      }
      return false;
    }
    has_replicas_ = job->job().replicas > 0;
    const bool finished = job->finished().has_value();
    if (!finished && agent.now() < due()) return true;
    last_ = agent.now();
    // Results must not be dropped: they stay in the feed until the client has read.
    held_up_ = reply.congested();
    if (held_up_) return true;
    Json told = Json::array();
    const auto taken = feed_.take(agent, told);
    if (!taken) {
      reply.fail(taken.error());
      return false;
    }
    held_up_ = !*taken;
    if (held_up_) return true;
    Json message = {{"progress", summary_of(agent, *job, viewer_)}, {"finished", std::move(told)}};
    if (running_) message["started"] = started(*job);
    const bool last = finished && feed_.whole();
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
      begun.push_back({{"index", index}, {"attempt", sched::number_of(binding.attempt)}});
    }
    bound_ = std::move(bound);
    return begun;
  }

  sched::JobId job_;
  Principal viewer_;
  Moved moved_;
  ResultFeed feed_;
  bool running_;
  bool has_replicas_ = false;
  std::map<std::uint32_t, std::uint32_t> bound_;  ///< The attempts told, if it tells of them.
  bool held_up_ = false;                          ///< By the client, or the disk.
  overlay::Time last_{};
};

}  // namespace

PendingResult handle_wait(AgentServices& agent, ControlSession& session, Args& args) {
  const bool progress = args.flag("progress");
  const auto numbers = args.numbers("numbers", kSubscribedMax, UINT64_MAX, "a list of job numbers");
  const auto origin = origin_of(agent, args);
  if (!origin) return tl::unexpected(origin.error());
  std::vector<WaitPending::Awaited> awaited;
  for (const std::uint32_t number : numbers) {
    const sched::JobState* const job = sched::find_job(agent.peer(), *origin, number);
    if (job == nullptr) return tl::unexpected(no_job(agent, *origin, number));
    awaited.push_back({job->id(), job->job().replicas > 0});
  }
  return std::make_unique<WaitPending>(std::move(awaited), session.speaker(), args, progress);
}

PendingResult handle_watch(AgentServices& agent, ControlSession& session, Args& args) {
  const auto job = find_job(agent, args);
  const bool running = args.flag("running");
  const std::string text = args.text("told", TaskBits::kTextMax);
  if (!job) return tl::unexpected(job.error());
  auto told = TaskBits::read(text, (*job)->task_count());
  if (!told) args.fail("told", "as many bits as the job has tasks, in base64");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<WatchPending>(
      (*job)->id(), session.speaker(), args, std::move(*told), running);
}

}  // namespace dunlin::node
