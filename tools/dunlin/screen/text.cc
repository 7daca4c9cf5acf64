// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>

namespace dunlin::cli {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...) {
  char text[64];
  va_list arguments;
  va_start(arguments, form);
  const int size = std::vsnprintf(text, sizeof text, form, arguments);
  va_end(arguments);
  return std::string(text, static_cast<std::size_t>(std::clamp<int>(size, 0, sizeof text - 1)));
}

/// The length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned char second = byte(1);
  const bool malformed = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return malformed ? 0 : length;
}

}  // namespace

std::string age_text(double seconds) {
  if (!(seconds >= 0)) seconds = 0;
  if (seconds < 9.95) return format("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, 1e12));
  if (whole < 60) return format("%lld s", whole);
  if (whole < 3600) return format("%lldm%02llds", whole / 60, whole % 60);
  if (whole < 86400) return format("%lldh%02lldm", whole / 3600, whole / 60 % 60);
  return format("%lldd%02lldh", whole / 86400, whole / 3600 % 24);
}

std::string span_text(double seconds) {
  if (!(seconds >= 0)) seconds = 0;
  if (seconds < 0.00995) return format("%.1f ms", seconds * 1e3);
  if (seconds < 0.9995) return format("%.0f ms", seconds * 1e3);
  if (seconds < 9.995) return format("%.2f s", seconds);
  if (seconds < 59.95) return format("%.1f s", seconds);
  return age_text(seconds);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return format("%u B", static_cast<unsigned>(bytes));
  auto amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.95 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  return format(amount < 99.95 ? "%.1f %s" : "%.0f %s", amount, kUnits[unit]);
}

std::string iso_time(std::int64_t nanoseconds) {
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009F are control characters too: 0xc2 0x80 ...
    const bool control = first < 0x20 || first == 0x7f ||
        (first == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (length == 0 || control) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0 || text[0] == '\0') return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace dunlin::cli
