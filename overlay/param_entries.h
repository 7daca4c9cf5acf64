// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "overlay/rng.h"
#include "overlay/time.h"

namespace dunlin::overlay {

/// Reads "250ms", "1h30m" or "1.5s". A number without a unit (ns us ms s m h d) fails, but for "0".
Result<Duration> parse_duration(std::string_view text);
/// The shortest exact form: "250ms", "1h30m".
std::string to_string(Duration duration);

/// Reads a finite number. Fails on anything behind it, such as a unit.
Result<double> parse_number(std::string_view text);
/// Reads a whole number in decimal, with an optional minus. Fails beyond 64 bits.
Result<std::int64_t> parse_integer(std::string_view text);
/// Reads true, yes, on or 1; and false, no, off or 0.
Result<bool> parse_bool(std::string_view text);
/// The shortest text that reads back as the same number.
std::string number_text(double value);

/// A parameter with its type erased, for flags, files, listings and sweeps. Borrows the struct that
/// it was made from.
struct ParamEntry {
  std::string section;
  std::string name;
  std::string type;      ///< "duration", "integer", "number", "bool", "text" or "choice".
  std::string range;     ///< "100ms .. 1m (log)", or the words of a choice.
  std::string fallback;  ///< The default.
  std::string meaning;
  std::string source;
  std::function<std::string()> get;
  /// Fails and changes nothing if the text is no legal value. The error names the legal values.
  std::function<Result<void>(std::string_view)> set;
  /// Sets a legal value drawn by chance.
  std::function<void(Rng&)> draw;

  std::string key() const { return section + "." + name; }
};

}  // namespace dunlin::overlay
