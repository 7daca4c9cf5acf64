// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <string>

#include "tools/dunlin/connection/connection.h"

namespace dunlin::cli {

/// One of the two streams of a task.
struct TaskStream {
  std::uint32_t task = 0;
  bool err = false;
  bool live = false;  ///< Follow it while the task runs.
};

/// Prints what tasks wrote, one stream after the other, each whole, while a few more are on their
/// way. What comes early waits in memory, at most kPieceBytes of each. A live stream is printed at
/// once, whatever else is going on.
class OutputStream {
 public:
  static constexpr std::size_t kAtOnce = 16;
  static constexpr std::size_t kPieceBytes = 256 * 1024;

  /// `before_print` is called before anything is printed: to take a progress line away.
  OutputStream(Connection& agent, std::uint32_t job, std::function<void()> before_print)
      : agent_(agent),
        job_(job),
        before_print_(std::move(before_print)) {}

  /// Asks for a stream, behind those asked for before. Fails if the agent is gone.
  Result<void> add(const TaskStream& stream);
  /// Takes a reply if it belongs to a stream. False if it does not. Fails if the agent is gone.
  Result<bool> take(const Reply& reply);
  /// True if all that was asked for is printed.
  bool idle() const { return fetches_.empty(); }
  /// The first thing that went wrong with a stream, for a word at the end; empty if nothing did.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Fetch {
    TaskStream stream;
    std::uint64_t id = 0;      ///< Of the request under way; 0: none.
    std::uint64_t offset = 0;  ///< Where the next piece begins.
    bool complete = false;
    std::string data;  ///< Not printed yet.
  };

  Result<void> ask(Fetch& fetch);
  Result<void> advance();
  void print(Fetch& fetch);

  Connection& agent_;
  std::uint32_t job_;
  std::function<void()> before_print_;
  std::deque<Fetch> fetches_;
  std::string trouble_;
};

}  // namespace dunlin::cli
