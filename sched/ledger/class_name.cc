// SPDX-License-Identifier: MIT
#include "sched/ledger/class_name.h"

#include <algorithm>
#include <string>

// A class is known by a number made of its name, not by an index into a table: nodes learn of
// tables at different times, so an index could mean different classes at two of them.
namespace dunlin::sched {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

// FNV-1a, 32 bits. Where class tables are made, two names with the same number are refused.
ClassId class_id_of(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5u;
  for (const char c : name.empty() ? kDefaultClass : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
  }
  return hash == 0 ? 1 : hash;
}

Result<void> check_class_name(std::string_view name) {
  const bool fine = !name.empty() && name.size() <= kClassNameMax && is_word(name.front()) &&
      std::ranges::all_of(
          name, [](char c) { return is_word(c) || c == '.' || c == '_' || c == '-'; });
  if (fine) return {};
  return failure(ErrorKind::usage,
      "\"" + std::string(name.substr(0, kClassNameMax)) +
          "\" is no name of a class: 1 to 63 of a-z, 0-9, ., _ and -, a letter or a digit first");
}

}  // namespace dunlin::sched
