// SPDX-License-Identifier: MIT
#include "config/renamed.h"

#include <algorithm>
#include <iterator>

// Settings that once had another name. An old file must not be read as something else, and a reader
// of the error must not have to search for the new name.
namespace dunlin::config {
namespace {

struct Renamed {
  std::string_view was;
  std::string_view is;
};

constexpr Renamed kKeys[] = {
    {"cyclon.graveyard_size", "cyclon.tombstones_max"},
    {"cyclon.graveyard_chance", "cyclon.tombstone_chance"},
    {"frontend.acquaintances", "frontend.node_cache"},
};

struct RenamedWord {
  std::string_view key;
  std::string_view was;
  std::string_view is;
};

constexpr RenamedWord kWords[] = {
    {"cell.sharing", "reserves", "cluster_reserves"},
};

std::string advice(std::string_view name) {
  return "; it is called '" + std::string(name) + "' now";
}

}  // namespace

std::string renamed_key(std::string_view key) {
  const auto* const found = std::ranges::find_if(kKeys, [&](const Renamed& each) {
    return each.was == key || each.was.substr(each.was.find('.') + 1) == key;
  });
  return found == std::end(kKeys) ? "" : advice(found->is);
}

std::string renamed_word(std::string_view key, std::string_view word) {
  const auto* const found = std::ranges::find_if(
      kWords, [&](const RenamedWord& each) { return each.key == key && each.was == word; });
  return found == std::end(kWords) ? "" : advice(found->is);
}

}  // namespace dunlin::config
