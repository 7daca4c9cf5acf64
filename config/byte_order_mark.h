// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// Editors on Windows begin a text with a mark that tells its encoding. It is no part of what the
// text says, and every text we read is UTF-8.
namespace dunlin::config {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// `text`, the beginning of a file, without its byte order mark, if it has one.
inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace dunlin::config
