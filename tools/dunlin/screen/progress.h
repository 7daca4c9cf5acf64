// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>

#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// The states of the tasks of a job.
struct TaskCounts {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t running = 0;
  std::uint64_t waiting = 0;

  std::uint64_t ended() const { return done + failed + cancelled; }
  std::uint64_t total() const { return ended() + running + waiting; }
  friend bool operator==(const TaskCounts&, const TaskCounts&) = default;
};

/// "57 %  566 done, 16 running, 418 waiting, 0 failed  212/s  2 s left"
/// What is left is by the rate of late, so it is told only while there is one.
std::string progress_text(const TaskCounts& counts, double per_second);

/// The progress of a job, on stderr: one line that is painted over on a terminal, elsewhere a plain
/// line every 10 s.
/// Nothing here counts: `show` is told all counts each time, as often as the caller likes.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::FILE* stream, const Terminal& terminal) : stream_(stream), terminal_(terminal) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `counts` of `label` ("job 12") if it is time to, with `note` (the reason for waiting),
  /// if any.
  void show(const std::string& label, const TaskCounts& counts, const std::string& note);
  /// Takes the line off the terminal, so that other text can be printed.
  void clear();

 private:
  /// Tasks that end in a second, of late; the samples are what it was told before.
  double rate(const TaskCounts& counts, Clock::time_point now);

  std::FILE* stream_;
  Terminal terminal_;
  bool painted_ = false;
  /// The plain line printed last: the same is not printed again.
  std::string last_;
  Clock::time_point shown_ = Clock::now();
  std::deque<std::pair<Clock::time_point, std::uint64_t>> samples_;
};

}  // namespace dunlin::cli
