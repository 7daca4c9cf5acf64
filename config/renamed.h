// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dunlin::config {

/// A setting with a new name.
struct RenamedKey {
  std::string_view was;
  std::string_view is;
};

/// All renamed settings, with their sections.
std::span<const RenamedKey> renamed_keys();

/// "; it is called 'cyclon.tombstones' now", if `key` was the name of a setting in an older Dunlin;
/// otherwise empty. `key` may lack its section, as users write it within one.
std::string renamed_key(std::string_view key);

/// As renamed_key(), for a section with a new name.
std::string renamed_section(std::string_view section);

/// As renamed_key(), for a word that was a value of the setting `key` (its full name).
std::string renamed_word(std::string_view key, std::string_view word);

}  // namespace dunlin::config
