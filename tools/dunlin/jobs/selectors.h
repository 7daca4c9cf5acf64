// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

// The words that name jobs and tasks: "12", "last", "all", "3-7", "1,3,5-8"; "11.57", "11.0-9,20";
// and "merlin.12", "merlin.12.0-9,20", which only an agent can read.
namespace dunlin::cli {

/// Numbers from `first` to `last`, both included.
struct NumberRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// What the words of a command line select; they add up: "last 3-7" is both.
struct JobSelector {
  bool all = false;
  bool last = false;
  std::vector<NumberRange> ranges;
  std::vector<std::string> names;  ///< Words that begin with a node, as they are.

  /// The numbers, if they follow from the words alone, without knowing which jobs there are.
  std::optional<std::vector<std::uint32_t>> numbers() const;
  /// The jobs of `known` (ascending) that are selected, ascending. A number named by itself is
  /// selected even if unknown, so that the agent can say so. Fails if there is no "last" job, or if
  /// a range holds none.
  Result<std::vector<std::uint32_t>> among(std::span<const std::uint32_t> known) const;
};

/// Reads the words of a command line as one selector.
Result<JobSelector> parse_jobs(std::span<const std::string> words);

/// Tasks of one job: "11" (all of them), "last.3", "11.0-9,20".
struct TaskSelector {
  JobSelector job;                 ///< One number, `last`, or a name that may hold tasks, too.
  std::vector<NumberRange> tasks;  ///< Empty: all.

  /// True of all tasks if none was named.
  bool includes(std::uint32_t index) const;
};

/// Reads one word. One that begins with a node is kept whole, as a name. Fails with `usage`.
Result<TaskSelector> parse_tasks(std::string_view word);
/// Reads "57" or "0-9,20", a part of `word`. Fails with `usage`.
Result<std::vector<NumberRange>> parse_task_list(std::string_view list, std::string_view word);
/// The numbers in these ranges, each once, ascending. Fails with `usage`, naming `word`, if there
/// are more than 100,000: then the whole job is meant.
Result<std::vector<std::uint32_t>> numbers_of(
    std::span<const NumberRange> ranges, std::string_view word);

}  // namespace dunlin::cli
