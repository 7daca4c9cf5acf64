// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

namespace dunlin::sim {

/// printf into a string, cut after 255 characters.
template <typename... Values>
std::string text_of(const char* pattern, Values... values) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

/// `text`, and blanks up to `width`: two at least.
inline std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

}  // namespace dunlin::sim
