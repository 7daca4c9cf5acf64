// SPDX-License-Identifier: MIT
#pragma once

#include "sched/kernel.h"

namespace dunlin::sched {
class Frontend;
}

namespace dunlin::sched::logs {

/// The end of a log: its home closes it once all its jobs are history, the books forget it, and
/// then each copy may go. So the home only asks, and drops its part as the others do, once the
/// books have said that they have the log no more.
class LogEnd {
 public:
  /// The home looks, with the frontend that drives the jobs, which are history at `age`. True if
  /// the books are to be asked to forget the log: now, and again each second until they have.
  bool is_due(const Frontend& frontend, Time now, Duration age);
  /// Another node is the home by now, and looks for itself.
  void stop_closing() { closing_ = false; }
  /// The books have it no more, or never had.
  void set_over() { over_ = true; }

  /// All jobs are history, so the books are asked to forget the log. It takes no new ones.
  bool is_closing() const { return closing_; }
  /// Nothing of it is needed here.
  bool is_over() const { return over_; }

 private:
  bool closing_ = false;
  bool over_ = false;
  Time next_{};
};

}  // namespace dunlin::sched::logs
