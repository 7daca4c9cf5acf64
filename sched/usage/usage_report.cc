// SPDX-License-Identifier: MIT
#include "sched/usage/usage_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <tuple>

#include "overlay/ensure.h"

namespace dunlin::sched {
namespace {

/// No hour of a row is later, so that days have four digits of a year.
constexpr std::int64_t kHourMax = std::int64_t{24} * 365 * 8000;

/// Attempts and jobs that sums are of: of two that are of one epoch the fuller counts.
std::int64_t weight_of(const UsagePart& part) {
  UsageSums all;
  for (const auto& [line, sums] : part.lines) add(all, sums);
  return all.jobs + all.tasks + all.failed + all.preempted + all.lost;
}

}  // namespace

std::optional<UsageBy> usage_by_of(std::string_view word) {
  const auto* const found = std::ranges::find(kUsageByWords, word);
  if (found == std::end(kUsageByWords)) return std::nullopt;
  return static_cast<UsageBy>(found - std::begin(kUsageByWords));
}

std::string day_text(std::int64_t hour) {
  const std::chrono::sys_days day{
      std::chrono::days{std::clamp<std::int64_t>(hour, 0, kHourMax) / 24}};
  const std::chrono::year_month_day date{day};
  std::array<char, 48> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string usage_line(UsageBy by, const UsageKey& key) {
  switch (by) {
    case UsageBy::user:
      return key.user;
    case UsageBy::service_class:
      return key.service_class;
    case UsageBy::day:
      return day_text(key.hour);
    case UsageBy::node: {
      std::array<char, 48> text{};
      const int size = std::snprintf(
          text.data(), text.size(), "%016llx", static_cast<unsigned long long>(key.home.value));
      return {text.data(), static_cast<std::size_t>(size)};
    }
  }
  ensure(false, "a line of a report of usage");
  return {};
}

bool UsageReport::is_later(const UsagePart& part, const UsagePart& other) {
  return std::tuple(part.epoch, weight_of(part)) > std::tuple(other.epoch, weight_of(other));
}

void UsageReport::add(Lines& lines, const std::string& line, const UsageSums& sums) {
  const bool full = lines_ >= kLinesMax && !lines.contains(line);
  const auto [at, is_new] = lines.try_emplace(full ? std::string(kOther) : line);
  if (is_new) ++lines_;
  sched::add(at->second, sums);
}

void UsageReport::add(const UsagePart& part) {
  if (part.log == 0) {
    for (const auto& [line, sums] : part.lines) add(apart_, line, sums);
    return;
  }
  const auto known = logs_.find(part.log);
  if (known == logs_.end() && logs_.size() >= kLogsMax) {
    ++left_out_;
    return;
  }
  if (known != logs_.end()) {
    if (!is_later(part, known->second)) return;
    lines_ -= known->second.lines.size();
    logs_.erase(known);
  }
  UsagePart& kept = logs_[part.log];
  kept.log = part.log;
  kept.epoch = part.epoch;
  for (const auto& [line, sums] : part.lines) add(kept.lines, line, sums);
}

std::map<std::string, UsageSums> UsageReport::lines() const {
  Lines all = apart_;
  for (const auto& [log, part] : logs_) {
    for (const auto& [line, sums] : part.lines) sched::add(all[line], sums);
  }
  return all;
}

void UsageParts::add(std::uint64_t log, std::uint32_t epoch, const UsageRow& row) {
  UsagePart& part = parts_[log];
  part.log = log;
  part.epoch = std::max(part.epoch, epoch);
  std::string line = usage_line(by_, row.key);
  const bool full = lines_ >= UsageReport::kLinesMax && !part.lines.contains(line);
  if (full) line = UsageReport::kOther;
  const auto [at, is_new] = part.lines.try_emplace(std::move(line));
  if (is_new) ++lines_;
  sched::add(at->second, row.sums);
}

std::vector<UsagePart> UsageParts::take() {
  std::vector<UsagePart> all;
  for (auto& [log, part] : parts_) all.push_back(std::move(part));
  parts_.clear();
  lines_ = 0;
  return all;
}

}  // namespace dunlin::sched
