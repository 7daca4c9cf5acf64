// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/selectors.h"

#include <algorithm>
#include <charconv>

// A number that the user typed is taken as it is, so that the agent can say that there is no such
// job. "all" and ranges select from the jobs that exist: a range is a wish to catch what is there,
// and must not fail for a gap.
namespace dunlin::cli {
namespace {

/// Larger ranges are compared with the jobs that the agent knows, and not counted up here.
constexpr std::size_t kNumbersMax = 10'000;

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A number alone is a range of one.
std::optional<NumberRange> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last};
}

/// Calls `take` for each piece between commas. Returns false as soon as `take` does.
bool for_each_piece(std::string_view text, auto&& take) {
  while (true) {
    const auto comma = text.find(',');
    if (!take(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

/// True if the word begins with a node: "merlin.12". A first word that is a number is a job here.
bool begins_with_node(std::string_view word) {
  const auto dot = word.find('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const auto first = word.substr(0, dot);
  return first != "last" && !parse_number(first);
}

void sort_out(std::vector<std::uint32_t>& numbers) {
  std::ranges::sort(numbers);
  const auto [begin, end] = std::ranges::unique(numbers);
  numbers.erase(begin, end);
}

}  // namespace

// Numbers that mean themselves, without a look at what jobs there are.
std::optional<std::vector<std::uint32_t>> JobSelector::numbers() const {
  if (all || last) return std::nullopt;
  std::vector<std::uint32_t> numbers;
  for (const NumberRange& range : ranges) {
    // A range means what is there, so it needs the list.
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
    // The highest number: an agent counts upwards.
    chosen.push_back(known.back());
  }
  for (const NumberRange& range : ranges) {
    // Each range must find something of its own: one that finds nothing is mostly a slip.
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
    // A single number that nothing is known of goes to the agent, which says why.
    chosen.push_back(range.first);
  }
  sort_out(chosen);
  return chosen;
}

Result<JobSelector> parse_jobs(std::span<const std::string> words) {
  JobSelector selector;
  for (const std::string& word : words) {
    if (begins_with_node(word)) {
      selector.names.push_back(word);
      continue;
    }
    // Pieces of one word and several words mean the same: "1,2" is "1 2".
    const bool fine = for_each_piece(word, [&](std::string_view piece) {
      if (piece == "all") return selector.all = true;
      if (piece == "last") return selector.last = true;
      const auto range = parse_range(piece);
      // Jobs are numbered from 1.
      if (!range || range->first == 0) return false;
      selector.ranges.push_back(*range);
      return selector.ranges.size() <= kNumbersMax;
    });
    if (!fine) {
      return failure(ErrorKind::usage,
          "'" + word + "' names no jobs: give a number, 3-7, 1,3,5-8, NODE.NUMBER, last or all");
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
  if (begins_with_node(word)) {
    // Where its parts begin is for the agent to say, which knows the names of nodes.
    selector.job.names.emplace_back(word);
    return selector;
  }
  const auto dot = word.find('.');
  const auto job = word.substr(0, dot);
  const auto number = parse_number(job);
  if (job == "last") {
    selector.job.last = true;
  } else if (number && *number != 0) {
    selector.job.ranges.push_back({*number, *number});
  } else {
    return failure(ErrorKind::usage,
        "'" + std::string(word) +
            "' names no job or task: give 11, last, 11.57, 11.0-9,20, NODE.11 or NODE.11.57");
  }
  if (dot == std::string_view::npos) return selector;
  auto tasks = parse_task_list(word.substr(dot + 1), word);
  if (!tasks) return tl::unexpected(tasks.error());
  selector.tasks = std::move(*tasks);
  return selector;
}

Result<std::vector<NumberRange>> parse_task_list(std::string_view list, std::string_view word) {
  std::vector<NumberRange> tasks;
  const bool fine = for_each_piece(list, [&](std::string_view piece) {
    const auto range = parse_range(piece);
    if (range) tasks.push_back(*range);
    return range.has_value();
  });
  if (fine) return tasks;
  return failure(ErrorKind::usage,
      "'" + std::string(word) +
          "' names no tasks: after the dot give numbers such as 57 or 0-9,20");
}

Result<std::vector<std::uint32_t>> numbers_of(
    std::span<const NumberRange> ranges, std::string_view word) {
  constexpr std::size_t kNumbersMax = 100'000;
  std::vector<std::uint32_t> numbers;
  for (const NumberRange& range : ranges) {
    // Before they are counted up: 0-4294967295 must cost nothing.
    if (range.last - range.first >= kNumbersMax - numbers.size()) {
      return failure(
          ErrorKind::usage, std::string(word) + ": more than 100000 tasks; name the whole job");
    }
    // In 64 bits: after the last number of 32 there is one more.
    for (std::uint64_t index = range.first; index <= range.last; ++index) {
      numbers.push_back(static_cast<std::uint32_t>(index));
    }
  }
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

}  // namespace dunlin::cli
