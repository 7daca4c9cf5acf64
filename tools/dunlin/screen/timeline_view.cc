// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/timeline_view.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// `dunlin job --timeline`. Time goes from left to right, from the submit to the end or to now. Of a
// group each column is as high as many of its attempts ran at the end of that time; of a task it
// says what the task did.
namespace dunlin::cli {
namespace {

constexpr std::size_t kBarColumnsMax = 100;
constexpr std::size_t kBarColumnsMin = 10;
/// A label, and the blanks behind it.
constexpr std::size_t kBarLabel = 16;
/// The peak of a group, or the name of a node, stands behind a bar.
constexpr std::size_t kBehindBar = 14;
constexpr std::size_t kGroupRowsMax = 20;
constexpr std::size_t kTaskRowsMax = 40;
/// Eighths of a column, from nothing to all of it.
constexpr std::string_view kHeights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kLegend = ". waits  = runs  + done  x failed  - stopped  ! lost";

/// ns since 1970; 0 where nothing is known.
std::int64_t time_of(const Json& object, const char* key) {
  return value<std::int64_t>(object, key);
}

/// The columns of a picture, and which time each stands for.
class Axis {
 public:
  Axis(const Json& timeline, std::size_t columns)
      : columns_(columns),
        begin_(time_of(timeline, "submitted_at_ns")),
        span_(std::max<double>(1,
            static_cast<double>(value<std::uint64_t>(timeline, "bin_ns")) *
                static_cast<double>(value<std::uint64_t>(timeline, "bins", 1)))) {}

  std::size_t columns() const { return columns_; }
  double seconds() const { return span_ * 1e-9; }
  std::size_t column_of(std::int64_t at) const {
    if (at <= begin_) return 0;
    // As whole numbers first: a time since 1970 has more digits than a double.
    const auto passed =
        static_cast<double>(static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(begin_));
    const double column = passed * static_cast<double>(columns_) / span_;
    const auto last = static_cast<double>(columns_ - 1);
    return static_cast<std::size_t>(std::min(column, last));
  }
  /// The column of bin `i` of `count`.
  std::size_t column_of_bin(std::size_t i, std::size_t count) const {
    return std::min(i * columns_ / std::max<std::size_t>(count, 1), columns_ - 1);
  }

 private:
  std::size_t columns_;
  std::int64_t begin_;
  double span_;
};

/// The count of one series in bin `i`; 0 where it has none.
std::uint64_t count_at(const Json& bins, const char* series, std::size_t i) {
  const Json& counts = member(bins, series);
  return counts.is_array() && i < counts.size() ? as<std::uint64_t>(counts[i]) : 0;
}

/// What a group did, a number for each column.
struct GroupColumns {
  std::vector<std::uint64_t> running;  ///< The highest number of attempts that ran.
  std::vector<bool> failed;            ///< Some failed, ...
  std::vector<bool> lost;              ///< ... or were lost.
};

// There may be more bins than columns, or fewer: a column shows the highest of its bins, and a wide
// bin fills several. So no peak is lost by a narrow terminal.
GroupColumns columns_of_group(const Json& group, const Axis& axis) {
  GroupColumns columns{std::vector<std::uint64_t>(axis.columns()),
      std::vector<bool>(axis.columns()), std::vector<bool>(axis.columns())};
  const Json& bins = member(group, "bins");
  const Json& started = member(bins, "started");
  const std::size_t count = started.is_array() ? started.size() : 0;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t failed = count_at(bins, "failed", i);
    const std::uint64_t begun = count_at(bins, "started", i);
    const std::uint64_t ended = count_at(bins, "done", i) + failed + count_at(bins, "stopped", i);
    // Of a bin in which tasks both began and ended, what ran in it counts, not what was left.
    const auto high = now + static_cast<std::int64_t>(begun);
    now = high - static_cast<std::int64_t>(ended);
    const std::size_t first = axis.column_of_bin(i, count);
    const std::size_t next = std::max(first + 1, (i + 1) * axis.columns() / count);
    for (std::size_t at = first; at < std::min(next, axis.columns()); ++at) {
      columns.running[at] = std::max(
          columns.running[at], static_cast<std::uint64_t>(std::max<std::int64_t>(high, 0)));
      if (failed > 0) columns.failed[at] = true;
      if (count_at(bins, "lost", i) > 0) columns.lost[at] = true;
    }
  }
  return columns;
}

/// As wide as all labels, so that bars begin below each other.
std::string bar_label(const std::string& text) {
  std::string label = config::shortened(printable(text), kBarLabel - 1);
  const std::size_t taken = config::columns_of(label);
  return label + std::string(kBarLabel - std::min(taken, kBarLabel), ' ');
}

/// Its name, or its number if it has none.
std::string group_word(const Json& group, std::size_t i) {
  const auto name = value<std::string>(group, "name");
  return name.empty() ? "group " + std::to_string(i) : name;
}

/// A row of heights, and below it one of failures if there were any.
std::string group_rows(const Json& group, std::size_t i, const Axis& axis, const Terminal& out) {
  const GroupColumns columns = columns_of_group(group, axis);
  const std::uint64_t peak = *std::ranges::max_element(columns.running);
  constexpr std::uint64_t kEighths = std::size(kHeights) - 1;
  std::string heights;
  std::string marks;
  for (std::size_t at = 0; at < axis.columns(); ++at) {
    const std::uint64_t running = columns.running[at];
    // One of thousands is seen, too.
    const std::uint64_t height =
        peak == 0 ? 0 : (running * kEighths + peak - 1) / std::max<std::uint64_t>(peak, 1);
    heights += kHeights[std::min(height, kEighths)];
    marks += columns.lost[at] ? '!' : columns.failed[at] ? 'x' : ' ';
  }
  std::string text = bar_label(group_word(group, i)) + out.paint(heights, Colour::green) +
      (peak == 0 ? "" : " " + std::to_string(peak)) + "\n";
  if (marks.find_first_not_of(' ') != std::string::npos) {
    marks.erase(marks.find_last_not_of(' ') + 1);
    text += std::string(kBarLabel, ' ') + out.paint(marks, Colour::red) + "\n";
  }
  return text;
}

/// The sign at which a bar ends.
char end_sign(std::string_view how) {
  if (how == "done") return '+';
  if (how == "lost") return '!';
  return how == "killed" || how == "preempted" ? '-' : 'x';
}

/// The attempts of a task on one line, the later ones over those before: what it does now is what
/// is seen.
std::string task_row(const Json& task, const Axis& axis, std::size_t now) {
  const Json& attempts = member(task, "attempts");
  std::string row(axis.columns(), ' ');
  const auto fill = [&](std::size_t from, std::size_t to, char sign) {
    for (std::size_t at = from; at <= to && at < row.size(); ++at) row[at] = sign;
  };
  const auto state = value<std::string>(task, "state");
  const bool ended = state == "done" || state == "failed" || state == "cancelled";
  if (!ended) fill(0, now, '.');
  std::string last;
  for (const Json& bar : attempts) {
    const std::int64_t begun = time_of(bar, "started_at_ns");
    const std::int64_t end = time_of(bar, "ended_at_ns");
    const auto how = value<std::string>(bar, "how");
    last = value<std::string>(bar, "worker_name");
    if (begun != 0) {
      const std::size_t from = axis.column_of(begun);
      // Until it began it waited.
      for (std::size_t at = 0; at < from; ++at) {
        if (row[at] == ' ') row[at] = '.';
      }
      fill(from, end == 0 ? now : axis.column_of(end), '=');
    }
    if (end != 0) row[axis.column_of(end)] = end_sign(how);
  }
  const auto index = std::to_string(value<std::uint32_t>(task, "index"));
  std::string text = bar_label("  task " + index) + row;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + (last.empty() ? "" : "  " + config::shortened(printable(last), kBehindBar - 2)) +
      "\n";
}

/// "job merlin.12 "train": running; 40 tasks, submitted 2026-11-24T06:39:23Z".
std::string head_line(const Json& timeline) {
  return "job " + printable(value<std::string>(timeline, "known_as")) + " \"" +
      printable(value<std::string>(timeline, "name")) +
      "\": " + printable(value<std::string>(timeline, "state")) + "; " +
      count_text(value<std::uint64_t>(timeline, "count"), "task") + ", submitted " +
      iso_time(time_of(timeline, "submitted_at_ns"));
}

std::string more_line(std::size_t all, std::size_t shown, std::string_view what) {
  if (all <= shown) return "";
  return "... and " + count_text(all - shown, "more " + std::string(what)) + "\n";
}

/// "attempt 2 on merlin: from ... to ... exit 1 after 40 ms".
std::string attempt_words(const Json& bar) {
  const std::int64_t begun = time_of(bar, "started_at_ns");
  const std::int64_t end = time_of(bar, "ended_at_ns");
  std::string text = "attempt " + std::to_string(value<std::uint32_t>(bar, "attempt")) + " on " +
      printable(value<std::string>(bar, "worker_name", "?")) + ": ";
  if (begun != 0) text += "from " + iso_time(begun) + " ";
  if (end != 0) text += (begun != 0 ? "to " : "noticed ") + iso_time(end) + " ";
  text += printable(value<std::string>(bar, "how"));
  if (begun != 0 && end >= begun)
    text += " after " + span_text(static_cast<double>(end - begun) * 1e-9);
  return text;
}

}  // namespace

// For a terminal: of many groups or tasks the first ones, as far as a person would look.
std::string timeline_bars(const Json& timeline, const Terminal& terminal) {
  const std::size_t width =
      terminal.columns == 0 ? kBarColumnsMax : std::min(terminal.columns, kBarColumnsMax);
  const std::size_t bar = width > kBarLabel + kBehindBar + kBarColumnsMin
      ? width - kBarLabel - kBehindBar
      : kBarColumnsMin;
  const Axis axis(timeline, bar);
  std::string text = config::shortened(head_line(timeline), width) + "\neach column is " +
      span_text(axis.seconds() / static_cast<double>(bar)) +
      "; the number behind a group is its peak\n";
  const Json& groups = member(timeline, "groups");
  const std::size_t group_count = groups.is_array() ? groups.size() : 0;
  const std::size_t groups_shown = std::min(group_count, kGroupRowsMax);
  for (std::size_t i = 0; i < groups_shown; ++i) text += group_rows(groups[i], i, axis, terminal);
  text += more_line(group_count, groups_shown, "group");
  const Json& tasks = member(timeline, "tasks");
  const std::size_t task_count = tasks.is_array() ? tasks.size() : 0;
  if (task_count == 0) return text;
  const std::size_t shown = std::min(task_count, kTaskRowsMax);
  const std::size_t now = axis.column_of(time_of(timeline, "now_at_ns"));
  for (std::size_t i = 0; i < shown; ++i) text += task_row(tasks[i], axis, now);
  return text + more_line(task_count, shown, "task") + std::string(kLegend) + "\n";
}

// For files and pipes: times in full, and a line for each attempt, which no width cuts short.
std::string timeline_text(const Json& timeline) {
  std::string text = head_line(timeline) + "\n";
  Table table({{"GROUP"}, {"TASKS", Align::right}, {"RUN", Align::right}, {"STARTED", Align::right},
      {"DONE", Align::right}, {"FAILED", Align::right}, {"STOPPED", Align::right},
      {"LOST", Align::right}, {"FIRST START"}, {"LAST END"}});
  const Json& groups = member(timeline, "groups");
  const auto when = [](const Json& group, const char* key) {
    const std::int64_t at = time_of(group, key);
    return at == 0 ? std::string("-") : iso_time(at);
  };
  for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i) {
    const Json& group = groups[i];
    const auto sum = [&](const char* series) {
      std::uint64_t all = 0;
      for (const Json& count : member(member(group, "bins"), series))
        all += as<std::uint64_t>(count);
      return std::to_string(all);
    };
    table.add({group_word(group, i), std::to_string(value<std::uint64_t>(group, "count")),
        std::to_string(value<std::uint64_t>(group, "running")), sum("started"), sum("done"),
        sum("failed"), sum("stopped"), sum("lost"), when(group, "started_at_ns"),
        when(group, "ended_at_ns")});
  }
  text += table.render({});
  for (const Json& task : member(timeline, "tasks")) {
    const std::string name = "task " + std::to_string(value<std::uint32_t>(task, "index"));
    const Json& attempts = member(task, "attempts");
    if (attempts.empty()) text += name + ": " + printable(value<std::string>(task, "state")) + "\n";
    for (const Json& bar : attempts) text += name + ", " + attempt_words(bar) + "\n";
  }
  return text;
}

}  // namespace dunlin::cli
