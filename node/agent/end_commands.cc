// SPDX-License-Identifier: MIT
#include "node/agent/end_commands.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "node/codec.h"
#include "node/control/control_handlers.h"
#include "node/ids.h"
#include "node/task/end_command.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_view.h"

// A command passes through three phases, with a record before and after it runs. An agent that dies
// before the first record is on disk has not run it, and its next life will. One that dies later
// never runs it again: the warden keeps the command and its end for the next agent, and what no
// agent finds there was lost with its node.
namespace dunlin::node {
namespace {

/// Not accounted for: such commands send mail. Where CPUs are short they get this share.
constexpr std::uint32_t kMilliCpu = 100;

sched::TaskId task_of(const sched::JobId& job) {
  return {.job = job, .index = kEndCommandIndex};
}

sched::EndCommand ending_of(const sched::Report& report) {
  return {.run = sched::EndRun::ended,
      .outcome = report.outcome,
      .status = report.status,
      .detail = report.detail.substr(0, sched::EndCommand::kDetailMax)};
}

}  // namespace

std::vector<Variable> end_variables(const sched::JobState& job) {
  const auto count = [&](sched::TaskState state) { return std::to_string(job.counts()[state]); };
  return {{"DUNLIN_JOB", to_string(job.id())}, {"DUNLIN_STATE", std::string(state_word(job))},
      {"DUNLIN_DONE", count(sched::TaskState::succeeded)},
      {"DUNLIN_FAILED", count(sched::TaskState::failed)},
      {"DUNLIN_CANCELLED", count(sched::TaskState::cancelled)}};
}

// By turns over the users: the command that would be a user's first comes before another's second,
// with those that run counted. So a user whose thousand jobs end together holds up nobody's mail.
std::vector<std::size_t> turns_of(
    const std::vector<std::pair<sched::JobId, std::string>>& ended, Accounts& accounts) {
  std::map<std::string, std::size_t> turn;
  std::vector<std::pair<std::size_t, std::size_t>> turns;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const std::string& owner = ended[i].second;
    const auto at = turn.find(owner);
    const std::size_t running =
        accounts.of(owner)->places[static_cast<std::size_t>(Place::end_command)];
    std::size_t& next = at != turn.end() ? at->second : turn.emplace(owner, running).first->second;
    turns.emplace_back(next++, i);
  }
  std::ranges::sort(turns);
  std::vector<std::size_t> order;
  order.reserve(turns.size());
  for (const auto& [when, which] : turns) order.push_back(which);
  return order;
}

EndCommands::EndCommands(AgentParts& parts, AgentServices& services)
    : parts_(parts),
      services_(services) {
  for (const sched::KeptTask& kept : std::exchange(parts_.kept_end_commands, {})) {
    // It has only the time that the earlier agent left it, so restarts do not let it run for ever.
    const sched::JobId& job = kept.task.job;
    commands_.push_back({.job = job,
        .phase = Phase::running,
        .until = parts_.now() + std::max(time_max() - kept.ran, sched::Duration{0})});
    if (kept.ended) on_exit(job, *kept.ended);
  }
}

EndCommands::Command* EndCommands::find(const sched::JobId& job) {
  const auto found = std::ranges::find(commands_, job, &Command::job);
  return found == commands_.end() ? nullptr : &*found;
}

void EndCommands::put(const sched::JobId& job, const sched::EndCommand& command) {
  // It fails if another node drives the job by now, which then says what it knows.
  (void)parts_.peer->orders().change(parts_.host(), job, {.end_command = command});
}

std::optional<sched::EndRun> EndCommands::due(const sched::JobState& job) {
  const sched::EndRun run = job.progress().end_command.run;
  const bool over = job.job().end_command.empty() || run == sched::EndRun::ended;
  if (over || !job.finished() || find(job.id()) != nullptr) return std::nullopt;
  return run;
}

// Called while the peer records the result, where it must not be changed: the job is noted here and
// looked at in advance().
void EndCommands::on_result(const sched::JobId& job) {
  const sched::JobState* const state = sched::find_job(*parts_.peer, job);
  const bool has_command = state != nullptr && !state->job().end_command.empty();
  if (has_command) may_have_ended_.insert(job);
}

void EndCommands::look(bool begin) {
  may_begin_ = begin;
  for (Command& command : commands_) {
    const bool late = command.phase == Phase::running && parts_.now() >= command.until;
    // Killed once: the warden goes on until it is dead, and then its end is told as any other's.
    if (!late || std::exchange(command.stopped, true)) continue;
    parts_.executor->kill(task_of(command.job), kEndCommandAttempt, sched::Outcome::time_limit);
  }
  for (Command& command : commands_) {
    // One of an earlier agent: its owner may be known by now.
    const bool unplaced = command.place.account() == nullptr;
    const sched::JobState* const job =
        unplaced ? sched::find_job(*parts_.peer, command.job) : nullptr;
    if (job == nullptr) continue;
    command.place = HeldPlace(Place::end_command, parts_.accounts.of(job->job().owner));
  }
  // A record may take the jobs of a log away from this node, so they are looked at before.
  std::vector<sched::JobId> lost;
  std::vector<std::pair<sched::JobId, std::string>> ended;
  for (const sched::JobState* job : sched::open_end_commands_of(*parts_.peer)) {
    const auto run = due(*job);
    if (!run) continue;
    if (*run == sched::EndRun::started) {
      lost.push_back(job->id());
    } else {
      ended.emplace_back(job->id(), job->job().owner);
    }
  }
  for (const sched::JobId& job : lost) {
    put(job,
        {.run = sched::EndRun::ended,
            .outcome = sched::Outcome::killed,
            .detail = "lost with its node or agent, and not run again"});
  }
  if (begin) begin_some(ended);
}

void EndCommands::begin_some(const std::vector<std::pair<sched::JobId, std::string>>& ended) {
  for (const std::size_t next : turns_of(ended, parts_.accounts)) {
    const auto& [job, owner] = ended[next];
    const AccountPtr account = parts_.accounts.of(owner);
    // A later one may be of a user who has room.
    if (!parts_.accounts.has_room(Place::end_command, *account, false)) continue;
    // Only recorded here: it runs in advance(), once the record is durable.
    put(job, {.run = sched::EndRun::started});
    commands_.push_back({.job = job,
        .mark = services_.record_mark(job),
        .place = HeldPlace(Place::end_command, account)});
  }
}

void EndCommands::advance() {
  std::vector<std::pair<sched::JobId, std::string>> fresh;
  for (const sched::JobId& job : std::exchange(may_have_ended_, {})) {
    const sched::JobState* const state = sched::find_job(*parts_.peer, job);
    const bool has_ended = state != nullptr && due(*state) == sched::EndRun::none;
    if (has_ended) fresh.emplace_back(job, state->job().owner);
  }
  if (may_begin_ && !fresh.empty()) begin_some(fresh);
  for (Command& command : commands_) {
    if (command.phase != Phase::recorded || !services_.durable(command.mark)) continue;
    const sched::JobState* const job = sched::find_job(*parts_.peer, command.job);
    if (job == nullptr) continue;
    command.phase = Phase::running;
    command.until = parts_.now() + time_max();
    start(*job);
  }
  // What the warden keeps is given up last, when the end is on disk: until then a new agent would
  // have to find it there.
  std::erase_if(commands_, [this](const Command& command) {
    const bool is_here = sched::find_job(*parts_.peer, command.job) != nullptr;
    if (command.phase == Phase::recorded) return !is_here;
    if (command.phase == Phase::running || (is_here && !services_.durable(command.mark))) {
      return false;
    }
    parts_.executor->forget(task_of(command.job), kEndCommandAttempt);
    return true;
  });
}

void EndCommands::start(const sched::JobState& job) {
  sched::Launch launch{.task = task_of(job.id()),
      .attempt = kEndCommandAttempt,
      .demand = {.cpu = kMilliCpu},
      .frontend = parts_.transport->self(),
      .time_limit = time_max(),
      .task_count = job.task_count(),
      .job_name = job.job().name,
      .spec = job.job().end_command,
      .entry = {}};
  // One that cannot be read is refused by the executor, as any is.
  if (auto spec = decode_task_spec(std::as_bytes(std::span(launch.spec)))) {
    for (Variable& variable : end_variables(job)) spec->environment.push_back(std::move(variable));
    launch.spec.clear();
    encode(*spec, launch.spec);
  }
  parts_.executor->start(launch);
}

void EndCommands::on_exit(const sched::JobId& job, const sched::Report& report) {
  Command* const command = find(job);
  if (command == nullptr) return;
  put(job, ending_of(report));
  // It is given up in advance(), once this record is on disk.
  command->phase = Phase::ended;
  command->mark = services_.record_mark(job);
}

}  // namespace dunlin::node
