// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include "config/text.h"
#include "node/utf8.h"

// Figures for people: three digits, and units by the thousand or by how people speak of time.
// Bounds between two forms are where rounding changes them, so that no text gets a digit more.
// Programs get the exact numbers, by --json.
namespace dunlin::cli {
namespace {

// For figures alone: what is longer than 63 bytes is cut.
[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...) {
  char text[64];
  va_list arguments;
  va_start(arguments, form);
  const int size = std::vsnprintf(text, sizeof text, form, arguments);
  va_end(arguments);
  return std::string(text, static_cast<std::size_t>(std::clamp<int>(size, 0, sizeof text - 1)));
}

/// "$'caf\351'": a terminal can show it, and bash, zsh and ksh read the same bytes back. Octal
/// escapes end after three digits, whatever follows.
std::string escaped_word(std::string_view word) {
  std::string quoted = "$'";
  while (!word.empty()) {
    const std::size_t length = std::max<std::size_t>(node::utf8_length(word), 1);
    const std::string_view piece = word.substr(0, length);
    if (piece == "'" || piece == "\\") {
      quoted += "\\" + std::string(piece);
    } else if (printable(piece) == piece) {
      quoted += piece;
    } else {
      for (const char c : piece) quoted += format("\\%03o", static_cast<unsigned char>(c));
    }
    word.remove_prefix(length);
  }
  return quoted + "'";
}

}  // namespace

std::string age_text(double seconds) {
  if (!(seconds >= 0)) seconds = 0;
  // Bounds are where rounding would give one digit more: 9.96 is not to read "10.0 s".
  if (seconds < 9.95) return format("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, 1e12));
  if (whole < 60) return format("%lld s", whole);
  if (whole < 3600) return format("%lldm%02llds", whole / 60, whole % 60);
  if (whole < 86400) return format("%lldh%02lldm", whole / 3600, whole / 60 % 60);
  return format("%lldd%02lldh", whole / 86400, whole / 3600 % 24);
}

// Short times to the millisecond, as tasks are often shorter than a second.
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
  while (amount >= 1023.5 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  return format(amount < 99.95 ? "%.1f %s" : "%.0f %s", amount, kUnits[unit]);
}

std::string iso_time(std::int64_t nanoseconds) {
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts{};
  // UTC, so that lines of several machines can be compared.
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

// For programs, which may compare the times of two events.
std::string exact_iso_time(std::int64_t nanoseconds) {
  constexpr std::size_t kDigits = 9;
  std::string text = iso_time(nanoseconds);
  text.pop_back();  // The Z.
  const std::string fraction = std::to_string(nanoseconds % 1'000'000'000);
  return text + "." + std::string(kDigits - fraction.size(), '0') + fraction + "Z";
}

// For nouns with a plain plural.
std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// Names, commands and errors come from users and other machines: none of them may move the cursor
// or colour the screen.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = node::utf8_length(text);
    if (length == 0 || node::is_control(text.substr(0, length))) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shell_word(std::string_view word) {
  return printable(word) == word ? config::shell_word(word) : escaped_word(word);
}

}  // namespace dunlin::cli
