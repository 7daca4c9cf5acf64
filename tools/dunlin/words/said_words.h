// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "node/message.h"
#include "overlay/result.h"
#include "overlay/time.h"

// Single words in which a user says what a job is, on the command line as in a job file.
namespace dunlin::cli {

/// A job that another one is to wait for.
struct AfterRequest {
  std::string job;                        ///< "12", "last" or "merlin.12": the agent finds it.
  bool any = false;                       ///< However it ends; else all its tasks must succeed, ...
  bool failed = false;                    ///< ... or, with this, some must not.
  overlay::OptionalDuration begun_for{};  ///< It need not end, but must have begun so long ago.
};
/// "ok", "any", "failed" or "started", as the control protocol has it.
std::string when_word(const AfterRequest& after);
/// What the other job must have done, for people: "has succeeded", "began 10m ago".
std::string after_words(const AfterRequest& after);

/// Reads "USR1", "SIGUSR1" or "10": a signal that a task can catch. Fails with `usage`.
Result<int> parse_signal(std::string_view text);

/// Reads "12", "merlin.12:any", "last:ok", "12:failed", "12:started" or "12:started+10m"; "ended"
/// is another word for any. Fails with `usage`.
Result<AfterRequest> parse_after(std::string_view text);

/// Reads "NAME=value"; or "NAME", for the value that it has here. Fails with `usage`.
Result<node::Variable> parse_variable(std::string_view text);

/// The name of the user.
std::string user_name();

}  // namespace dunlin::cli
