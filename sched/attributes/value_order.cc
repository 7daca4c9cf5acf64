// SPDX-License-Identifier: MIT
#include "sched/attributes/value_order.h"

#include <algorithm>
#include <array>
#include <optional>

// Values come from strangers: digits are compared as text, because no integer holds them all.
// Source: Semantic Versioning 2.0.0, section 11.
namespace dunlin::sched {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Words that begin what comes before a version.
constexpr std::array<std::string_view, 12> kBefore = {"alpha", "beta", "canary", "dev", "ea",
    "milestone", "nightly", "pre", "preview", "rc", "snapshot", "test"};
/// Letters that do so with a digit behind them.
constexpr std::string_view kBeforeLetters = "abcm";

int sign_of(int order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Takes the digits off the front.
std::string_view take_digits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

/// By value; none at all is 0.
int compare_digits(std::string_view a, std::string_view b) {
  const auto strip = [](std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  };
  strip(a);
  strip(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return sign_of(a.compare(b));
}

int compare_text(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const int order = compare_digits(take_digits(a), take_digits(b));
      if (order != 0) return order;
      continue;
    }
    if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front()) ? -1 : 1;
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() == b.empty() ? 0 : a.empty() ? -1 : 1;
}

struct Version {
  std::string_view core;    ///< "1.7.0"
  std::string_view suffix;  ///< What follows the first "-", without what follows a "+".
  int rank = 0;             ///< -1: a pre-release. 1: a revision. 0: neither.
};

bool begins_pre_release(std::string_view suffix) {
  const auto begins_with = [&](std::string_view word) {
    return suffix.size() >= word.size() &&
        std::equal(word.begin(), word.end(), suffix.begin(),
            [](char a, char b) { return a == lower(b); }) &&
        (suffix.size() == word.size() || lower(suffix[word.size()]) < 'a' ||
            lower(suffix[word.size()]) > 'z');
  };
  if (std::ranges::any_of(kBefore, begins_with)) return true;
  return suffix.size() > 1 && is_digit(suffix[1]) &&
      kBeforeLetters.find(lower(suffix[0])) != std::string_view::npos;
}

std::optional<Version> read_version(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  text = text.substr(0, text.find('+'));
  std::string_view rest = text;
  while (true) {
    if (take_digits(rest).empty()) return std::nullopt;
    if (!rest.starts_with('.')) break;
    rest.remove_prefix(1);
  }
  Version version{.core = text.substr(0, text.size() - rest.size()), .suffix = rest};
  if (rest.empty()) return version;
  if (!rest.starts_with('-') || rest.size() == 1) return std::nullopt;
  version.suffix.remove_prefix(1);
  version.rank = begins_pre_release(version.suffix) ? -1 : 1;
  return version;
}

/// Takes the part before the next dot off the front.
std::string_view take_part(std::string_view& text) {
  const std::size_t dot = text.find('.');
  const std::string_view part = text.substr(0, dot);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return part;
}

/// Parts that are missing are 0.
int compare_cores(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const int order = compare_digits(take_part(a), take_part(b));
    if (order != 0) return order;
  }
  return 0;
}

/// Identifiers of digits are below others; more of them are above fewer.
int compare_suffixes(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view part) {
    return part.find_first_not_of(kDigits) == std::string_view::npos;
  };
  while (!a.empty() && !b.empty()) {
    const std::string_view part_a = take_part(a);
    const std::string_view part_b = take_part(b);
    if (is_number(part_a) != is_number(part_b)) return is_number(part_a) ? -1 : 1;
    const int order = compare_text(part_a, part_b);
    if (order != 0) return order;
  }
  return a.empty() == b.empty() ? 0 : a.empty() ? -1 : 1;
}

int compare_versions(const Version& a, const Version& b) {
  if (const int order = compare_cores(a.core, b.core); order != 0) return order;
  if (a.rank != b.rank) return a.rank < b.rank ? -1 : 1;
  return compare_suffixes(a.suffix, b.suffix);
}

struct Number {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
};

std::optional<Number> read_number(std::string_view text) {
  Number number{.negative = text.starts_with('-')};
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  number.whole = take_digits(text);
  if (number.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.fraction = take_digits(text);
    if (number.fraction.empty()) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  number.fraction = number.fraction.substr(0, number.fraction.find_last_not_of('0') + 1);
  return number;
}

int compare_numbers(const Number& a, const Number& b) {
  const auto is_zero = [](const Number& number) {
    return number.fraction.empty() && compare_digits(number.whole, "") == 0;
  };
  if (is_zero(a) && is_zero(b)) return 0;
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  int order = compare_digits(a.whole, b.whole);
  if (order == 0) order = sign_of(a.fraction.compare(b.fraction));
  return a.negative ? -order : order;
}

}  // namespace

int compare_values(std::string_view a, std::string_view b) {
  const auto version_a = read_version(a);
  const auto version_b = read_version(b);
  if (version_a && version_b) return compare_versions(*version_a, *version_b);
  const auto number_a = read_number(a);
  const auto number_b = read_number(b);
  if (number_a && number_b) return compare_numbers(*number_a, *number_b);
  return compare_text(a, b);
}

}  // namespace dunlin::sched
