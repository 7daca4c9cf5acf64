// SPDX-License-Identifier: MIT
#include "node/task/ending.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "node/codec.h"
#include "sched/task.h"

// Fault matters: what a node is at fault for costs a task nothing, and two of it make the node
// sick. So a user with a mistyped directory must not make nodes sick, and a node with a read-only
// disk must not fail tasks. Both are failed starts of the warden. The place tells them apart (did
// the task name it?), and for places that a task named the errno does: a file system may be away.
namespace dunlin::node {
namespace {

/// The memory of a trial in MiB: some, so that its limit is set as those of tasks are.
constexpr std::uint32_t kTrialMemory = 64;

/// True if a named place that cannot be used for this reason is wrong for this task, not broken.
bool is_users_mistake(std::int32_t error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
      return true;
    default:
      return false;
  }
}

std::string fitting(std::string detail) {
  detail.resize(std::min(detail.size(), sched::Report::kDetailMax));
  return detail;
}

}  // namespace

sched::Outcome outcome_of(warden::Ending ending) {
  switch (ending) {
    case warden::Ending::exited:
      return sched::Outcome::exited;
    case warden::Ending::signalled:
      return sched::Outcome::signalled;
    case warden::Ending::out_of_memory:
      return sched::Outcome::out_of_memory;
    case warden::Ending::not_found:
      return sched::Outcome::not_found;
    case warden::Ending::not_executable:
      return sched::Outcome::not_executable;
    case warden::Ending::not_started:
    case warden::Ending::no_directory:
    case warden::Ending::no_output:
    case warden::Ending::no_input:
    case warden::Ending::no_user:
      break;
  }
  return sched::Outcome::spawn_failed;
}

sched::Cause cause_of(warden::Ending ending, std::int32_t status, bool own_directory) {
  if (outcome_of(ending) != sched::Outcome::spawn_failed) return sched::Cause::task;
  const bool named = ending == warden::Ending::no_output || ending == warden::Ending::no_input ||
      ending == warden::Ending::no_user ||
      (ending == warden::Ending::no_directory && own_directory);
  // ENOENT of a place that the agent chose is the node's fault, and so is any other errno of a
  // place that the task named: EIO, ESTALE, ENOSPC.
  return named && is_users_mistake(status) ? sched::Cause::task : sched::Cause::start;
}

sched::Report not_started(std::int32_t status, std::string detail) {
  return {.outcome = sched::Outcome::spawn_failed,
      .status = status,
      .detail = fitting(std::move(detail)),
      .cause = sched::Cause::start};
}

sched::Report interrupted(std::string detail) {
  return {.outcome = sched::Outcome::spawn_failed,
      .detail = fitting(std::move(detail)),
      .cause = sched::Cause::lost};
}

sched::Report wrong_task(std::string detail) {
  // The cause is left as the task's: it would fail on every node.
  return {.outcome = sched::Outcome::not_executable, .detail = fitting(std::move(detail))};
}

std::int32_t unwritten_errno(const warden::Exited& exited) {
  if (!exited.detail.starts_with(warden::kUnwritten)) return 0;
  const auto text = std::string_view(exited.detail).substr(warden::kUnwritten.size());
  for (const int error : {ENOSPC, EDQUOT, EROFS}) {
    if (text == std::strerror(error)) return error;
  }
  return EIO;
}

sched::Report unwritten(
    const sched::Report& report, std::int32_t error, const std::string& directory) {
  sched::Report lost = report;
  lost.outcome = sched::Outcome::spawn_failed;
  lost.cause = sched::Cause::lost;
  lost.status = error;
  lost.detail = fitting((report.outcome == sched::Outcome::exited ? "exit " : "signal ") +
      std::to_string(report.status) +
      " after its output could not be written: " + std::strerror(error) + " (" + directory + ")");
  return lost;
}

sched::Launch trial_launch(std::uint16_t number) {
  TaskSpec spec;
  spec.command.push_back({"true"});
  sched::Launch launch{.task = {},
      .attempt = number,
      .demand = {.cpu = 0, .memory = kTrialMemory, .custom = {}},
      .job_name = "trial",
      .spec = {},
      .entry = {}};
  encode(spec, launch.spec);
  return launch;
}

// No job has an empty id: only trial_launch() leaves it so.
bool is_trial(const sched::JobId& job) {
  return job == sched::JobId{};
}

std::string failure_of_trial(const sched::Report& report) {
  if (sched::is_success(report)) return "";
  if (!report.detail.empty()) return report.detail;
  return "a trial of `true` ended with status " +
      std::to_string(sched::shell_status(report.outcome, report.status));
}

}  // namespace dunlin::node
