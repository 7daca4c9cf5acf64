// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dunlin::config {

/// A setting that has another name now.
struct RenamedKey {
  std::string_view was;
  std::string_view is;
};

/// Every such setting, with its section.
std::span<const RenamedKey> renamed_keys();

/// "; it is called 'cyclon.tombstones' now", if `key` was the name of a setting in an older Dunlin;
/// else empty. With or without its section, as the user wrote it.
std::string renamed_key(std::string_view key);

/// The same for a section whose name changed.
std::string renamed_section(std::string_view section);

/// The same for a word that was a value of the setting `key` (its full name).
std::string renamed_word(std::string_view key, std::string_view word);

}  // namespace dunlin::config
