// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <utility>

#include "node/base64.h"
#include "node/control/control_handlers.h"
#include "node/control/home/relay.h"
#include "node/events/event_feed.h"
#include "node/ids.h"
#include "node/task/task_inputs.h"
#include "sched/peer_view.h"

// A client attaches itself to a task by one long request; what it gives to the task to read are
// requests of their own, each of which is answered when the task has taken it. So a client is asked
// to wait by the task itself, and nothing fills up on the way. The request goes to the job's home,
// which knows where the task runs, and from there to that node. When the client is gone, so is its
// connection, and with it the request at each node on the way: the task's node notices the end.
namespace dunlin::node {
namespace {

/// The interval of looks at what a task took, and at what its terminal shows.
constexpr overlay::Duration kAttachedPeriod = std::chrono::milliseconds(10);
/// The interval of looks for a task that has not started.
constexpr overlay::Duration kStartPeriod = std::chrono::milliseconds(50);
/// A task that is bound to this node is known here after so long.
constexpr overlay::Duration kKnownWithin = std::chrono::seconds(10);
/// Bytes of one request: base64 of it and the rest of the message stay small.
constexpr std::size_t kPieceMax = std::size_t{48} << 10;

/// An attempt, as the node that runs it knows it.
struct Attempt {
  sched::TaskId task;
  sched::AttemptNumber number = 1;
};

/// What a request `input` gives.
struct InputPiece {
  std::string data;
  bool end = false;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
};

InputPiece read_piece(Args& args) {
  const auto data = from_base64(args.text("data", 2 * kPieceMax));
  if (!data || data->size() > kPieceMax) args.fail("data", "base64 of at most 48 KiB");
  constexpr std::int64_t size_max = UINT16_MAX;
  return {.data = data.value_or(""),
      .end = args.flag("end"),
      .rows = static_cast<std::uint16_t>(args.number("rows", 0, size_max, 0)),
      .columns = static_cast<std::uint16_t>(args.number("columns", 0, size_max, 0))};
}

/// Answers when the task has taken a piece of its input, or reads no more.
class PieceTaken final : public Pending {
 public:
  PieceTaken(Attempt attempt, std::uint64_t until) : attempt_(attempt), until_(until) {}

  overlay::Time due() const override { return due_; }
  bool advance(AgentServices& agent, const Reply& reply) override {
    const auto state = agent.local().inputs.state(attempt_.task, attempt_.number);
    const bool closed = state.closed || !state.running;
    due_ = agent.now() + kAttachedPeriod;
    if (!closed && state.taken < until_) return true;
    reply.end({{"taken", state.taken}, {"closed", closed}});
    return false;
  }

 private:
  Attempt attempt_;
  std::uint64_t until_;
  overlay::Time due_{};
};

/// The attachment of a client to an attempt that runs on this node.
class LocalAttachment final : public Pending {
 public:
  /// `show`: the client is told what the task writes to stdout, or shows on its terminal.
  LocalAttachment(AgentServices& agent, Attempt attempt, bool show)
      : agent_(agent),
        attempt_(attempt),
        show_(show),
        begun_(agent.now()) {
    output_.home = attempt.task.job.home;
    output_.job = attempt.task.job.number;
    output_.lineage = attempt.task.job.lineage;
    output_.index = attempt.task.index;
    output_.attempt = attempt.number;
    output_.bytes_max = OutputChunk::kDataMax;
  }
  ~LocalAttachment() override {
    if (attached_) agent_.local().inputs.detach(attempt_.task, attempt_.number);
  }

  overlay::Time due() const override { return due_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    due_ = agent.now() + kAttachedPeriod;
    if (!attached_ && !ended_) return attach(agent, reply);
    if (reply.congested()) return true;
    // In this order: what the task wrote before its end is all there when it has ended.
    ended_ = ended_ || !agent.local().inputs.state(attempt_.task, attempt_.number).running;
    const OutputChunk shown = show_ ? agent.read_output(output_) : OutputChunk{};
    output_.offset += shown.data.size();
    const bool over = ended_ && output_.offset >= shown.total;
    Json json = {{"attempt", sched::number_of(attempt_.number)}, {"data", to_base64(shown.data)}};
    if (over) {
      reply.end(std::move(json));
    } else if (!shown.data.empty()) {
      reply.part(std::move(json));
    }
    return !over;
  }

  PendingResult on_input(AgentServices& agent, const Json& request) override {
    Args args(request);
    if (!attached_) return failure(ErrorKind::conflict, "the task has not started yet");
    const InputPiece piece = read_piece(args);
    if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
    TaskInputs& inputs = agent.local().inputs;
    if (piece.rows != 0 && piece.columns != 0) {
      // Before the bytes: a program that is told of a key and of a new size should draw for the new
      // size.
      inputs.resize(attempt_.task, attempt_.number, piece.rows, piece.columns);
    }
    if (!piece.data.empty() || piece.end) {
      inputs.feed(attempt_.task, attempt_.number, piece.data, piece.end);
    }
    given_ += piece.data.size();
    return std::make_unique<PieceTaken>(attempt_, given_);
  }

 private:
  bool attach(AgentServices& agent, const Reply& reply) {
    const auto attached = agent.local().inputs.attach(attempt_.task, attempt_.number);
    if (attached) {
      attached_ = true;
      due_ = agent.now();
      reply.part({{"attempt", sched::number_of(attempt_.number)}, {"data", ""}});
      return true;
    }
    // It is not known before its start, and after its end; the output tells the one from the other.
    const bool unknown = attached.error().kind == ErrorKind::not_found;
    const OutputChunk shown = agent.read_output(output_);
    ended_ = unknown && shown.found && shown.ended;
    const bool wait = unknown && agent.now() - begun_ < kKnownWithin;
    if (wait || ended_) return true;
    reply.fail(attached.error());
    return false;
  }

  AgentServices& agent_;
  Attempt attempt_;
  bool show_;
  overlay::Time begun_;
  overlay::Time due_{};
  OutputRequest output_;
  std::uint64_t given_ = 0;
  bool attached_ = false;
  bool ended_ = false;
};

/// The attachment of a client to a task of a job of this node, wherever it runs.
class Attachment final : public Pending {
 public:
  Attachment(const sched::TaskId& task, bool show, Relays& relays)
      : task_(task),
        show_(show),
        relays_(relays) {}

  overlay::Time due() const override { return there_ ? there_->due() : due_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const auto* job = sched::find_job(agent.peer(), task_.job);
    if (job == nullptr) {
      reply.fail({ErrorKind::not_found, "the job was forgotten"});
      return false;
    }
    const bool over = sched::is_final(job->task(task_.index).state);
    const auto binding = job->bindings().find(task_.index);
    if (there_) {
      const bool bound = binding != job->bindings().end() && binding->second.attempt == attempt_;
      if (!bound && !over) return fail_of_another_attempt(reply);
      return there_->advance(agent, reply);
    }
    due_ = agent.now() + kStartPeriod;
    // Of a launch it is not known yet which node starts it.
    if (binding != job->bindings().end() && !binding->second.launching) {
      attempt_ = binding->second.attempt;
      return go(agent, binding->second.worker.id, reply);
    }
    if (!over) return true;
    reply.end({{"attempt", 0}, {"data", ""}});
    return false;
  }

  PendingResult on_input(AgentServices& agent, const Json& request) override {
    if (!there_) return failure(ErrorKind::conflict, "the task has not started yet");
    return there_->on_input(agent, request);
  }

 private:
  bool go(AgentServices& agent, overlay::PeerId worker, const Reply& reply) {
    if (worker == agent.id()) {
      there_ = std::make_unique<LocalAttachment>(agent, Attempt{task_, attempt_}, show_);
      return there_->advance(agent, reply);
    }
    const Json asked = {{"verb", "attach_here"}, {"home", to_string(task_.job.home)},
        {"number", task_.job.number}, {"lineage", lineage_text(task_.job)}, {"task", task_.index},
        {"attempt", attempt_}, {"show", show_}};
    auto passed = relay(agent, relays_, Route{.node = worker, .request = asked, .job = {}}, asked);
    if (passed) {
      there_ = std::move(*passed);
      return true;
    }
    reply.fail(passed.error());
    return false;
  }

  bool fail_of_another_attempt(const Reply& reply) const {
    reply.fail({ErrorKind::io,
        "attempt " + std::to_string(sched::number_of(attempt_)) + " of task " +
            std::to_string(task_.index) +
            " was lost, and what it read cannot be given to another one"});
    return false;
  }

  sched::TaskId task_;
  bool show_;
  Relays& relays_;
  std::uint32_t attempt_ = 0;
  std::unique_ptr<Pending> there_;  ///< Once it is known where the task runs.
  overlay::Time due_{};
};

constexpr std::size_t kDigits = 16;

std::uint64_t hexadecimal(Args& args, std::string_view key, const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const bool whole =
      text.size() == kDigits && std::from_chars(text.data(), end, number, 16).ptr == end;
  if (!whole) args.fail(key, "16 hexadecimal digits");
  return number;
}

}  // namespace

PendingResult Pending::on_input(AgentServices&, const Json&) {
  return failure(ErrorKind::usage, "'attach' must be the id of a request 'attach'");
}

PendingResult handle_attach(AgentServices& agent, ControlSession& session, Args& args) {
  const auto job = find_job(agent, args);
  const std::int64_t last = job ? std::int64_t{(*job)->task_count()} - 1 : 0;
  const auto task = static_cast<std::uint32_t>(args.number("task", 0, last, 0));
  const bool show = args.flag("show");
  if (!job) return tl::unexpected(job.error());
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<Attachment>(sched::TaskId{(*job)->id(), task}, show, session.relays());
}

PendingResult handle_attach_here(AgentServices& agent, ControlSession&, Args& args) {
  Attempt attempt;
  attempt.task.job.home = {hexadecimal(args, "home", args.text("home", kDigits))};
  attempt.task.job.lineage = hexadecimal(args, "lineage", args.text("lineage", kDigits));
  attempt.task.job.number = static_cast<std::uint32_t>(args.number("number", 0, UINT32_MAX));
  attempt.task.index = static_cast<std::uint32_t>(args.number("task", 0, UINT32_MAX));
  attempt.number = static_cast<std::uint32_t>(args.number("attempt", 1, UINT32_MAX));
  const bool show = args.flag("show");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<LocalAttachment>(agent, attempt, show);
}

PendingResult handle_input(AgentServices& agent, ControlSession& session, Args& args) {
  const auto id = args.number("attach", 0, INT64_MAX);
  read_piece(args);  // Wherever the task runs, a wrong piece is refused here.
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  Pending* const attached = session.requests().find(id);
  if (attached == nullptr) {
    return failure(ErrorKind::not_found, "no request " + std::to_string(id) + " is under way");
  }
  return attached->on_input(agent, args.json());
}

}  // namespace dunlin::node
