// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "overlay/result.h"

namespace dunlin::cli {

/// A child process that is fed and heard without waiting. It is killed with the object.
class ChildProcess {
 public:
  /// Starts `argv`, found by PATH. Fails with `io`.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& argv);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes these bytes to its standard input, which ends behind them if `last`. The bytes outlive
  /// the child.
  void feed(std::string_view bytes, bool last);
  /// Adds what to wait for.
  void add_polls(std::vector<pollfd>& polls) const;
  /// Reads and writes what it can. Returns whether bytes moved.
  bool step();
  /// Its exit status, 128 + n for a signal n, once it has ended. What it started may live on and
  /// hold its pipes, as a master of ssh does: their end is not waited for.
  std::optional<int> status();
  /// SIGKILL, if it has not ended. status() tells when it has.
  void kill();

  /// What it wrote, as far as it was kept.
  const std::string& out() const { return out_.text; }
  const std::string& err() const { return err_.text; }

 private:
  struct Stream {
    int fd = -1;
    std::string text;
  };

  ChildProcess() = default;
  bool read_from(Stream& stream);
  bool write_some();

  pid_t pid_ = -1;
  int ended_ = -1;  ///< A pidfd: readable once it has ended. -1: the kernel has none.
  int in_ = -1;
  Stream out_;
  Stream err_;
  /// The bytes still to be written, in order.
  std::deque<std::string_view> pending_;
  /// Its input ends behind what is pending.
  bool no_more_ = false;
  /// As status() said it: a child is reaped once.
  std::optional<int> status_;
};

}  // namespace dunlin::cli
