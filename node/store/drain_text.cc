// SPDX-License-Identifier: MIT
#include "node/store/drain_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

// One value of the table of facts: two numbers and a line for the user, then the reason, which may
// have lines of its own and so stands last.
namespace dunlin::node {
namespace {

/// What comes before `end`, which is taken off.
std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

std::int64_t decimal(std::string_view digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::string drain_text(const std::optional<sched::DrainTerms>& terms) {
  if (!terms) return "";
  return std::to_string(terms->since) + " " + std::to_string(terms->until) + "\n" + terms->by +
      "\n" + terms->reason;
}

std::optional<sched::DrainTerms> drain_of_text(std::string_view text) {
  if (text.empty()) return std::nullopt;
  sched::DrainTerms terms;
  terms.since = decimal(take_until(text, ' '));
  terms.until = decimal(take_until(text, '\n'));
  terms.by = take_until(text, '\n').substr(0, sched::DrainTerms::kByMax);
  terms.reason = text.substr(0, sched::DrainTerms::kReasonMax);
  return terms;
}

}  // namespace dunlin::node
