// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/limits.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <sys/stat.h>

#include "node/task/soft_limits.h"
#include "overlay/field_info.h"
#include "overlay/param_entries.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/words/said_words.h"

// Soft limits as ulimit(1) and systemd write them, and the umask. The agent's hard limits are not
// known here: a task that asks for more gets as much as there is.
namespace dunlin::cli {
namespace {

using node::LimitUnit;

constexpr std::string_view kUnlimitedWords[] = {"unlimited", "infinity", "none"};

// All of the text must be digits: "12x" is no number.
std::optional<std::uint64_t> parse_count(std::string_view text, int base = 10) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return count;
}

/// "64M", "1G", "4096": a unit is a power of 1024.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  // "64MiB" is "64M": of these units all are powers of 1024, as ulimit has them.
  if (text.ends_with('B')) text.remove_suffix(1);
  if (text.ends_with('i')) text.remove_suffix(1);
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit == kUnits.npos) return parse_count(text);
  text.remove_suffix(1);
  const auto count = parse_count(text);
  const unsigned shift = 10 * (static_cast<unsigned>(unit) + 1);
  // It must fit a signed number, which the request has.
  if (!count || *count >> (63 - shift) != 0) return std::nullopt;
  return *count << shift;
}

std::optional<std::uint64_t> parse_seconds(std::string_view text) {
  if (const auto count = parse_count(text)) return count;
  const auto time = overlay::parse_duration(text);
  if (!time || *time < overlay::Duration{0}) return std::nullopt;
  // The kernel counts whole seconds; rounded up, so that "500ms" is not 0, which ends a task at
  // once.
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(*time).count());
}

std::optional<std::uint64_t> parse_value(std::string_view text, LimitUnit unit) {
  if (std::ranges::find(kUnlimitedWords, text) != std::end(kUnlimitedWords)) {
    return node::kUnlimited;
  }
  switch (unit) {
    case LimitUnit::bytes:
      return parse_bytes(text);
    case LimitUnit::seconds:
      return parse_seconds(text);
    case LimitUnit::count:
      break;
  }
  return parse_count(text);
}

// For errors: which words there are is seen sooner than explained.
const char* example_of(LimitUnit unit) {
  switch (unit) {
    case LimitUnit::bytes:
      return "64M or unlimited";
    case LimitUnit::seconds:
      return "3600, 1h or unlimited";
    case LimitUnit::count:
      break;
  }
  return "4096 or unlimited";
}

}  // namespace

Result<void> add_limit(std::string_view text, node::TaskSpec& spec) {
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto number = node::limit_number(name);
  if (!number || equals == text.npos) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is not NAME=VALUE; there are " + node::limit_names());
  }
  const LimitUnit unit = node::kLimitNames.at(*number).unit;
  const auto max = parse_value(text.substr(equals + 1), unit);
  // More than a signed number of JSON holds could not be told to the agent.
  const bool fits = max && (*max == node::kUnlimited || *max <= INT64_MAX);
  if (!fits) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "': its value is one such as " + example_of(unit));
  }
  // The last one counts, as with flags of other programs.
  const auto before = std::ranges::find(spec.limits, *number, &node::SoftLimit::resource);
  if (before != spec.limits.end()) {
    before->max = *max;
  } else {
    spec.limits.push_back({.resource = *number, .max = *max});
  }
  return {};
}

Result<void> read_limit_signal(std::string_view text, node::TaskSpec& spec) {
  const overlay::FieldInfo& about = node::TaskSpec::Terms::limit_signal_time;
  const auto at = text.find('@');
  const auto signal = parse_signal(text.substr(0, at));
  if (!signal) return tl::unexpected(signal.error());
  overlay::Duration before{about.initial};
  if (at != std::string_view::npos) {
    const auto time = parse_term_time(text.substr(at + 1), about);
    if (!time) {
      return failure(
          ErrorKind::usage, "'" + std::string(text) + "': after the @, " + time.error().text);
    }
    before = *time;
  }
  spec.limit_signal = static_cast<std::uint8_t>(*signal);
  spec.limit_signal_time = before;
  return {};
}

unsigned own_umask() {
  // It can only be read by setting it; narrow for the moment between.
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return mask;
}

Result<unsigned> parse_umask(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with("0o")) digits.remove_prefix(2);
  const auto mask = parse_count(digits, 8);
  if (!mask || *mask > 0777) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is no umask: write one in octal, such as 077");
  }
  return static_cast<unsigned>(*mask);
}

}  // namespace dunlin::cli
