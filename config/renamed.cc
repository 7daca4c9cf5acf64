// SPDX-License-Identifier: MIT
#include "config/renamed.h"

#include <algorithm>
#include <iterator>

// Settings that had another name once. An old file must not be read as something else, and the
// reader of the error must not have to search for the new name.
namespace dunlin::config {
namespace {

constexpr RenamedKey kKeys[] = {
    {"bank.reserve_share", "bank.local_reserve_share"},
    {"bank.reserve_expiry", "bank.local_reserve_expiry"},
    {"cell.cell_least", "cell.cell_min"},
    {"cell.term", "cell.grant_life"},
    {"cyclon.graveyard_size", "cyclon.tombstones_max"},
    {"cyclon.graveyard_chance", "cyclon.tombstone_chance"},
    {"frontend.acquaintances", "frontend.node_cache"},
    {"reserves.objective", "cluster_reserves.objective"},
    {"reserves.full_use", "cluster_reserves.full_use"},
    {"reserves.spare", "cluster_reserves.spare"},
    {"reserves.memory", "cluster_reserves.memory"},
};

struct RenamedWord {
  std::string_view key;
  std::string_view was;
  std::string_view is;
};

constexpr RenamedWord kWords[] = {
    {"cell.sharing", "reserves", "cluster_reserves"},
};

std::string_view section_of(std::string_view key) {
  return key.substr(0, key.find('.'));
}

std::string_view name_of(std::string_view key) {
  return key.substr(key.find('.') + 1);
}

std::string advice(std::string_view name) {
  return "; it is called '" + std::string(name) + "' now";
}

}  // namespace

std::string renamed_key(std::string_view key) {
  const auto* const found = std::ranges::find_if(kKeys, [&](const RenamedKey& each) {
    const bool same_name = name_of(each.was) == name_of(each.is);
    return each.was == key || (!same_name && name_of(each.was) == key);
  });
  return found == std::end(kKeys) ? "" : advice(found->is);
}

std::string renamed_section(std::string_view section) {
  const auto* const found = std::ranges::find_if(kKeys, [&](const RenamedKey& each) {
    return section_of(each.was) == section && section_of(each.is) != section;
  });
  return found == std::end(kKeys) ? "" : advice(section_of(found->is));
}

std::span<const RenamedKey> renamed_keys() {
  return kKeys;
}

std::string renamed_word(std::string_view key, std::string_view word) {
  const auto* const found = std::ranges::find_if(
      kWords, [&](const RenamedWord& each) { return each.key == key && each.was == word; });
  return found == std::end(kWords) ? "" : advice(found->is);
}

}  // namespace dunlin::config
