// SPDX-License-Identifier: MIT
#include "tools/dunlin/words/said_words.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pwd.h>
#include <unistd.h>

#include "node/task/variable_name.h"
#include "overlay/field_info.h"
#include "overlay/param_entries.h"
#include "sched/replica/record.h"

namespace dunlin::cli {

Result<int> parse_signal(std::string_view text) {
  std::string_view name = text;
  // Both forms are common: kill(1) lists the short ones, signal(7) the long ones.
  if (name.starts_with("SIG")) name.remove_prefix(3);
  int signal = 0;
  // A number is that of this architecture; names mean the same signal on all machines.
  for (int number = 1; number < NSIG && signal == 0; ++number) {
    const char* const known = sigabbrev_np(number);
    if ((known != nullptr && name == known) || name == std::to_string(number)) signal = number;
  }
  if (signal == 0) {
    return failure(
        ErrorKind::usage, "'" + std::string(text) + "' is no signal; one is USR1, SIGUSR1 or 10");
  }
  // As a warning it would be the end itself.
  if (signal == SIGKILL || signal == SIGSTOP) {
    return failure(ErrorKind::usage,
        "no task can catch '" + std::string(text) + "': take another signal, such as USR1");
  }
  return signal;
}

Result<AfterRequest> parse_after(std::string_view text) {
  constexpr std::string_view started = "started";
  // The last one: what stands before it is the word for a job, read later, when nodes are known.
  const auto colon = text.rfind(':');
  const std::string_view when = colon == text.npos ? "ok" : text.substr(colon + 1);
  // A word that is not known is an error: taken for "ok" it would cancel jobs when it should not.
  AfterRequest after{.job = std::string(text.substr(0, colon)),
      .any = when == "any" || when == "ended",
      .failed = when == "failed"};
  if (when == started) after.begun_for = overlay::Duration{0};
  if (when.starts_with(started) && when.substr(started.size()).starts_with('+')) {
    const std::string_view said = when.substr(started.size() + 1);
    const auto delay = overlay::parse_duration(said);
    if (!delay) {
      return failure(
          ErrorKind::usage, "'" + std::string(said) + "' is no time: write 90s or 1h30m");
    }
    const auto wrong = overlay::wrong_value(sched::replica::PutJob::Terms::begin, delay->count());
    if (!wrong.empty()) {
      return failure(ErrorKind::usage, "'" + std::string(said) + "': the time " + wrong);
    }
    after.begun_for = *delay;
  }
  if (after.job.empty() || (when != "ok" && !after.failed && !after.any && !after.begun_for)) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) +
            "' is not JOB, JOB:ok or JOB:any, nor JOB:failed, JOB:started or JOB:started+10m, such "
            "as 12 or merlin.12:any");
  }
  return after;
}

std::string when_word(const AfterRequest& after) {
  if (after.begun_for) return "started";
  if (after.any) return "any";
  return after.failed ? "failed" : "ok";
}

std::string after_words(const AfterRequest& after) {
  if (after.begun_for && *after.begun_for > overlay::Duration{0}) {
    return "began " + overlay::to_string(*after.begun_for) + " ago";
  }
  if (after.begun_for) return "has begun";
  if (after.any) return "has ended";
  return after.failed ? "has failed" : "has succeeded";
}

Result<node::Variable> parse_variable(std::string_view text) {
  const auto equals = text.find('=');
  const std::string name(text.substr(0, equals));
  if (!node::is_variable_name(name)) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is no variable: write NAME=value or NAME, with a name " +
            std::string(node::kVariableNameRule));
  }
  if (equals != std::string_view::npos) {
    return node::Variable{name, std::string(text.substr(equals + 1))};
  }
  // Without a value it is taken from here, as with docker: but silence about one that is not set
  // would give tasks another environment than was meant.
  const char* const here = std::getenv(name.c_str());
  if (here == nullptr) {
    return failure(ErrorKind::usage, "--env " + name + ": it has no value here; write NAME=value");
  }
  return node::Variable{name, here};
}

std::string user_name() {
  // $USER is right for people. The password file may take a network round trip.
  if (const char* const user = std::getenv("USER"); user != nullptr && *user != '\0') return user;
  const passwd* const entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

}  // namespace dunlin::cli
