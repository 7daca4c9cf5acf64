// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace dunlin::cli {

/// Tells a person on stderr what a command waits for, once it takes more than two seconds: a line
/// for each reason.
class WaitNotice {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{2};
  /// Lines of one wait: reasons may change for ever.
  static constexpr int kLinesMax = 20;

  explicit WaitNotice(std::FILE* stream = stderr) : stream_(stream) {}

  /// When to say that the agent gives no reason.
  Clock::time_point due() const { return due_; }
  /// The agent has said what it waits for; it does so only when that has taken long enough.
  void tell(const std::string& reason);
  /// The agent has not said a word.
  void tell_silence();

 private:
  std::FILE* stream_;
  Clock::time_point due_ = Clock::now() + kPatience;
  std::string last_;
  int lines_ = 0;
};

}  // namespace dunlin::cli
