// SPDX-License-Identifier: MIT
#include "node/task/limit_signal.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>

#include "overlay/field_info.h"

// A task that can save what it has done is told in time that its limit is near. The command and the
// agent check it by the same rules, as a signal that never comes would be missed only at the limit.
namespace dunlin::node {
namespace {

std::string time_text(overlay::Duration time) {
  return overlay::say(TaskSpec::Terms::limit_signal_time, time.count());
}

}  // namespace

std::string limit_signal_text(int signal, overlay::Duration before) {
  const char* const name = ::sigabbrev_np(signal);
  return (name != nullptr ? std::string(name) : std::to_string(signal)) + "@" + time_text(before);
}

Result<void> check_limit_signal(const TaskSpec& spec, overlay::Duration time_limit) {
  if (spec.limit_signal == 0) return {};
  const overlay::Duration before = spec.limit_signal_time;
  const std::string said = "limit_signal " + limit_signal_text(spec.limit_signal, before);
  if (spec.limit_signal == SIGKILL || spec.limit_signal == SIGSTOP) {
    return failure(
        ErrorKind::usage, said + ": no task can catch it; take another signal, such as USR1");
  }
  if (time_limit <= overlay::Duration{0}) {
    return failure(ErrorKind::usage,
        said + " comes before the end of a time limit, and there is none: give a time limit of " +
            "more than " + time_text(before));
  }
  if (before >= time_limit) {
    return failure(ErrorKind::usage,
        said + " comes " + time_text(before) + " before the end of a time limit of " +
            time_text(time_limit) + ": its time must be shorter than the limit");
  }
  return {};
}

std::optional<std::uint32_t> limit_signal_after(
    const TaskSpec& spec, overlay::Duration time_limit) {
  // Checked at the submit; a frontend of another version may not have.
  const overlay::Duration after = time_limit - spec.limit_signal_time;
  if (spec.limit_signal == 0 || spec.limit_signal >= NSIG) return std::nullopt;
  if (after <= overlay::Duration{0}) return std::nullopt;
  constexpr std::int64_t max = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t ms = std::chrono::floor<std::chrono::milliseconds>(after).count();
  return static_cast<std::uint32_t>(std::min(ms, max));
}

}  // namespace dunlin::node
