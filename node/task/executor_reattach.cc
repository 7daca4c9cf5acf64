// SPDX-License-Identifier: MIT
#include <algorithm>
#include <unistd.h>

#include "node/task/ending.h"
#include "node/task/executor_impl.h"
#include "node/task/task_card.h"

// The first thing that an executor hears from its warden is what earlier agents left: tasks that
// run, with their slots, and ends that no agent has said to forget. Slots in use must be known
// before any other is given out, and before what lies in scratch and live output is cleared. An end
// may have been told to an agent that died of it at any step; so its output is kept again, which
// does what is missing, and its report is told again.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kPatience = 5s;
/// Only a service manager can start that one, and the loop must not wait for it.
constexpr std::chrono::milliseconds kServicePatience = 50ms;

}  // namespace

Result<void> ExecutorImpl::connect(bool first) {
  const auto patience = options_.warden_service ? kServicePatience : kPatience;
  auto link = WardenLink::open(loop_,
      {.program = options_.warden,
          .directory = options_.warden_directory,
          .service = options_.warden_service,
          .incarnation = options_.incarnation,
          .settings = {.label = options_.label,
              .limits = options_.limits,
              .cpu_quota = options_.cpu_quota,
              .start_ms = milliseconds(options_.start_max),
              .kill_ms = milliseconds(options_.kill_max),
              .umask = options_.user.umask,
              .core_limit = options_.user.core_limit,
              .pids_max = options_.pids_max,
              .grace_ms = milliseconds(options_.kill_grace),
              .reattach_ms = milliseconds(options_.reattach_within),
              .uid_min = options_.uid_min,
              .sample_ms = milliseconds(options_.sample_period),
              .data = options_.directory,
              .room_min = options_.room_min},
          // An earlier warden may still be ending its tasks.
          .patience = first ? kPatience +
                  std::chrono::milliseconds(milliseconds(options_.kill_grace + options_.kill_max))
                            : patience},
      {.exited = [this](const warden::Exited& exited) { finish(exited); },
          .fed = [this](const warden::Fed& fed) { fed_.on_fed(fed); },
          .used = [this](const warden::Used& used) { uses_.on_used(used, now(loop_)); },
          .freed = [this](const warden::Freed& freed) { release_stuck(freed.id); },
          .note = [this](const std::string& text) { note(text); },
          .died = [this] { lose_all(); }});
  if (!link) return tl::unexpected(link.error());
  link_ = std::move(*link);
  limits_ = link_->limits();
  since_ = link_->since();
  connected_at_ = now(loop_);
  const auto kept = link_->take_kept();
  if (!first) {
    if (kept.empty()) return {};
    // One with tasks is that which was lost: they were reported as interrupted, and may run
    // elsewhere by now.
    link_.reset();
    return failure(ErrorKind::refused, "the warden that was lost is still there, and is ended");
  }
  std::set<std::uint32_t> taken;
  for (const auto& [task, ended] : kept) {
    // A slot that was passed on is that of a later task, which is listed, too.
    if (!task.slot_passed_on) taken.insert(task.slot);
  }
  // Before any task is taken back, whose output lies there.
  output_.clear_live(taken);
  slots_.emplace(loop_, options_.directory, taken, [this](const std::string& text) { note(text); });
  for (const auto& task : kept) take_back(task);
  return {};
}

void ExecutorImpl::take_back(const WardenLink::Kept& kept) {
  const warden::Kept& told = kept.task;
  const auto card = read_card(told.card);
  if (!card || is_trial(card->task.task.job)) {
    if (!card) note("a task of another version of the agent cannot be taken back, and is ended");
    return drop(kept);
  }
  Running task{.task = card->task.task,
      .attempt = card->task.attempt,
      .slot = told.slot,
      .scratch = card->notes.scratch,
      .warning = card->notes.warning,
      .devices = card->notes.devices,
      .about = card->notes.about};
  if (!told.slot_passed_on) devices_.hold(task.devices);
  if (told.forgotten) {  // Its end is known, and its slot is not free.
    stuck_[told.id] = task;
    return;
  }
  sched::KeptTask& back = kept_.emplace_back(card->task);
  back.ran = sched::Duration{told.ran};
  if (told.suspended) back.suspended = sched::Duration{told.stands};
  if (told.kill_requested) back.told_to_end = kill_outcome(told.kill_reason);
  back.yield.preemptions += told.suspensions;
  if (!told.slot_passed_on) {
    output_.begin(task.task, task.attempt, task.slot,
        {.user = card->notes.about.owner, .roams = card->task.log.log != 0, .again = true});
  }
  if (!kept.ended) {
    running_[told.id] = task;
    ids_[key_of(task.task, task.attempt)] = told.id;
    // Since its start, as if this agent had started it.
    uses_.begin(told.id, task.task, task.attempt, card->task.demand,
        now(loop_) - sched::Duration{told.ran + told.stands});
    if (card->notes.fed) fed_.expect(told.id, FedTasks::Past::lost);
    return;
  }
  ended_[key_of(task.task, task.attempt)] = told.id;
  if (kept.ended->stuck) stuck_[told.id] = task;
  back.ended = told.slot_passed_on ? report_of(task, *kept.ended) : settle(task, *kept.ended, true);
}

/// What is kept is of no use: it is ended, its end forgotten, and its slot is free again then.
void ExecutorImpl::drop(const WardenLink::Kept& kept) {
  const warden::Kept& told = kept.task;
  const Running task{.task = {},
      .slot = told.slot,
      .scratch = true,
      .unwanted = true,
      .unknown_devices = !told.slot_passed_on};
  if (task.unknown_devices) devices_.hold_unknown();
  if (!kept.ended) {
    running_[told.id] = task;
    link_->send(warden::Kill{.id = told.id, .grace_ms = 0});
    return;
  }
  link_->send_later(warden::Forget{told.id});
  if (told.slot_passed_on) return;
  discard_output(output_, told.slot);
  if (kept.ended->stuck) {
    stuck_[told.id] = task;
  } else {
    release(task);
  }
}

void discard_output(const OutputStore& output, std::uint32_t slot) {
  ::unlink(output.live_path(slot, OutputStream::out).c_str());
  ::unlink(output.live_path(slot, OutputStream::err).c_str());
}

void ExecutorImpl::forget(const sched::TaskId& task, std::uint32_t attempt) {
  const auto ended = ended_.extract(key_of(task, attempt));
  if (!ended.empty() && link_ && !link_dead_) link_->send_later(warden::Forget{ended.mapped()});
}

std::vector<sched::KeptTask> ProcessExecutor::take_kept() {
  return impl_->take_kept();
}
std::uint32_t ProcessExecutor::since() const {
  return impl_->since();
}
void ProcessExecutor::leave() {
  if (impl_->link() != nullptr) impl_->link()->leave();
}

}  // namespace dunlin::node
