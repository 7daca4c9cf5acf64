// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "node/base64.h"
#include "node/control/after/end_command.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/output/output_place.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "node/task/output/output_copies.h"
#include "sched/peer_view.h"

// The output of a task lies on the node that ran it, and at times a copy of its end elsewhere. The
// reader's home asks that node piece by piece, by datagrams of its own: no more than a piece of it
// is kept here, and a reader that is slow slows down its own reading alone.
namespace dunlin::node {
namespace {

constexpr overlay::Duration kLookPeriod = std::chrono::milliseconds(50);
/// The longest time for which a worker may keep a request that waits for more output.
constexpr overlay::Duration kLongPoll = std::chrono::seconds(2);
/// The wait for an answer before the request is sent once more. A person waits for it, so a node
/// that is gone must be told within two seconds; a request that follows a task may be patient.
/// A node of which nothing is known is waited for so long.
constexpr overlay::Duration kUnheardFor = std::chrono::seconds(5);
constexpr overlay::Duration kOutputWait = std::chrono::milliseconds(500);
constexpr overlay::Duration kOutputFollowWait = std::chrono::seconds(4);
constexpr std::size_t kTriesMax = 3;

/// The reading of one client in one task's stream: piece by piece, from wherever it ran.
class OutputPending final : public Pending {
 public:
  OutputPending(
      const sched::JobId& job, OutputRequest request, std::uint64_t bytes_max, bool follow)
      : job_(job),
        request_(request),
        left_(bytes_max),
        follow_(follow) {}

  overlay::Time due() const override { return due_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!answered(agent) && agent.now() < due_) return true;
    due_ = agent.now() + kLookPeriod;
    if (reply.congested()) return true;
    if (answer_) return awaits_result(agent) || pass_on(agent, reply);
    // Datagrams may be lost, so one answer of several requests is enough; after the last there is
    // only the copy.
    if (asked_.size() == kTriesMax) return give_up(agent, reply);

    const auto* job = sched::find_job(agent.peer(), job_);
    if (job == nullptr) return fail(reply, "the job was forgotten");
    const auto at = find_output(agent, *job, request_.index, attempt_wanted_);
    if ((!at || !at->worker) && !settled(agent)) return true;
    if (!at) {
      reply.fail(at.error());
      return false;
    }
    if (!at->worker) return not_started(*job, reply);
    // A new attempt begins at its beginning.
    if (is_other(at->attempt)) {
      request_.offset = 0;
      abandon(agent);
    }
    request_.attempt = at->attempt;
    request_.bytes_max =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(OutputChunk::kDataMax, left_));
    request_.wait = follow_ && at->running ? kLongPoll : overlay::Duration{0};
    worker_ = at->worker == agent.id() ? overlay::PeerId{} : at->worker;
    return worker_ ? ask(agent, *at, reply) : tell_own(agent, reply);
  }

  /// By their numbers for people; 0: the last one, and an offset of whichever that is.
  void want_attempt(std::uint32_t attempt, std::uint32_t of_offset) {
    attempt_wanted_ = attempt;
    offset_of_ = of_offset;
  }

 private:
  /// True if the offset is not of that attempt.
  bool is_other(sched::AttemptNumber attempt) const {
    if (request_.attempt != 0) return request_.attempt != attempt;
    // Clients know nothing of offices: after a takeover all would be read from its beginning, again
    // and again, as none of their numbers is one of the new home.
    return offset_of_ != 0 && offset_of_ != sched::number_of(attempt);
  }
  static bool fail(const Reply& reply, std::string text) {
    reply.fail({ErrorKind::not_found, std::move(text)});
    return false;
  }

  bool answered(AgentServices& agent) {
    // A late answer to an earlier request is as good: all of them asked for the same.
    for (std::size_t i = 0; i < asked_.size() && !answer_; ++i) {
      answer_ = agent.take_output(asked_[i]);
    }
    return answer_.has_value();
  }

  /// False while a result that the frontend knows may not be on disk, where locate() looks for it.
  bool settled(AgentServices& agent) {
    if (!doubted_) doubted_ = agent.record_mark(job_);
    if (!agent.durable(*doubted_) && agent.store_error().empty()) return false;
    doubted_.reset();
    return true;
  }

  /// The end of the task must be on disk before "that was all" is said: only its result tells how
  /// much there was.
  bool awaits_result(AgentServices& agent) { return !is_bound(agent) && !settled(agent); }

  /// Tells the next piece of what a task wrote here.
  bool tell_own(AgentServices& agent, const Reply& reply) {
    const OutputChunk chunk = agent.read_output(request_);
    const bool whole = request_.offset + chunk.data.size() >= chunk.total;
    return (whole && awaits_result(agent)) || tell(agent, reply, chunk);
  }

  bool not_started(const sched::JobState& job, const Reply& reply) const {
    if (sched::is_final(job.task(request_.index).state)) {
      return fail(reply, "task " + std::to_string(request_.index) + " never ran");
    }
    if (follow_) return true;
    return fail(reply, "task " + std::to_string(request_.index) + " has not started yet");
  }

  // A node that is known to be down is not waited for: its output may have been copied here.
  bool ask(AgentServices& agent, const OutputPlace& at, const Reply& reply) {
    const bool told = (is_down(agent, at.worker) || !at.address) && tell_copy(agent, reply);
    if (told) return false;
    if (!at.address) {
      // An agent that has just begun hears of the others in a moment. No output is another answer
      // than none that can be had: clients take the first for the end.
      unheard_since_ = std::min(unheard_since_, agent.now());
      if (agent.now() - unheard_since_ < kUnheardFor) return true;
      reply.fail({ErrorKind::timeout,
          "the output is on node " + agent.name_of(at.worker) +
              ", which nobody has heard of lately"});
      return false;
    }
    asked_.push_back(agent.ask_output({at.worker, at.address}, request_));
    const bool follows = request_.wait > overlay::Duration{0};
    due_ = agent.now() + request_.wait + (follows ? kOutputFollowWait : kOutputWait);
    return true;
  }

  static bool is_down(const AgentServices& agent, overlay::PeerId worker) {
    const auto& nodes = sched::directory_of(agent.peer()).nodes();
    const auto node = nodes.find(worker);
    return node != nodes.end() && node->second.state(agent.now()) == sched::NodeState::down;
  }

  /// Tells all that this node has a copy of, and what is missing. False if it has none.
  bool tell_copy(AgentServices& agent, const Reply& reply) {
    request_.bytes_max = OutputChunk::kDataMax;
    auto copy = agent.read_output_copy(request_);
    if (!copy) return false;
    const std::uint64_t asked = request_.offset;
    for (; copy; copy = agent.read_output_copy(request_)) {
      const std::uint64_t begin = std::max(request_.offset, copy->begin);
      request_.offset = begin + copy->chunk.data.size();
      const bool last = request_.offset >= copy->chunk.total || copy->chunk.data.empty();
      Json json = {{"attempt", sched::number_of(copy->chunk.attempt)}, {"offset", begin},
          {"total", copy->chunk.total}, {"next", request_.offset}, {"ended", true},
          {"data", to_base64(copy->chunk.data)}};
      const bool whole = copy->begin <= asked;
      last&& whole ? reply.end(std::move(json)) : reply.part(std::move(json));
      if (!last) continue;
      if (!whole) {
        reply.fail({ErrorKind::io,
            agent.name_of(worker_ ? worker_ : agent.id()) + " does not answer, and of what task " +
                std::to_string(request_.index) + " wrote there only the last " +
                std::to_string(copy->chunk.total - copy->begin) + " bytes were copied"});
      }
      break;
    }
    return true;
  }

  bool pass_on(AgentServices& agent, const Reply& reply) {
    abandon(agent);
    std::optional<OutputChunk> answer;
    answer.swap(answer_);
    return !answer || tell(agent, reply, *answer);
  }

  bool give_up(AgentServices& agent, const Reply& reply) {
    abandon(agent);
    if (tell_copy(agent, reply)) return false;
    reply.fail({ErrorKind::timeout,
        "the output is on " + agent.name_of(worker_) + ", which does not answer"});
    return false;
  }

  void abandon(AgentServices& agent) {
    for (const std::uint64_t asked : asked_) agent.abandon_output(asked);
    asked_.clear();
  }

  bool tell(AgentServices& agent, const Reply& reply, const OutputChunk& chunk) {
    const std::uint64_t begin = request_.offset;
    request_.offset += chunk.data.size();
    left_ -= std::min<std::uint64_t>(left_, chunk.data.size());
    // A worker that has nothing of an attempt may not have started it yet: a task is bound before.
    // A silent attempt leaves nothing behind either, and then it ends with its task.
    const bool bound = request_.wait > overlay::Duration{0} ? may_go_on(agent) : is_bound(agent);
    const bool ended = chunk.found ? chunk.ended : !bound;
    const bool whole = request_.offset >= chunk.total;
    const bool more = left_ > 0 && (!whole || (follow_ && !ended));
    if (!chunk.data.empty() || !more) {
      Json json = {{"attempt", sched::number_of(chunk.attempt)}, {"offset", begin},
          {"total", chunk.total}, {"next", request_.offset}, {"ended", ended},
          {"data", to_base64(chunk.data)}};
      const std::string lost = more || !whole ? "" : lost_part(agent, chunk);
      const bool last = !more && lost.empty();
      last ? reply.end(std::move(json)) : reply.part(std::move(json));
      if (!lost.empty()) reply.fail({ErrorKind::io, lost});
    }
    // Output that is there follows at once. Output that a local task has yet to write is looked
    // for.
    const bool wait = whole && request_.wait > overlay::Duration{0} && (!worker_ || !chunk.found);
    due_ = wait ? agent.now() + kLookPeriod : agent.now();
    return more;
  }

  /// How much the attempt's result says that it wrote; nothing if no result of it is known here.
  Result<std::optional<std::uint64_t>> written(AgentServices& agent) const {
    const auto bytes_of = [this](const sched::Report& report) {
      return request_.stream == OutputStream::out ? report.out_bytes : report.err_bytes;
    };
    const auto rows =
        agent.results({.job = job_, .first = request_.index, .limit = 1, .listed = Listed::all});
    if (!rows) return tl::unexpected(rows.error());
    const bool ended = !rows->empty() && rows->front().report.index == request_.index;
    if (ended && rows->front().report.attempt == request_.attempt) {
      return bytes_of(rows->front().report);
    }
    const auto earlier = agent.attempts(job_, request_.index);
    if (!earlier) return tl::unexpected(earlier.error());
    for (const AttemptRow& row : *earlier) {
      if (row.report.attempt == request_.attempt && !row.lost) return bytes_of(row.report);
    }
    return std::nullopt;
  }

  /// What is missing of the attempt's output, in a sentence. Empty: nothing, or the attempt goes
  /// on. Only a result tells how much there was, so without one nothing is not all.
  std::string lost_part(AgentServices& agent, const OutputChunk& chunk) const {
    const std::string task = "task " + std::to_string(request_.index);
    const std::string node = agent.name_of(worker_ ? worker_ : agent.id());
    if (chunk.cut_off) return task + " could not write the rest: the disk of " + node + " was full";
    const auto bytes = written(agent);
    if (!bytes)
      return "whether this is all that " + task + " wrote is not known: " + bytes.error().text;
    if (!*bytes) {
      if (chunk.found || is_bound(agent)) return "";
      return task + " has no result of attempt " +
          std::to_string(sched::number_of(request_.attempt)) + ", and " + node +
          " has kept nothing that it wrote";
    }
    if (chunk.total >= **bytes) return "";
    return task + " wrote " + std::to_string(**bytes) + " bytes, of which " + node + " has kept " +
        std::to_string(chunk.total) + why_lost(chunk) +
        "; a file of the task's own (--stdout, --stderr) has no limit";
  }

  static std::string why_lost(const OutputChunk& chunk) {
    if (chunk.at_limit) return ", as many as agent.output_task_limit there allows";
    if (chunk.total == 0)
      return ": agent.output_limit or the disk there left no room, or lost them";
    // Agents of before do not say it.
    return ": its disk lost the others, or agent.output_task_limit there allows no more";
  }

  /// True if the attempt may not have begun to write yet.
  bool is_bound(const AgentServices& agent) const {
    const auto* job = sched::find_job(agent.peer(), job_);
    if (job == nullptr) return false;
    const auto binding = job->bindings().find(request_.index);
    return binding != job->bindings().end() && binding->second.attempt == request_.attempt;
  }

  bool may_go_on(const AgentServices& agent) const {
    const auto* job = sched::find_job(agent.peer(), job_);
    return job != nullptr && !sched::is_final(job->task(request_.index).state);
  }

  sched::JobId job_;
  OutputRequest request_;
  std::uint64_t left_;
  bool follow_;
  std::uint32_t attempt_wanted_ = 0;
  std::uint32_t offset_of_ = 0;  ///< The attempt that the first offset is of.
  overlay::Time due_{};
  overlay::Time unheard_since_ = overlay::kNever;  ///< That nothing is known of the worker's node.
  overlay::PeerId worker_;            ///< The remote one asked last; none if it ran here.
  std::vector<std::uint64_t> asked_;  ///< The requests under way, all for the same; kTriesMax.
  std::optional<OutputChunk> answer_;
  std::optional<RecordMark> doubted_;  ///< The records that settled() waits for.
};

}  // namespace

PendingResult handle_output(AgentServices& agent, ControlSession&, Args& args) {
  const auto job = find_job(agent, args);
  const std::int64_t last = job ? std::int64_t{(*job)->task_count()} - 1 : 0;
  OutputRequest request;
  request.index = static_cast<std::uint32_t>(args.number("task", 0, last, 0));
  const std::string stream = args.text("stream", 8);
  if (!stream.empty() && stream != "out" && stream != "err") args.fail("stream", "out or err");
  request.stream = stream == "err" ? OutputStream::err : OutputStream::out;
  constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  request.offset = static_cast<std::uint64_t>(args.number("offset", 0, endless, 0));
  const auto bytes_max = static_cast<std::uint64_t>(args.number("bytes_max", 0, endless, endless));
  const auto of_offset =
      static_cast<std::uint32_t>(args.number("offset_attempt", 0, UINT32_MAX, 0));
  const auto attempt = static_cast<std::uint32_t>(args.number("attempt", 0, UINT32_MAX, 0));
  const bool follow = args.flag("follow");
  const bool on_end = args.flag("on_end");
  if (!job) return tl::unexpected(job.error());
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (on_end) return read_end_output(**job, request, bytes_max);
  request.home = (*job)->id().home;
  request.job = (*job)->id().number;
  request.lineage = (*job)->id().lineage;
  auto pending = std::make_unique<OutputPending>((*job)->id(), request, bytes_max, follow);
  pending->want_attempt(attempt, of_offset);
  return pending;
}

}  // namespace dunlin::node
