// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "sched/message.h"

// How values stand in the columns of the store.
namespace dunlin::node {

/// The outcome of an attempt whose worker was lost.
inline constexpr std::string_view kLost = "lost";

inline std::string hex(sched::PeerId id) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, id.value, 16).ptr;
  const std::string text(digits, end);
  return std::string(sizeof digits - text.size(), '0') + text;
}

inline std::uint64_t from_hex(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

inline std::string_view word_of(sched::Outcome outcome) {
  return sched::kOutcomeWords[static_cast<std::size_t>(outcome)];
}

inline sched::Outcome outcome_of(std::string_view word) {
  const auto* const found = std::ranges::find(sched::kOutcomeWords, word);
  if (found == std::end(sched::kOutcomeWords)) return sched::Outcome::exited;
  return static_cast<sched::Outcome>(found - std::begin(sched::kOutcomeWords));
}

template <typename T>
T narrow(std::int64_t value) {
  return static_cast<T>(std::clamp<std::int64_t>(
      value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

}  // namespace dunlin::node
