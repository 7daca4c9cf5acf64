// SPDX-License-Identifier: MIT
#include "node/control/nodes/tasks_cursor.h"

#include <charconv>
#include <tuple>

// A cursor is a text that clients hand back unread: a letter for the part, and where to go on in
// it. It comes from outside, so whatever is not exactly of this form is none.
namespace dunlin::node {
namespace {

constexpr std::string_view kPartLetters = "raq";

/// Reads a number and the point behind it, if there is one. False if there is no number, or none
/// that fits.
template <typename T>
bool take_number(std::string_view& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) {
    if (text.front() != '.' || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace

std::string to_text(const TasksCursor& cursor) {
  std::string text(1, kPartLetters[static_cast<std::size_t>(cursor.part)]);
  if (cursor.part != TasksCursor::Part::running) return text + std::to_string(cursor.count);
  const auto& [home, number, lineage, index, attempt] = cursor.after;
  return text + std::to_string(home) + "." + std::to_string(number) + "." +
      std::to_string(lineage) + "." + std::to_string(index) + "." + std::to_string(attempt);
}

std::optional<TasksCursor> read_tasks_cursor(std::string_view text) {
  TasksCursor cursor;
  if (text.empty()) return cursor;
  const auto part = kPartLetters.find(text.front());
  if (part == std::string_view::npos) return std::nullopt;
  cursor.part = static_cast<TasksCursor::Part>(part);
  text.remove_prefix(1);
  if (cursor.part != TasksCursor::Part::running) {
    const bool read = take_number(text, cursor.count) && text.empty();
    return read ? std::optional(cursor) : std::nullopt;
  }
  cursor.begins = true;
  auto& [home, number, lineage, index, attempt] = cursor.after;
  const bool read = take_number(text, home) && take_number(text, number) &&
      take_number(text, lineage) && take_number(text, index) && take_number(text, attempt);
  return read && text.empty() ? std::optional(cursor) : std::nullopt;
}

}  // namespace dunlin::node
