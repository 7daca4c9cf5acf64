// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dunlin::node {

/// The damage found in a database: "job 7, which is left out".
class DamageLog {
 public:
  void note(std::string what) {
    ++count_;
    if (lines_.size() >= kLinesMax || std::ranges::find(lines_, what) != lines_.end()) return;
    lines_.push_back(std::move(what));
  }

  /// Each once, and the first hundred. Grows as more is looked at.
  const std::vector<std::string>& lines() const { return lines_; }
  /// The number of times that damage was met.
  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::size_t kLinesMax = 100;

  std::vector<std::string> lines_;
  std::uint64_t count_ = 0;
};

}  // namespace dunlin::node
