// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/selectors.h"

#include <algorithm>
#include <charconv>

namespace dunlin::cli {
namespace {

/// More than this is listed by "all" or a range the agent knows, not by counting up here.
constexpr std::size_t kNumbersMax = 10'000;

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<NumberRange> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last};
}

/// Calls `take` for each piece between commas; false as soon as it returns false.
bool for_each_piece(std::string_view text, auto&& take) {
  while (true) {
    const auto comma = text.find(',');
    if (!take(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

void sort_out(std::vector<std::uint32_t>& numbers) {
  std::ranges::sort(numbers);
  const auto [begin, end] = std::ranges::unique(numbers);
  numbers.erase(begin, end);
}

}  // namespace

std::optional<std::vector<std::uint32_t>> JobSelector::numbers() const {
  if (all || last) return std::nullopt;
  std::vector<std::uint32_t> numbers;
  for (const NumberRange& range : ranges) {
    if (range.first != range.last) return std::nullopt;
    numbers.push_back(range.first);
  }
  sort_out(numbers);
  return numbers;
}

Result<std::vector<std::uint32_t>> JobSelector::among(std::span<const std::uint32_t> known) const {
  if (all) return std::vector<std::uint32_t>(known.begin(), known.end());
  std::vector<std::uint32_t> chosen;
  if (last) {
    if (known.empty())
      return failure(ErrorKind::not_found, "there is no last job: none was submitted here");
    chosen.push_back(known.back());
  }
  for (const NumberRange& range : ranges) {
    const std::size_t before = chosen.size();
    for (const auto number : known) {
      if (range.first <= number && number <= range.last) chosen.push_back(number);
    }
    if (chosen.size() != before) continue;
    if (range.first != range.last) {
      return failure(ErrorKind::not_found,
          "no job from " + std::to_string(range.first) + " to " + std::to_string(range.last) +
              " (dunlin jobs --all)");
    }
    chosen.push_back(range.first);
  }
  sort_out(chosen);
  return chosen;
}

Result<JobSelector> parse_jobs(std::span<const std::string> words) {
  JobSelector selector;
  for (const std::string& word : words) {
    const bool fine = for_each_piece(word, [&](std::string_view piece) {
      if (piece == "all") return selector.all = true;
      if (piece == "last") return selector.last = true;
      const auto range = parse_range(piece);
      if (!range || range->first == 0) return false;
      selector.ranges.push_back(*range);
      return selector.ranges.size() <= kNumbersMax;
    });
    if (!fine) {
      return failure(ErrorKind::usage,
          "'" + word + "' names no jobs: give a number, 3-7, 1,3,5-8, last or all");
    }
  }
  return selector;
}

bool TaskSelector::includes(std::uint32_t index) const {
  return tasks.empty() || std::ranges::any_of(tasks, [&](const NumberRange& range) {
    return range.first <= index && index <= range.last;
  });
}

Result<TaskSelector> parse_tasks(std::string_view word) {
  TaskSelector selector;
  const auto dot = word.find('.');
  const auto job = word.substr(0, dot);
  const auto number = parse_number(job);
  if (job == "last") {
    selector.job.last = true;
  } else if (number && *number != 0) {
    selector.job.ranges.push_back({*number, *number});
  } else {
    return failure(ErrorKind::usage,
        "'" + std::string(word) + "' names no job or task: give 11, last, 11.57 or 11.0-9,20");
  }
  if (dot == std::string_view::npos) return selector;
  const bool fine = for_each_piece(word.substr(dot + 1), [&](std::string_view piece) {
    const auto range = parse_range(piece);
    if (range) selector.tasks.push_back(*range);
    return range.has_value();
  });
  if (!fine) {
    return failure(ErrorKind::usage,
        "'" + std::string(word) +
            "' names no tasks: after the dot give numbers such as 57 or 0-9,20");
  }
  return selector;
}

}  // namespace dunlin::cli
