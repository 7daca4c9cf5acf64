// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "node/base64.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

constexpr std::uint32_t kChunk = 49'152;
constexpr overlay::Duration kLookPeriod = std::chrono::milliseconds(50);
/// How long a worker may keep a request that waits for more output.
constexpr overlay::Duration kLongPoll = std::chrono::seconds(2);
constexpr overlay::Duration kAnswerTimeout = std::chrono::seconds(4);
constexpr int kTriesMax = 3;

/// Where to look for a task's output.
struct Whereabouts {
  overlay::PeerId worker;  ///< Nobody: it never ran.
  overlay::Address address;
  std::uint16_t attempt = 0;
  bool running = false;
};

/// What one client reads of one task's stream: piece by piece, from wherever it ran.
class OutputPending final : public Pending {
 public:
  OutputPending(const sched::JobId& job, OutputRequest request, std::uint64_t most, bool follow)
      : job_(job),
        request_(request),
        left_(most),
        follow_(follow) {}

  overlay::Time due() const override { return due_; }

  bool advance(Agent& agent, const Reply& reply) override {
    if (!answered(agent) && agent.now() < due_) return true;
    due_ = agent.now() + kLookPeriod;
    if (reply.congested()) return true;
    if (asked_ != 0) return take_answer(agent, reply);

    const auto* job = sched::frontend_of(agent.peer()).find(job_);
    if (job == nullptr) return fail(reply, "the job was forgotten");
    const auto at = locate(agent, *job);
    if (!at) {
      reply.fail(at.error());
      return false;
    }
    if (!at->worker) return not_started(*job, reply);
    const std::uint16_t attempt = attempt_wanted_ != 0 ? attempt_wanted_ : at->attempt;
    // A new attempt begins at its beginning.
    if (request_.attempt != 0 && request_.attempt != attempt) request_.offset = 0;
    request_.attempt = attempt;
    request_.most = static_cast<std::uint32_t>(std::min<std::uint64_t>(kChunk, left_));
    request_.wait = follow_ && at->running ? kLongPoll : overlay::Duration{0};
    worker_ = at->worker == agent.id() ? overlay::PeerId{} : at->worker;
    if (!worker_) return tell(agent, reply, output(agent));
    return ask(agent, *at, reply);
  }

  void want_attempt(std::uint16_t attempt) { attempt_wanted_ = attempt; }

 private:
  static bool fail(const Reply& reply, std::string text) {
    reply.fail({ErrorKind::not_found, std::move(text)});
    return false;
  }

  OutputChunk output(Agent& agent) const {
    OutputPiece piece = agent.output().read({.job = job_, .index = request_.index},
        request_.attempt, request_.stream, request_.offset, request_.most);
    return {.request = 0,
        .found = piece.found,
        .ended = piece.ended,
        .attempt = piece.attempt,
        .total = piece.total,
        .data = std::move(piece.data)};
  }

  bool answered(Agent& agent) {
    if (asked_ != 0 && !answer_) answer_ = agent.take_output(asked_);
    return answer_.has_value();
  }

  /// The worker that runs the task, or ran the attempt that counts.
  Result<Whereabouts> locate(Agent& agent, const sched::JobState& job) const {
    Whereabouts at;
    const auto binding = job.bindings().find(request_.index);
    if (binding != job.bindings().end()) {
      return Whereabouts{.worker = binding->second.worker.id,
          .address = binding->second.worker.address,
          .attempt = binding->second.attempt,
          .running = true};
    }
    const auto rows = agent.store().results(
        {.job = job_.number, .first = request_.index, .limit = 1, .failed_only = false});
    if (!rows) return tl::unexpected(rows.error());
    if (rows->empty() || rows->front().report.index != request_.index) return at;
    at.worker = rows->front().worker;
    at.attempt = rows->front().report.attempt;
    const auto& nodes = sched::directory_of(agent.peer()).nodes();
    const auto node = nodes.find(at.worker);
    if (node != nodes.end()) at.address = node->second.descriptor.address;
    return at;
  }

  bool not_started(const sched::JobState& job, const Reply& reply) const {
    if (sched::is_final(job.task(request_.index).state)) {
      return fail(reply, "task " + std::to_string(request_.index) + " never ran");
    }
    if (follow_) return true;
    return fail(reply, "task " + std::to_string(request_.index) + " has not started yet");
  }

  bool ask(Agent& agent, const Whereabouts& at, const Reply& reply) {
    if (!at.address) {
      return fail(reply,
          "the output is on node " + to_string(at.worker) + ", which nobody has heard of lately");
    }
    asked_ = agent.ask_output({at.worker, at.address}, request_);
    due_ = agent.now() + request_.wait + kAnswerTimeout;
    return true;
  }

  bool take_answer(Agent& agent, const Reply& reply) {
    const std::uint64_t asked = std::exchange(asked_, 0);
    if (answer_) {
      tries_ = 0;
      return tell(agent, reply, *std::exchange(answer_, std::nullopt));
    }
    agent.abandon_output(asked);
    due_ = agent.now();
    if (++tries_ < kTriesMax) return true;
    reply.fail({ErrorKind::timeout,
        "the output is on " + agent.name_of(worker_) + ", which does not answer"});
    return false;
  }

  bool tell(Agent& agent, const Reply& reply, const OutputChunk& chunk) {
    const std::uint64_t begin = request_.offset;
    request_.offset += chunk.data.size();
    left_ -= std::min<std::uint64_t>(left_, chunk.data.size());
    // A silent attempt leaves nothing behind, and is not running either: then all has been told.
    const bool running = may_go_on(agent);
    const bool ended = chunk.ended || (!chunk.found && !running);
    const bool whole = request_.offset >= chunk.total;
    const bool more = left_ > 0 && (!whole || (follow_ && !ended));
    if (!chunk.data.empty() || !more) {
      Json json = {{"attempt", chunk.attempt}, {"offset", begin}, {"total", chunk.total},
          {"ended", ended}, {"data", to_base64(chunk.data)}};
      more ? reply.part(std::move(json)) : reply.end(std::move(json));
    }
    // What is there already follows at once; what a local task has yet to write is looked for.
    const bool wait = whole && request_.wait > overlay::Duration{0} && !worker_;
    due_ = wait ? agent.now() + kLookPeriod : agent.now();
    return more;
  }

  bool may_go_on(const Agent& agent) const {
    const auto* job = sched::frontend_of(agent.peer()).find(job_);
    return job != nullptr && !sched::is_final(job->task(request_.index).state);
  }

  sched::JobId job_;
  OutputRequest request_;
  std::uint64_t left_;
  bool follow_;
  std::uint16_t attempt_wanted_ = 0;
  overlay::Time due_{};
  overlay::PeerId worker_;   ///< The remote one asked last; nobody if it ran here.
  std::uint64_t asked_ = 0;  ///< A request under way, or 0.
  std::optional<OutputChunk> answer_;
  int tries_ = 0;
};

}  // namespace

PendingResult handle_output(Agent& agent, ControlSession&, Args& args) {
  const auto job = find_job(agent, args);
  const std::int64_t last = job ? std::int64_t{(*job)->task_count()} - 1 : 0;
  OutputRequest request;
  request.index = static_cast<std::uint32_t>(args.number("task", 0, last, 0));
  const std::string stream = args.text("stream", 8);
  if (!stream.empty() && stream != "out" && stream != "err") args.fail("stream", "out or err");
  request.stream = stream == "err" ? OutputStream::err : OutputStream::out;
  constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  request.offset = static_cast<std::uint64_t>(args.number("offset", 0, endless, 0));
  const auto most = static_cast<std::uint64_t>(args.number("most", 0, endless, endless));
  const auto attempt = static_cast<std::uint16_t>(args.number("attempt", 0, UINT16_MAX, 0));
  const bool follow = args.flag("follow");
  if (!job) return tl::unexpected(job.error());
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  request.home = (*job)->id().home;
  request.job = (*job)->id().number;
  auto pending = std::make_unique<OutputPending>((*job)->id(), request, most, follow);
  pending->want_attempt(attempt);
  return pending;
}

}  // namespace dunlin::node
