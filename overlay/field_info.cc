// SPDX-License-Identifier: MIT
#include "overlay/field_info.h"

#include "overlay/param_entries.h"

// Bounds are said in the unit that people write, wherever they are met: a user who wrote 100d must
// not read of nanoseconds.
namespace dunlin::overlay {

std::string_view long_flag(const FieldInfo& info) {
  const auto at = info.flag.find("--");
  return at == std::string_view::npos ? info.flag : info.flag.substr(at);
}

std::string one_of(std::span<const std::string_view> words, std::string_view quote) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += std::string(quote) + std::string(words[i]) + std::string(quote);
  }
  return text;
}

std::string say(const FieldInfo& info, std::int64_t value) {
  switch (info.unit) {
    case FieldUnit::ns:
      return to_string(Duration{value});
    case FieldUnit::mib:
      return std::to_string(value) + "M";
    case FieldUnit::kib_per_second:
      return std::to_string(value) + "K/s";
    case FieldUnit::milli_cpu:
      // Thousandths without a remainder read better as what they make.
      return value % 1000 == 0 ? std::to_string(value / 1000) : std::to_string(value) + "m";
    case FieldUnit::none:
      break;
  }
  return std::to_string(value);
}

std::string wrong_value(const FieldInfo& info, std::int64_t value) {
  if (info.min <= value && value <= info.max) return "";
  const bool endless = info.max == std::numeric_limits<std::int64_t>::max();
  // A time below its least is none at all, and is told so where it is read.
  if (endless) return "must be at least " + say(info, info.min);
  if (info.unit == FieldUnit::none) {
    return "must be from " + say(info, info.min) + " to " + say(info, info.max);
  }
  return value > info.max ? "must be at most " + say(info, info.max)
                          : "must be at least " + say(info, info.min);
}

}  // namespace dunlin::overlay
