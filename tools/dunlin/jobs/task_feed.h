// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/connection/wake_set.h"
#include "tools/dunlin/screen/raw_terminal.h"

namespace dunlin::cli {

/// Gives what this process can read to the only task of a job, while it runs: piece by piece, no
/// faster than the task takes it, and its end. With a terminal, prints what the task shows there.
class TaskFeed {
 public:
  static constexpr std::size_t kPiece = std::size_t{32} << 10;
  /// Pieces that the task has not taken yet; beyond, nothing is read.
  static constexpr std::size_t kPiecesMax = 4;

  /// Reads `from`. `wake` is readable when there is something to do.
  TaskFeed(Connection& agent, std::uint32_t job, int from, bool terminal, WakeSet& wake)
      : agent_(agent),
        job_(job),
        from_(from),
        is_terminal_(terminal),
        wake_(wake) {}
  ~TaskFeed();
  TaskFeed(const TaskFeed&) = delete;
  TaskFeed& operator=(const TaskFeed&) = delete;

  /// Fails if the agent is gone, or our terminal takes nothing, as the next two do.
  Result<void> start();
  /// Takes a reply if it is about the input. False if it is not.
  Result<bool> take(const Reply& reply);
  /// Passes on what there is to read, as far as it may.
  Result<void> work();
  /// True if work() has more to do, and the wake set does not tell.
  bool busy() const { return wants() && always_ready_; }
  /// True if all is printed that the task showed on its terminal.
  bool over() const { return !is_terminal_ || attach_ == 0; }
  /// The terminal is as it was before, whatever comes.
  void leave_terminal() { terminal_.reset(); }
  /// The agent was lost, and is back. What of the input the task got nobody knows then, and an
  /// agent that begins anew takes no more of it: all is well only if the task had all of it.
  void on_lost();
  /// Why the task does not get all of its input.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  bool wants() const { return attached_ && !ended_ && !trouble_ && pieces_.size() < kPiecesMax; }
  /// Returns the request.
  Result<std::uint64_t> give(Json piece);
  /// Reads one piece at most, and gives it; at the end of the input gives that.
  Result<void> read_some();
  /// The first reply says that the task can take input; others bring what it shows, if it has a
  /// terminal.
  Result<void> take_attached(const Reply& reply);
  /// Has the wake set tell of input only while there is a place for it: else the wait for replies
  /// would return at once, again and again.
  void watch();

  Connection& agent_;
  std::uint32_t job_;
  int from_;
  bool is_terminal_;
  WakeSet& wake_;
  std::unique_ptr<RawTerminal> terminal_;
  std::uint64_t attach_ = 0;        ///< The request; 0 when it has ended.
  std::set<std::uint64_t> pieces_;  ///< The requests that give something.
  /// The task runs, and takes input.
  bool attached_ = false;
  std::uint64_t last_ = 0;  ///< The request that gives the end; 0: none yet.
  bool given_ = false;      ///< It was answered: whatever becomes of the way, the task has all.
  bool ended_ = false;      ///< There is no more to give, or no task to take it.
  /// `from_` is in the wake set.
  bool watched_ = false;
  bool always_ready_ = false;  ///< A file on disk.
  std::optional<Error> trouble_;
};

}  // namespace dunlin::cli
