// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/dunlin/connection/connection.h"

namespace dunlin::cli {

/// One of the two streams of a task.
struct TaskStream {
  std::uint32_t task = 0;
  bool err = false;
  bool live = false;  ///< Follow it while the task runs.
  std::string node;   ///< The name of the node that has it; empty if that may change.
};

/// Prints the output of tasks, one stream after the other, each whole, while the first pieces of a
/// few more are on their way. Early pieces wait in memory, at most kPieceBytes of each stream. A
/// live stream is printed as it comes.
///
/// A node that does not answer is asked once: the user is told which it is, and which tasks'
/// output is left out, and the streams of other nodes go on.
class OutputStream {
 public:
  static constexpr std::size_t kAtOnce = 16;
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
  /// Nodes of which the first stream is asked for at once, wherever it stands in the order. With
  /// kAtOnce fewer than an agent takes on one connection.
  static constexpr std::size_t kNodesAtOnce = 40;

  /// Takes a sentence for the user, which may hold any bytes.
  using Say = std::function<void(const std::string& sentence)>;

  /// `before_print` is called before anything is printed or said, to take a progress line away.
  /// `job` are the members of a request that name the job.
  OutputStream(Connection& agent, Json job, std::function<void()> before_print, Say say)
      : agent_(agent),
        job_(std::move(job)),
        before_print_(std::move(before_print)),
        say_(std::move(say)) {}

  /// From now on each line begins with the number of its task: "57: ".
  void label_lines() { labelled_ = true; }
  /// Requests a stream, to be printed after those requested before. Fails if the agent is gone, or
  /// if what was to be printed could not be written; so do the calls below.
  Result<void> add(const TaskStream& stream);
  /// Takes a reply if it belongs to a stream. False if it does not.
  Result<bool> take(const Reply& reply);
  /// After the connection was lost and is back: asks anew for all that is missing, from where each
  /// stream stopped.
  Result<void> resume();
  /// True if everything requested is printed.
  bool idle() const { return fetches_.empty(); }
  /// The first error of a stream, to be reported at the end; empty if there was none. It is not
  /// about nodes that do not answer.
  const std::string& trouble() const { return trouble_; }
  /// Says which tasks were left out since a node fell silent. True if any output was left out, now
  /// or before.
  bool report_left_out();

 private:
  struct Fetch {
    TaskStream stream;
    std::uint64_t id = 0;       ///< The id of the open request; 0: none.
    std::uint64_t offset = 0;   ///< The place of the next piece, ...
    std::uint64_t attempt = 0;  ///< ... of this attempt; 0: of whichever comes.
    /// All of it has come, or is left out; what is not printed yet is.
    bool complete = false;
    std::string data;       ///< Not printed yet.
    bool mid_line = false;  ///< The last byte printed did not end a line.
  };

  /// The next piece of it.
  Result<void> ask(Fetch& fetch);
  /// Prints what may be printed by now, in the order in which streams were added, and asks for
  /// more.
  Result<void> advance();
  /// Prints what has come of it, in front of all else if it is live.
  Result<void> print(Fetch& fetch);
  /// Leaves out all that is requested of a node that does not answer.
  void leave_out(const std::string& node);

  struct Node {
    bool silent = false;
    std::vector<std::uint32_t> left_out;  ///< Tasks, not reported yet.
  };

  Connection& agent_;
  Json job_;
  std::function<void()> before_print_;
  Say say_;
  std::deque<Fetch> fetches_;
  std::map<std::string, Node> nodes_;  ///< By name.
  std::string trouble_;
  bool left_out_ = false;
  bool labelled_ = false;
};

/// "0, 4-9, 12" for tasks in any order, each perhaps twice; at most twelve ranges, then "...".
std::string ranges_text(std::vector<std::uint32_t> tasks);

/// A piece of a task's output, with "57: " before each line. `mid_line`: the piece before did not
/// end its line; set for the next one.
std::string with_labels(std::string_view piece, std::uint32_t task, bool& mid_line);

}  // namespace dunlin::cli
