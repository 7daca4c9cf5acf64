// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/dunlin/connection/connection.h"

namespace dunlin::cli {

/// Prints the output of many tasks of a job while they run, line by line, each behind the number of
/// its task ("57: ") if that is asked for, stdout to stdout and stderr to stderr.
///
/// The lines of one stream come in its order; those of different streams come as they are written,
/// and never within one another. A line without an end after kLineMax bytes is cut there, unless
/// lines are to be held.
///
/// At most kAtOnce streams are followed at a time. If more have something to say, those that were
/// silent for kTurn make room, and wait for their next turn: nothing is left out, it comes later.
class LiveOutput {
 public:
  /// Fewer than an agent takes on one connection (kControlStreamsMax).
  static constexpr std::size_t kAtOnce = 48;
  /// So much of each stream is kept at most: a line that has not ended.
  static constexpr std::size_t kLineMax = 64 * 1024;
  static constexpr std::chrono::milliseconds kTurn{500};

  /// `job` are the members of a request that name the job. `before_print` is called before anything
  /// is printed, to take a progress line away.
  LiveOutput(
      Connection& agent, Json job, std::function<void()> before_print = [] {})
      : agent_(agent),
        job_(std::move(job)),
        before_print_(std::move(before_print)) {}

  /// Lines are printed as they are. Of a last line without an end nothing is added, unless another
  /// stream's line comes behind it.
  void leave_labels() { labelled_ = false; }
  /// A line waits until it ends, in memory, however long it is.
  void hold_lines() { line_max_ = std::string::npos; }

  /// Prints a stream of that attempt from its beginning to its end, which may have come already.
  /// Fails if the agent is gone.
  Result<void> follow(std::uint32_t task, std::uint32_t attempt, bool err);
  /// Another attempt took the place of that one, which failed or was lost with its node: what is
  /// missing of its output is no trouble.
  void on_replaced(std::uint32_t task, std::uint32_t attempt) { replaced_.insert({task, attempt}); }
  /// Takes a reply if it belongs to a stream. False if it does not. Fails if the agent is gone, or
  /// if what was to be printed could not be written.
  Result<bool> take(const Reply& reply, Clock::time_point now);
  /// After the connection was lost and is back: asks anew for the streams, from where each stopped.
  Result<void> resume();
  /// Lets streams wait that were silent for long, if others want their turn.
  Result<void> tick(Clock::time_point now);
  /// The time to call tick().
  Clock::time_point deadline(Clock::time_point now) const {
    return waiting_.empty() ? kNoDeadline : now + kTurn;
  }
  /// True if every stream is printed to its end.
  bool idle() const { return open_.empty() && waiting_.empty(); }
  /// A sentence for each thing that went wrong, naming the tasks with output that is left out.
  std::vector<std::string> troubles() const;

 private:
  using Attempt = std::pair<std::uint32_t, std::uint32_t>;  ///< The task, and which of its.

  struct Stream {
    std::uint32_t task = 0;
    std::uint32_t attempt = 0;
    bool err = false;
    std::uint64_t offset = 0;  ///< The place of the next piece.
    std::string line = {};     ///< The beginning of a line that has not ended.
    /// When it last said something, or its turn began.
    Clock::time_point heard{};
  };

  /// Asks for streams that wait, as long as there is room.
  Result<void> ask();
  /// Prints the whole lines that a stream has by now; with `last`, all of it.
  Result<void> print(Stream& stream, std::string_view piece, bool last);

  Connection& agent_;
  Json job_;
  std::function<void()> before_print_;
  bool labelled_ = true;
  std::size_t line_max_ = kLineMax;
  std::array<bool, 2> mid_line_{};  ///< Of stdout and stderr: the last line printed has no end.
  std::map<std::uint64_t, Stream> open_;  ///< By the request.
  std::deque<Stream> waiting_;
  std::map<std::string, std::vector<Attempt>> left_out_;  ///< By the reason.
  std::set<Attempt> replaced_;
};

}  // namespace dunlin::cli
