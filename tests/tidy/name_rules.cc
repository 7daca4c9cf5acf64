// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// One word for one thing: identifiers that the code once had, and the words that took their place.
// Names alone are judged, never prose: docs/design/renames.md has the whole list.
namespace dunlin::tidy {
namespace {

struct Renamed {
  std::string_view name;
  std::string_view instead;
};

constexpr Renamed kRenamed[] = {
    {"Acquaintances", "NodeCache"},
    {"Asking", "PendingRequest"},
    {"Burial", "the reason of a Tombstone"},
    {"Grave", "Tombstone"},
    {"Graveyard", "Tombstones"},
    {"Inline", "InlineVector"},
    {"Office", "LeaderContext"},
    {"Rare", "LazyVector"},
    {"Seat", "HostedReplica"},
    {"Served", "ExhaustedGroups"},
    {"ServiceId", "ClassId"},
    {"ServiceShares", "ClassShares"},
    {"acquaint", "seed"},
    {"acquit", "clear_suspicion"},
    {"bury", "add, of Tombstones"},
    {"crowded_out", "eviction_candidate"},
    {"doubt", "suspect"},
    {"has_heirs", "has_successor"},
    {"kMost", "kSizeMax, or what is bounded"},
    {"keep_house", "run_periodic"},
    {"least", "min, or what is bounded: size_min"},
    {"least_", "min_, or what is bounded"},
    {"most", "max, or what is bounded: size_max"},
    {"most_", "max_, or what is bounded"},
    {"service_of", "class_of"},
    {"stale_life", "stale_incarnation"},
    {"the_worker", "ensure_worker"},
};

bool is_code(const File& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cc") || file.path.ends_with(".capnp");
}

/// A schema without its comments, line for line.
std::string schema_of(std::string_view text) {
  std::string code;
  for (const auto line : lines_of(text)) code += std::string(line.substr(0, line.find('#'))) + "\n";
  return code;
}

}  // namespace

std::vector<Finding> check_names(const std::vector<File>& files) {
  std::vector<Finding> findings;
  for (const File& file : files) {
    if (!is_code(file)) continue;
    const std::string code =
        file.path.ends_with(".capnp") ? schema_of(file.text) : code_of(file.text);
    std::size_t number = 0;
    for (const auto line : lines_of(code)) {
      ++number;
      for (const auto& [name, instead] : kRenamed) {
        if (!has_token(line, name)) continue;
        findings.push_back({file.path, number, "names",
            std::string(name) + ": the word is " + std::string(instead)});
      }
    }
  }
  return findings;
}

}  // namespace dunlin::tidy
