// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::node {

/// The tasks of an array: each has an index of the user's own.
struct TaskArray {
  static constexpr std::size_t kTasksMax = 1'000'000;
  static constexpr std::uint32_t kIndexMax = 999'999'999;

  std::vector<std::uint32_t> indices;  ///< Ascending, each once, at least one.
  std::uint32_t at_once = 0;           ///< Tasks that may run at once; 0: as many as fit.
  friend bool operator==(const TaskArray&, const TaskArray&) = default;
};

/// Reads "0-99:2%10": indices and ranges, separated by commas, a range with a step if it has one,
/// and how many tasks may run at once. Fails with `usage`, naming the part that is wrong.
Result<TaskArray> parse_array(std::string_view text);

}  // namespace dunlin::node
