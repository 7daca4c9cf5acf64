// SPDX-License-Identifier: MIT
#include "sched/constraints.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "sched/attributes/value_order.h"

// A reservation must not visit nodes that surely lack something, and gossip has no room for
// attributes. So every fact about a node (it has this key; this key has this value; it has this
// resource) sets two of 128 bits, and a frontend compares bits only. A fact that a node lacks may
// still find its bits set by others, which costs one visit: the worker then checks the real
// attributes. A fact that it has never lacks its bits.
// Source: Megha, section 3.
namespace dunlin::sched {
namespace {

struct Sign {
  std::string_view text;
  Comparison comparison;
};

// Two-character signs first: "<=" must not be read as "<".
constexpr std::array kSigns = {Sign{"!=", Comparison::not_equal}, Sign{"<=", Comparison::at_most},
    Sign{">=", Comparison::at_least}, Sign{"==", Comparison::equal}, Sign{"=", Comparison::equal},
    Sign{"<", Comparison::less}, Sign{">", Comparison::greater}};

/// The same as words between colons, which no shell reads: "kernel:ge:6.1".
constexpr std::array kSignWords = {Sign{":eq:", Comparison::equal},
    Sign{":ne:", Comparison::not_equal}, Sign{":lt:", Comparison::less},
    Sign{":le:", Comparison::at_most}, Sign{":gt:", Comparison::greater},
    Sign{":ge:", Comparison::at_least}};

/// The sign that stands first in `text`, of both kinds, and where it stands; npos if there is none.
std::pair<std::size_t, Sign> first_sign(std::string_view text) {
  std::size_t at = text.find_first_of("!<>=");
  Sign first{"", Comparison::at_least};
  if (at != std::string_view::npos) {
    const auto sign = std::ranges::find_if(
        kSigns, [&](const Sign& s) { return text.substr(at).starts_with(s.text); });
    if (sign != kSigns.end()) first = *sign;
  }
  for (const Sign& word : kSignWords) {
    const std::size_t begin = text.find(word.text);
    if (begin < at) {
      at = begin;
      first = word;
    }
  }
  return {at, first};
}

/// "exists" is written as a comparison that any value passes.
constexpr std::string_view kAnyValue = "";

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// FNV-1a, then whitened: the lowest bits choose the bits of a signature, so they must depend on
/// all of the input. The same on any machine.
std::uint64_t hash(std::string_view a, std::string_view b) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto add = [&h](unsigned char byte) { h = (h ^ byte) * 0x100000001b3; };
  for (const char c : a) add(static_cast<unsigned char>(c));
  add(0);
  for (const char c : b) add(static_cast<unsigned char>(c));
  h ^= h >> 32;
  h *= 0x9e3779b97f4a7c15;
  return h ^ (h >> 29);
}

/// Sets two bits for each fact, in different halves of the hash.
void set_bits(Signature& signature, std::string_view key, std::string_view value) {
  const std::uint64_t h = hash(key, value);
  signature.low |= std::uint64_t{1} << (h & 63);
  signature.high |= std::uint64_t{1} << (h >> 8 & 63);
}

// Keys and resources are hashed under these names, which no attribute can have, so that the key
// "gpu" and the resource "gpu" set different bits.
constexpr std::string_view kHasKey = "\x01";
constexpr std::string_view kHasResource = "\x02";

}  // namespace

Result<Constraint> parse_constraint(std::string_view text) {
  const auto malformed = [&](std::string_view why) {
    return failure(ErrorKind::usage, "constraint '" + std::string(text) + "': " + std::string(why));
  };
  Constraint constraint{.key = std::string(trim(text)), .comparison = Comparison::at_least};
  // A bare name asks only that the attribute exists: any value is at least the empty one.
  const auto [at, sign] = first_sign(text);
  if (at != std::string_view::npos) {
    if (sign.text.empty()) {
      return malformed("expected one of = != < <= > >= (or :eq: :ne: :lt: :le: :gt: :ge:)");
    }
    constraint = {.key = std::string(trim(text.substr(0, at))),
        .comparison = sign.comparison,
        .value = std::string(trim(text.substr(at + sign.text.size())))};
    if (constraint.value.empty()) return malformed("no value after the sign");
    // The text "a< =3" would be shown to people as "a<=3", which means another thing.
    if (constraint.value.find_first_of("!<>=") == 0) return malformed("two signs");
  }
  if (constraint.key.empty()) return malformed("no attribute named");
  if (constraint.key.size() > Constraint::kKeyMax ||
      constraint.value.size() > Constraint::kValueMax) {
    return malformed("longer than " + std::to_string(Constraint::kKeyMax) +
        " characters of name or " + std::to_string(Constraint::kValueMax) + " of value");
  }
  return constraint;
}

std::string to_string(const Constraint& constraint) {
  if (constraint.comparison == Comparison::at_least && constraint.value == kAnyValue) {
    return constraint.key;
  }
  const auto sign = std::ranges::find(kSigns, constraint.comparison, &Sign::comparison);
  const std::string_view text = constraint.comparison == Comparison::equal ? "=" : sign->text;
  return constraint.key + std::string(text) + constraint.value;
}

Result<Attribute> parse_attribute(std::string_view text) {
  const std::size_t at = text.find('=');
  const std::string_view key = trim(text.substr(0, at));
  const std::string_view value = at == std::string_view::npos ? "true" : trim(text.substr(at + 1));
  if (key.empty() || key.size() > Attribute::kKeyMax || value.size() > Attribute::kValueMax ||
      key.find_first_of("!<>=") != std::string_view::npos) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is not an attribute such as rack=7 (names up to " +
            std::to_string(Attribute::kKeyMax) + " characters, values up to " +
            std::to_string(Attribute::kValueMax) + ")");
  }
  return Attribute{std::string(key), std::string(value)};
}

bool satisfies(std::span<const Attribute> attributes, const Constraint& constraint) {
  const auto it = std::ranges::find(attributes, constraint.key, &Attribute::key);
  // A node without the key satisfies "!=" only: people write rack!=7 to keep off one rack.
  if (it == attributes.end()) return constraint.comparison == Comparison::not_equal;
  const int order = compare_values(it->value, constraint.value);
  switch (constraint.comparison) {
    case Comparison::equal:
      return it->value == constraint.value;
    case Comparison::not_equal:
      return it->value != constraint.value;
    case Comparison::less:
      return order < 0;
    case Comparison::at_most:
      return order <= 0;
    case Comparison::greater:
      return order > 0;
    case Comparison::at_least:
      return order >= 0;
  }
  return false;
}

bool satisfies_all(std::span<const Attribute> attributes, std::span<const Constraint> constraints) {
  return std::ranges::all_of(
      constraints, [&](const Constraint& constraint) { return satisfies(attributes, constraint); });
}

Signature signature_of(std::span<const Attribute> attributes, const Resources& total) {
  Signature signature;
  for (const Attribute& attribute : attributes) {
    set_bits(signature, kHasKey, attribute.key);
    set_bits(signature, attribute.key, attribute.value);
  }
  for (const Amount& amount : total.custom) set_bits(signature, kHasResource, amount.name);
  return signature;
}

Signature demanded_signature(std::span<const Constraint> constraints, const Resources& demand) {
  Signature signature;
  for (const Constraint& constraint : constraints) {
    // "!=" holds on nodes without the key, too.
    if (constraint.comparison == Comparison::not_equal) continue;
    set_bits(signature, kHasKey, constraint.key);
    if (constraint.comparison == Comparison::equal) {
      set_bits(signature, constraint.key, constraint.value);
    }
  }
  for (const Amount& amount : demand.custom) {
    if (amount.count > 0) set_bits(signature, kHasResource, amount.name);
  }
  return signature;
}

}  // namespace dunlin::sched
