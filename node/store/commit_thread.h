// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "overlay/result.h"

namespace dunlin::node {

/// A thread that writes, one commit at a time, while its owner goes on.
class CommitThread {
 public:
  /// `write` runs on the thread, `wake` after each of its runs, also there: it tells the owner to
  /// look. Both must be safe for as long as this lives.
  CommitThread(std::function<Result<void>()> write, std::function<void()> wake);
  /// Waits for the commit under way.
  ~CommitThread();
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  /// Begins a commit. Requires that none is under way.
  void begin();
  /// True from begin() until its outcome was taken.
  bool busy() const { return busy_; }
  /// The outcome of the commit under way, once; empty if it still writes, or none is under way.
  std::optional<Result<void>> take();
  /// The same, and waits for it.
  std::optional<Result<void>> wait();

 private:
  void run();
  std::optional<Result<void>> take_locked();

  std::function<Result<void>()> write_;
  std::function<void()> wake_;
  bool busy_ = false;  ///< For the owner alone.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;
  bool ended_ = false;
  std::optional<Result<void>> outcome_;
  std::thread thread_;  ///< Last: it runs when the rest is there.
};

}  // namespace dunlin::node
