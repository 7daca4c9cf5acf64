// SPDX-License-Identifier: MIT
#pragma once

#include <array>
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

}  // namespace dunlin::sim
