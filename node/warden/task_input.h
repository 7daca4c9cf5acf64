// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "node/warden/protocol.h"
#include "overlay/result.h"

namespace dunlin::node::warden {

/// The standard input of one task that a client feeds: a pipe, or a terminal, which is its output,
/// too. What the terminal shows is appended to the task's output file.
///
/// Nothing here waits for the task: bytes that it does not read stay in memory, and the agent sends
/// no more than it was told were taken (kFeedWindow).
class TaskInput {
 public:
  /// What `start` asks for. Fails with the system's code.
  static Result<std::shared_ptr<TaskInput>> open(const Start& start);
  ~TaskInput();
  TaskInput(const TaskInput&) = delete;
  TaskInput& operator=(const TaskInput&) = delete;

  /// The task's own end; -1 once it is closed here.
  int child_end() const { return child_; }
  bool terminal() const { return terminal_; }
  /// The task has its end by now, and it alone is to hold it. On any thread.
  void close_child_end();

  /// Queues bytes for the task. `end`: no more follow.
  void feed(std::string_view data, bool end);
  /// Of its terminal. Nothing without one.
  void resize(std::uint16_t rows, std::uint16_t columns);

  /// The descriptor to poll, or -1, and the events to poll it for.
  int descriptor() const { return hung_up_ ? -1 : own_; }
  /// What poll() is to wait for on its descriptor; 0: nothing.
  short events() const;
  /// Writes what waits, and reads what the terminal shows, as far as it can be done at once.
  /// `ready` are the events that have come.
  void work(short ready);
  /// Reads all that the terminal still shows. The task has ended.
  void drain();

  /// Bytes that the task has taken, or will never take.
  std::uint64_t taken() const { return taken_; }
  /// True if no process reads any more.
  bool closed() const { return closed_; }
  /// True if the agent said that there is no more to come.
  bool ended() const { return end_; }

 private:
  TaskInput() = default;
  Result<void> open_pipe();
  Result<void> open_terminal(const Start& start);
  void write();
  /// Reads one piece of what the terminal shows. False if there is none now.
  bool read();
  void close_own();

  bool terminal_ = false;
  std::atomic<int> child_ = -1;  ///< Closed by the thread that starts the task.
  int own_ = -1;
  int output_ = -1;  ///< The file that keeps what the terminal shows.
  std::string waiting_;
  std::uint64_t taken_ = 0;
  bool end_ = false;
  bool closed_ = false;
  bool hung_up_ = false;  ///< No process has the terminal open.
};

}  // namespace dunlin::node::warden
