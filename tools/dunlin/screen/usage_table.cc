// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/usage_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// People compare amounts down a column, so each column has one unit: hours. What is less than a
// hundredth of one, and not nothing, is said to be so.
namespace dunlin::cli {
namespace {

constexpr double kMsPerHour = 3'600'000;
constexpr double kMibSecondsPerGibHour = 1024.0 * 3600;

/// "12.25", "1234.5", "<0.01", "0".
std::string hours_text(double hours) {
  if (hours <= 0) return "0";
  if (hours < 0.005) return "<0.01";
  // The column stays narrow; nobody looks at minutes of a thousand hours.
  const int places = hours < 1000 ? 2 : 1;
  const double scale = places == 2 ? 100 : 10;
  std::string text = std::to_string(std::llround(hours * scale));
  // "5" hundredths have a zero before them, and one before the point.
  while (text.size() <= static_cast<std::size_t>(places)) text.insert(0, "0");
  text.insert(text.size() - static_cast<std::size_t>(places), ".");
  return text;
}

std::string usage_count(const Json& line, const char* key) {
  return std::to_string(value<std::int64_t>(line, key));
}

std::string hours_of(const Json& line, const char* key, double unit = kMsPerHour) {
  return hours_text(value<double>(line, key) / unit);
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// A holder of the cluster key that gave no name.
std::string line_name(const Json& line) {
  const auto name = value<std::string>(line, "name");
  return name.empty() ? "-" : name;
}

std::vector<Cell> cells_of(const std::string& name, const Json& line) {
  return {name, usage_count(line, "jobs"), usage_count(line, "tasks"), usage_count(line, "failed"),
      usage_count(line, "preempted"), usage_count(line, "lost"), hours_of(line, "cpu_held_ms"),
      hours_of(line, "cpu_used_ms"), hours_of(line, "cpu_wasted_ms"),
      hours_of(line, "memory_held_mib_s", kMibSecondsPerGibHour), hours_of(line, "gpu_held_ms")};
}

/// A cell of RFC 4180.
std::string csv_cell(const std::string& text) {
  // Only where it must be: a column of names reads better without quotes.
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// Milliseconds as seconds: "1.250".
std::string csv_seconds(const Json& line, const char* key) {
  const auto ms = std::max<std::int64_t>(value<std::int64_t>(line, key), 0);
  std::string rest = std::to_string(ms % 1000);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(ms / 1000) + "." + rest;
}

/// MiB x s as bytes x s, which may be more than any whole number here.
std::string csv_bytes(const Json& line) {
  const auto mib = value<std::int64_t>(line, "memory_held_mib_s");
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return mib > kMax >> 20 ? std::to_string(kMax) : std::to_string(mib << 20);
}

}  // namespace

// The line of all comes last, of all that matches and not of what is shown: with --limit the column
// does not add up to it.
Result<std::string> usage_text(
    const Json& usage, const ColumnChoice& columns, const Terminal& terminal) {
  const auto by = value<std::string>(usage, "by", "user");
  const std::string since = iso_time(value<std::int64_t>(usage, "since_at_ns"));
  const std::string until = iso_time(value<std::int64_t>(usage, "until_at_ns"));
  Table table({{upper(by)}, {"JOBS", Align::right}, {"TASKS", Align::right},
      {"FAILED", Align::right}, {.header = "PREEMPTED", .align = Align::right, .extra = true},
      {"LOST", Align::right}, {"CPU HELD", Align::right}, {"CPU USED", Align::right},
      {"WASTED", Align::right}, {"MEMORY", Align::right}, {"GPU", Align::right, 1}});
  if (auto fine = table.choose(columns); !fine) return tl::unexpected(fine.error());
  const Json& lines = member(usage, "usage");
  // No table of headers alone: that looks like a fault.
  if (!lines.is_array() || lines.empty()) {
    return "nothing was used from " + since + " to " + until +
        "\n--since all looks at all that is kept; `dunlin run true` is a job that will count\n";
  }
  for (const Json& line : lines) table.add(cells_of(line_name(line), line));
  const auto matching = value<std::uint64_t>(usage, "matching");
  // Of one line it would say the same again.
  if (matching > 1) table.add(cells_of("all", member(usage, "total")));
  std::string text = table.render(terminal);
  if (matching > lines.size()) {
    text += count_text(matching - lines.size(), "line") + " more (--limit), counted in all\n";
  }
  return text + "from " + since + " to " + until + ", in CPU hours, GiB hours and GPU hours\n" +
      "WASTED: what attempts held that failed, were preempted or lost\n";
}

std::string quotas_text(const Json& usage) {
  std::string text;
  const auto seconds = [](const Json& quota, const char* key) {
    return std::to_string(value<std::int64_t>(quota, key) / 1000);
  };
  for (const Json& quota : member(usage, "quotas")) {
    // Said by the agent's own figures: it decides by them, too.
    const bool used_up =
        value<std::int64_t>(quota, "held_ms") >= value<std::int64_t>(quota, "ceiling_ms");
    text += "quota of " + printable(value<std::string>(quota, "of")) + " " +
        printable(value<std::string>(quota, "name")) + ": " + seconds(quota, "held_ms") + " of " +
        seconds(quota, "ceiling_ms") + " CPU seconds held today at this agent" +
        (used_up ? ": no more jobs are taken until " +
                    iso_time(value<std::int64_t>(quota, "renewed_at_ns"))
                 : "") +
        "\n";
  }
  return text;
}

// Programs get seconds and bytes, which need no rounding, and whatever the terminal is.
std::string usage_csv(const Json& usage) {
  std::string text = value<std::string>(usage, "by", "user") +
      ",jobs,tasks,failed,preempted,lost,cpu_held_s,cpu_used_s,cpu_wasted_s,memory_held_byte_s,"
      "gpu_held_s\r\n";
  for (const Json& line : member(usage, "usage")) {
    text += csv_cell(value<std::string>(line, "name"));
    for (const char* const key : {"jobs", "tasks", "failed", "preempted", "lost"}) {
      text += "," + usage_count(line, key);
    }
    for (const char* const key : {"cpu_held_ms", "cpu_used_ms", "cpu_wasted_ms"}) {
      text += "," + csv_seconds(line, key);
    }
    text += "," + csv_bytes(line) + "," + csv_seconds(line, "gpu_held_ms") + "\r\n";
  }
  return text;
}

}  // namespace dunlin::cli
