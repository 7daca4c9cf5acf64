// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/agent_options.h"
#include "node/control/after/after_jobs.h"
#include "node/control/after/early_submit.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/inputs/input_nodes.h"
#include "node/control/job_json.h"
#include "node/control/job_limits.h"
#include "node/control/job_name.h"
#include "node/control/safety_text.h"
#include "node/control/submit/ignored.h"
#include "node/control/usage/day_usage.h"
#include "node/ids.h"
#include "node/wall_clock.h"
#include "sched/frontend/outlook.h"
#include "sched/frontend/submit_check.h"
#include "sched/peer_view.h"

// A submit is answered when the job is durable, at its standbys too if it requires some: "accepted"
// is a promise. Until then the request is pending. If the disk fails the job is cancelled before
// the error is told, so that it does not run here after its user has submitted it elsewhere.
//
// A submission with a key may be said again, after a lost answer: then it is the same job. That is
// looked at before any limit, which the job counts in already.
namespace dunlin::node {
namespace {

/// A client with too many uploads under way may begin another one after so long.
constexpr overlay::Duration kUploadRest = std::chrono::seconds(1);

/// Says that a job is accepted once its record is on disk: from then on it survives this agent.
class SubmitPending final : public Pending {
 public:
  /// `late` is how much later than its deadline the job will end at least. `unknown_nodes`: see
  /// unknown_input_nodes(). `again`: it was submitted before, with the same key.
  SubmitPending(sched::JobId job,
      bool again,
      std::uint32_t tasks,
      sched::Duration late,
      std::vector<std::string> unknown_nodes,
      const RecordMark& mark,
      std::vector<std::string> ignored = {})
      : job_(job),
        again_(again),
        tasks_(tasks),
        late_(late),
        unknown_nodes_(std::move(unknown_nodes)),
        mark_(mark),
        ignored_(std::move(ignored)) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (agent.durable(mark_)) {
      const sched::JobState* const job = sched::find_job(agent.peer(), job_);
      reply.end({{"number", job_.number}, {"job", to_string(job_)}, {"lineage", lineage_text(job_)},
          {"known_as", job_text(agent, job_)}, {"tasks", tasks_}, {"late_ns", late_.count()},
          {"unknown_nodes", unknown_nodes_}, {"ignored", ignored_},
          {"exposed", job == nullptr ? "" : exposure_text(agent, *job)}});
      return false;
    }
    if (agent.is_void(mark_)) {
      reply.fail({ErrorKind::elsewhere,
          "another node took over the jobs of " + agent.peer().self().name +
              " while this one was submitted: `dunlin jobs` shows it if it was taken"});
      return false;
    }
    if (agent.store_error().empty()) return true;
    // Somebody may have been told that it is accepted.
    if (again_) {
      reply.fail({ErrorKind::io,
          "the job was submitted before, but what is known of it could not be stored yet: " +
              agent.store_error()});
      return false;
    }
    // Whoever is told that it failed may submit it elsewhere: it must not run here later.
    (void)agent.cancel(job_, {});
    reply.fail(
        {ErrorKind::io, "the job could not be stored, and was cancelled: " + agent.store_error()});
    return false;
  }

  std::string waits_for(const AgentServices& agent) const override {
    const sched::JobState* const job = sched::find_job(agent.peer(), job_);
    const std::string unsafe = job == nullptr ? "" : safety_text(agent, *job);
    if (!unsafe.empty()) return "job " + std::to_string(job_.number) + " to be safe; " + unsafe;
    return waits_for_record(agent, mark_);
  }

 private:
  sched::JobId job_;
  bool again_;
  std::uint32_t tasks_;
  sched::Duration late_;
  std::vector<std::string> unknown_nodes_;
  RecordMark mark_;
  std::vector<std::string> ignored_;
};

/// How much later than its deadline the job will end at least, by what is known here; 0: perhaps in
/// time.
sched::Duration lateness(const AgentServices& agent, const sched::Job& job) {
  if (!job.deadline) return {};
  std::vector<overlay::Descriptor> nodes;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    if (node.state(agent.now()) != sched::NodeState::down) nodes.push_back(node.descriptor);
  }
  const sched::Duration end = job.begin.value_or(sched::Duration{0}) + shortest_run(job, nodes);
  return std::max(sched::Duration{0}, end - *job.deadline);
}

/// What this node cannot do others may; but nodes of a cluster are seldom so different.
Result<void> check_suspend(AgentServices& agent, const sched::Job& job) {
  if (job.on_preempt != sched::OnPreempt::suspend || agent.local().suspends) return {};
  return failure(ErrorKind::usage,
      "on_preempt: tasks cannot be suspended here, as there is neither a cgroup that freezes nor a "
      "/proc that shows their processes; mount /proc, or use --on-preempt requeue");
}

PendingResult submit(
    AgentServices& agent, const Principal& who, sched::Job job, SubmitWords words) {
  if (auto fine = check_size(job); !fine) return tl::unexpected(fine.error());
  number_groups(job);
  // The job that is there already counts in the limits, and must not be refused for it.
  const auto said = sched::find_submission(agent.peer(), job.key);
  if (!said) return tl::unexpected(said.error());
  const bool again = said->has_value();
  if (!again) {
    if (auto fine = check_limits(agent, who, job); !fine) return tl::unexpected(fine.error());
    if (auto fine = check_day(agent, who, job); !fine) return tl::unexpected(fine.error());
    if (auto fine = check_suspend(agent, job); !fine) return tl::unexpected(fine.error());
  }
  const sched::FrontendParams& defaults = agent.configuration().peer.frontend;
  sched::raise_replicas(job, defaults.replicas, defaults.replicas_required);
  // By the agent's clock, which all times of the job are compared with; the client's may be off.
  job.submitted_at = wall_clock_ns();
  const std::uint32_t tasks = job.task_count();
  const sched::Duration late = lateness(agent, job);
  const std::string name = job.name;
  // Names become ids here, once: a name may mean another node later, or at another agent.
  find_input_nodes(sched::directory_of(agent.peer()), agent.peer().self(), job);
  std::vector<std::string> unknown = unknown_input_nodes(job);
  const auto id = agent.submit(std::move(job), words.allow_unsatisfiable);
  if (!id) return tl::unexpected(id.error());
  if (!again) {
    note_action(agent, who,
        {.verb = "submit",
            .object = "job " + std::to_string(id->number) +
                (name.empty() ? "" : " (" + name + ")") + ", " + std::to_string(tasks) +
                (tasks == 1 ? " task" : " tasks")});
  }
  return std::make_unique<SubmitPending>(*id, again, tasks, late, std::move(unknown),
      agent.record_mark(*id), std::move(words.ignored));
}

/// submit(), now or a little later.
PendingResult submit_in_time(
    AgentServices& agent, const Principal& who, sched::Job job, SubmitWords words) {
  const bool allow = words.allow_unsatisfiable;
  if (!too_early(agent, job, allow)) return submit(agent, who, std::move(job), std::move(words));
  return std::make_unique<EarlyPending>(
      agent, std::move(job), allow, [&agent, who, words](sched::Job later) {
        return submit(agent, who, std::move(later), words);
      });
}

/// Submits a job when the jobs that it is to wait for are found.
class AfterPending final : public Pending {
 public:
  AfterPending(AfterSearch search, const Principal& who, sched::Job job, SubmitWords words)
      : search_(std::move(search)),
        who_(who),
        job_(std::move(job)),
        words_(std::move(words)) {}

  overlay::Time due() const override { return submitted_ ? submitted_->due() : search_.due(); }
  void on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told) override {
    search_.on_job_end(from, told);
  }
  std::string waits_for(const AgentServices& agent) const override {
    return submitted_ ? submitted_->waits_for(agent) : "word of the jobs that it comes after";
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!submitted_) {
      const auto found = search_.advance(agent);
      if (found && !*found) return true;
      if (found) job_.after_jobs = search_.take();
      auto submitted = found ? submit_in_time(agent, who_, std::move(job_), std::move(words_))
                             : PendingResult(tl::unexpected(found.error()));
      if (!submitted) {
        reply.fail(submitted.error());
        return false;
      }
      submitted_ = std::move(*submitted);
    }
    return submitted_->advance(agent, reply);
  }

 private:
  AfterSearch search_;
  Principal who_;
  sched::Job job_;
  SubmitWords words_;
  std::unique_ptr<Pending> submitted_;
};

PendingResult submit_after(AgentServices& agent,
    const Principal& who,
    sched::Job job,
    SubmitWords words,
    const std::vector<AfterWish>& wishes) {
  // Said again it is the same job, also if those before it are forgotten by now.
  const auto said = sched::find_submission(agent.peer(), job.key);
  const bool again = said && *said;
  if (again || wishes.empty()) {
    return submit_in_time(agent, who, std::move(job), std::move(words));
  }
  auto search = AfterSearch::begin(agent, wishes);
  if (!search) return tl::unexpected(search.error());
  return std::make_unique<AfterPending>(std::move(*search), who, std::move(job), std::move(words));
}

/// What a submit says besides the job. With `strict` no member of it may be unknown.
SubmitWords submit_words(Args& args) {
  SubmitWords words{.allow_unsatisfiable = args.flag("allow_unsatisfiable"),
      .ignored = ignored_members(args.json())};
  if (args.flag("strict") && !words.ignored.empty()) {
    args.fail({ErrorKind::usage,
        "a job has no member '" + words.ignored.front() +
            "' (or it is of a newer version than this agent)"});
  }
  return words;
}

/// Charges what came of an upload so far. Fails with `quota` if that is more than its user may
/// have: without a bound here a few connections would fill the memory before the jobs are ever
/// submitted.
Result<void> charge_upload(
    const AgentServices& agent, const ControlSession& session, Upload& upload) {
  upload.held.hold(sched::bytes_of(upload.job));
  return check_uploads(agent, session.speaker(), *upload.held.account());
}

/// The upload that the request names.
Result<Upload*> find_upload(ControlSession& session, Args& args) {
  const auto number = args.number("upload", 1, UINT32_MAX);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const auto found = session.uploads().find(static_cast<std::uint32_t>(number));
  if (found == session.uploads().end()) {
    return failure(ErrorKind::not_found, "no upload " + std::to_string(number) + " here");
  }
  return &found->second;
}

}  // namespace

PendingResult handle_submit(AgentServices& agent, ControlSession& session, Args& args) {
  SubmitWords words = submit_words(args);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  auto job = parse_job(args.json(), session.speaker().user);
  if (!job) return tl::unexpected(job.error());
  return submit_after(
      agent, session.speaker(), std::move(*job), std::move(words), parse_after(args));
}

Result<Json> handle_submit_begin(AgentServices& agent, ControlSession& session, Args& args) {
  Upload upload;
  upload.words = submit_words(args);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (session.uploads().size() >= ControlSession::kUploadsMax) {
    return too_busy("too many uploads under way on this connection", kUploadRest.count());
  }
  auto job = parse_job(args.json(), session.speaker().user);
  if (!job) return tl::unexpected(job.error());
  upload.job = std::move(*job);
  upload.after = parse_after(args);
  for (const auto& group : upload.job.groups) upload.bytes += group.entries.text.size();
  upload.held = HeldUpload(session.account());
  if (auto fine = charge_upload(agent, session, upload); !fine) return tl::unexpected(fine.error());
  return Json{{"upload", session.new_upload(std::move(upload))}};
}

Result<Json> handle_submit_lines(AgentServices& agent, ControlSession& session, Args& args) {
  auto upload = find_upload(session, args);
  if (!upload) return tl::unexpected(upload.error());
  auto& groups = (*upload)->job.groups;
  const auto group = static_cast<std::size_t>(
      args.number("group", 0, static_cast<std::int64_t>(groups.size()) - 1, 0));
  const Json& lines = args.list("lines", kSubmitTasksMax);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  Result<void> fine;
  for (const Json& line : lines) {
    fine = add_line(groups[group], line, (*upload)->bytes);
    if (!fine) break;
  }
  if (fine) fine = charge_upload(agent, session, **upload);
  if (!fine) {
    // Nothing good becomes of it, and the client may want to upload something else.
    session.uploads().erase(static_cast<std::uint32_t>(args.number("upload", 1, UINT32_MAX)));
    return tl::unexpected(fine.error());
  }
  return Json{{"lines", groups[group].entries.size()}};
}

PendingResult handle_submit_end(AgentServices& agent, ControlSession& session, Args& args) {
  auto upload = find_upload(session, args);
  if (!upload) return tl::unexpected(upload.error());
  Upload whole = std::move(**upload);
  session.uploads().erase(static_cast<std::uint32_t>(args.number("upload", 1, UINT32_MAX)));
  whole.words.held = std::make_shared<HeldUpload>(std::move(whole.held));
  return submit_after(
      agent, session.speaker(), std::move(whole.job), std::move(whole.words), whole.after);
}

PendingResult handle_submitted(AgentServices& agent, ControlSession&, Args& args) {
  const sched::SubmitKey key = parse_submit_key(args);
  if (args.check() && key.empty()) args.fail("key", "the key of a submission");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const auto said = sched::find_submission(agent.peer(), key);
  if (!said) return tl::unexpected(said.error());
  if (!*said) {
    return failure(ErrorKind::not_found,
        "node " + agent.peer().self().name + " has no job of that submission");
  }
  const sched::JobId id = (*said)->id;
  const sched::JobState* const job = sched::find_job(agent.peer(), id);
  // Another node that drives it knows more of it; that it was taken is all that is asked.
  if (job == nullptr) {
    return std::make_unique<SubmitPending>(id, true, (*said)->tasks, sched::Duration{},
        std::vector<std::string>{}, agent.record_mark(id));
  }
  return std::make_unique<SubmitPending>(id, true, job->task_count(), lateness(agent, job->job()),
      unknown_input_nodes(job->job()), agent.record_mark(id));
}

}  // namespace dunlin::node
