// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

// Which bytes are text. Pure.
namespace dunlin::node {

/// Bytes of the well-formed UTF-8 sequence that `text` begins with; 0 if it begins with none.
/// Requires that `text` is not empty. Source: RFC 3629, section 4.
std::size_t utf8_length(std::string_view text);

/// True if `text` is well-formed UTF-8 without NUL.
bool is_utf8(std::string_view text);

/// True if a terminal does not show this UTF-8 sequence, but obeys it or shows its neighbours
/// otherwise: control characters, those that reorder text, such as U+202E, and separators of lines.
/// Requires a well-formed sequence. Source: Unicode 15, 23.2; Boucher 2021.
bool is_control(std::string_view sequence);

}  // namespace dunlin::node
