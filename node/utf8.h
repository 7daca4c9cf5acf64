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

}  // namespace dunlin::node
