// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace dunlin::config {

/// "; it is called 'cyclon.tombstones' now", if `key` was the name of a setting in an older Dunlin;
/// else empty. With or without its section, as the user wrote it.
std::string renamed_key(std::string_view key);

/// The same for a word that was a value of the setting `key` (its full name).
std::string renamed_word(std::string_view key, std::string_view word);

}  // namespace dunlin::config
