// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/bins_view.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// `dunlin job --bins`. Indices of tasks go from left to right. A task among thousands that failed
// is what a user looks for, so a share that is not nothing has a height that is seen.
namespace dunlin::cli {
namespace {

constexpr std::size_t kStripColumnsMax = 80;
constexpr std::size_t kStripColumnsMin = 10;
/// The word of a state, and the blanks behind it.
constexpr std::size_t kStripLabel = 12;
/// The number of tasks stands behind a row.
constexpr std::size_t kBehindStrip = 12;
/// Eighths of a row, from nothing to all of it.
constexpr std::string_view kStripHeights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::uint64_t kStripEighths = std::size(kStripHeights) - 1;

/// In the order of rows.
constexpr std::pair<const char*, Colour> kStripStates[] = {{"done", Colour::green},
    {"failed", Colour::red}, {"cancelled", Colour::yellow}, {"cancelling", Colour::yellow},
    {"running", Colour::bold}, {"waiting", Colour::dim}};

std::uint64_t count_of(const Json& object, const char* state) {
  return value<std::uint64_t>(member(object, "counts"), state);
}

/// The ranges; none of an answer that makes no sense.
std::vector<const Json*> ranges_told(const Json& told) {
  std::vector<const Json*> ranges;
  const Json& bins = member(told, "bins");
  if (!bins.is_array()) return ranges;
  for (const Json& bin : bins) ranges.push_back(&bin);
  return ranges;
}

/// "job merlin.12 "train": running; 40 tasks".
std::string job_line(const Json& told) {
  return "job " + printable(value<std::string>(told, "known_as")) + " \"" +
      printable(value<std::string>(told, "name")) +
      "\": " + printable(value<std::string>(told, "state")) + "; " +
      count_text(value<std::uint64_t>(told, "count"), "task") + "\n";
}

std::string strip_label(std::string text) {
  text.resize(kStripLabel, ' ');
  return text;
}

/// As high as many of the range are in that state.
std::string_view height_of(const Json& bin, const char* state) {
  std::uint64_t all = 0;
  for (const auto& [each, colour] : kStripStates) all += count_of(bin, each);
  const std::uint64_t some = std::min(count_of(bin, state), all);
  if (some == 0) return kStripHeights[0];
  // A double, as an agent may say any number.
  const double share = static_cast<double>(some) / static_cast<double>(all);
  const auto eighths = static_cast<std::uint64_t>(share * static_cast<double>(kStripEighths));
  return kStripHeights[std::clamp<std::uint64_t>(eighths, 1, kStripEighths)];
}

/// The first index below the first column, and the last one below the last.
std::string index_line(const std::vector<const Json*>& ranges) {
  const std::string first = std::to_string(value<std::uint32_t>(*ranges.front(), "first"));
  const std::string last = std::to_string(value<std::uint32_t>(*ranges.back(), "last"));
  const std::size_t taken = first.size() + last.size();
  const std::size_t blanks = ranges.size() > taken ? ranges.size() - taken : 1;
  return strip_label("tasks") + first + std::string(blanks, ' ') + last + "\n";
}

std::string pruned_line(const Json& told) {
  return value<bool>(told, "pruned")
      ? "what became of each task is forgotten by now; the numbers are kept\n"
      : "";
}

}  // namespace

std::size_t strip_columns(const Terminal& terminal) {
  if (terminal.columns == 0) return kStripColumnsMax;
  const std::size_t beside = kStripLabel + kBehindStrip;
  const std::size_t room = terminal.columns > beside ? terminal.columns - beside : 0;
  return std::clamp(room, kStripColumnsMin, kStripColumnsMax);
}

std::string bins_strip(const Json& told, const Terminal& terminal) {
  std::vector<const Json*> ranges = ranges_told(told);
  // An agent that told more than it was asked for must not break the lines.
  if (ranges.size() > kStripColumnsMax) ranges.resize(kStripColumnsMax);
  std::string text = job_line(told) + pruned_line(told);
  if (!ranges.empty()) {
    text += "each column is " + count_text(value<std::uint64_t>(told, "width", 1), "task") +
        "; behind a row stands how many there are\n";
  }
  for (const auto& [state, colour] : kStripStates) {
    const std::uint64_t all = count_of(told, state);
    if (all == 0) continue;
    std::string heights;
    for (const Json* const bin : ranges) heights += height_of(*bin, state);
    text += strip_label(state) + terminal.paint(heights, colour) + (ranges.empty() ? "" : " ") +
        std::to_string(all) + "\n";
  }
  return ranges.empty() ? text : text + index_line(ranges);
}

std::string bins_text(const Json& told) {
  std::vector<Column> columns = {{"TASKS", Align::right}};
  for (const auto& [state, colour] : kStripStates) {
    std::string header = state;
    std::ranges::transform(
        header, header.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    columns.push_back({header, Align::right});
  }
  Table table(columns);
  const auto add_row = [&table](std::string name, const Json& counted) {
    std::vector<Cell> row = {std::move(name)};
    for (const auto& [state, colour] : kStripStates) {
      row.emplace_back(std::to_string(count_of(counted, state)));
    }
    table.add(row);
  };
  for (const Json* const bin : ranges_told(told)) {
    const auto first = value<std::uint32_t>(*bin, "first");
    const auto last = value<std::uint32_t>(*bin, "last");
    std::string name = std::to_string(first);
    if (last > first) name += "-" + std::to_string(last);
    add_row(std::move(name), *bin);
  }
  add_row("all", told);
  return job_line(told) + pruned_line(told) + table.render({});
}

}  // namespace dunlin::cli
