// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/usage/usage.h"

// What is told of usage: rows of many homes, put together by user, class, day or node. Pure.
namespace dunlin::sched {

/// What a line of a report is of.
enum class UsageBy : std::uint8_t {
  user,
  service_class,
  day,   ///< By UTC.
  node,  ///< The node that took the jobs.
};
inline constexpr std::string_view kUsageByWords[] = {"user", "class", "day", "node"};
std::optional<UsageBy> usage_by_of(std::string_view word);

/// The line that a row belongs to: a name, or the day as "2026-11-28", or the id of a node in hex.
std::string usage_line(UsageBy by, const UsageKey& key);
/// "2026-11-28", the day by UTC of an hour since 1970.
std::string day_text(std::int64_t hour);

/// Sums of one log, or of all jobs without replicas of one node, as one node has them.
struct UsagePart {
  std::uint64_t log = 0;    ///< 0: of jobs without replicas.
  std::uint32_t epoch = 0;  ///< Of the home of that log which summed them.
  std::map<std::string, UsageSums> lines;
  friend bool operator==(const UsagePart&, const UsagePart&) = default;
};

/// The usage that many nodes tell, each attempt counted once: a log may have had several homes, and
/// each of them may have sums of it. The home of the highest epoch has all that the others had; so
/// of each log one home counts.
class UsageReport {
 public:
  /// Lines of all parts at most; what is beyond adds to the line kOther.
  static constexpr std::size_t kLinesMax = 20'000;
  /// Logs at most; parts beyond are left out, and counted.
  static constexpr std::size_t kLogsMax = 20'000;
  static constexpr std::string_view kOther = "(other)";

  /// What one node has. Order does not matter.
  void add(const UsagePart& part);

  std::map<std::string, UsageSums> lines() const;
  std::uint64_t left_out() const { return left_out_; }

 private:
  using Lines = std::map<std::string, UsageSums>;
  void add(Lines& lines, const std::string& line, const UsageSums& sums);
  /// True if `part` has all that `other` has of that log.
  static bool is_later(const UsagePart& part, const UsagePart& other);

  Lines apart_;                              ///< Of jobs without replicas.
  std::map<std::uint64_t, UsagePart> logs_;  ///< Of each the latest.
  std::size_t lines_ = 0;                    ///< Of all.
  std::uint64_t left_out_ = 0;
};

/// Reads rows of one node as a store has them, in any order, into parts. Bounded as a report is.
class UsageParts {
 public:
  explicit UsageParts(UsageBy by) : by_(by) {}
  void add(std::uint64_t log, std::uint32_t epoch, const UsageRow& row);
  /// Ascending by log. Moved out.
  std::vector<UsagePart> take();

 private:
  UsageBy by_;
  std::map<std::uint64_t, UsagePart> parts_;
  std::size_t lines_ = 0;  ///< Of all.
};

}  // namespace dunlin::sched
