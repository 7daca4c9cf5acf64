// SPDX-License-Identifier: MIT
#include "node/task/task_array.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

// Arrays of tasks as other schedulers write them: indices and ranges with steps, and how many may
// run at once. A range is checked before its indices are made, so a mistyped one takes no memory.
namespace dunlin::node {
namespace {

std::optional<std::uint32_t> read_number(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || read != end) return std::nullopt;
  return number;
}

tl::unexpected<Error> wrong(std::string_view part, const std::string& why) {
  return failure(ErrorKind::usage,
      "'" + std::string(part.substr(0, 64)) + "' " + why +
          ": write indices such as 3, 0-99 or 0-99:2, with commas between, then %N for N at once");
}

/// Adds the indices of "7", "0-99" or "0-99:2".
Result<void> add_part(std::string_view part, std::vector<std::uint32_t>& indices) {
  const auto colon = part.find(':');
  const auto range = part.substr(0, colon);
  const auto dash = range.find('-');
  const auto first = read_number(range.substr(0, dash));
  const auto last = dash == range.npos ? first : read_number(range.substr(dash + 1));
  const auto step = colon == part.npos ? std::optional(1U) : read_number(part.substr(colon + 1));
  if (!first || !last || !step || (colon != part.npos && dash == range.npos)) {
    return wrong(part, "is no index and no range");
  }
  if (*step == 0) return wrong(part, "has a step of 0");
  if (*last < *first) return wrong(part, "ends before it begins");
  if (*last > TaskArray::kIndexMax) {
    return wrong(part, "goes beyond " + std::to_string(TaskArray::kIndexMax));
  }
  // Before any is added, so that a long range takes no memory. Indices named twice count twice
  // here.
  if ((*last - *first) / *step >= TaskArray::kTasksMax - indices.size()) {
    return wrong(part, "makes it more than " + std::to_string(TaskArray::kTasksMax) + " tasks");
  }
  // 64 bits: the last index and a step may be more than 32 hold.
  for (std::uint64_t index = *first; index <= *last; index += *step) {
    indices.push_back(static_cast<std::uint32_t>(index));
  }
  return {};
}

}  // namespace

Result<TaskArray> parse_array(std::string_view text) {
  TaskArray array;
  const auto percent = text.find('%');
  if (percent != text.npos) {
    const auto at_once = read_number(text.substr(percent + 1));
    if (!at_once || *at_once == 0 || *at_once > TaskArray::kTasksMax) {
      return wrong(text.substr(percent), "does not say how many at once, 1 to 1000000");
    }
    array.at_once = *at_once;
  }
  std::string_view rest = text.substr(0, percent);
  for (;;) {
    const auto comma = rest.find(',');
    if (auto added = add_part(rest.substr(0, comma), array.indices); !added) {
      return tl::unexpected(added.error());
    }
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  // Tasks are numbered by their place in this list: ascending, whatever the order of the words.
  std::ranges::sort(array.indices);
  array.indices.erase(std::ranges::unique(array.indices).begin(), array.indices.end());
  return array;
}

}  // namespace dunlin::node
