// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::cli {

/// The words of a line, as a shell would make them; quotes are single ones.
inline std::vector<std::string> typed_words(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace dunlin::cli
