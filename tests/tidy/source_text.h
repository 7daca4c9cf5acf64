// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dunlin::tidy {

/// C++ `text` with every comment and the inside of every literal blanked out, line for line: what
/// is left is code, so that a rule never trips over prose. Quoted #include paths stay.
std::string code_of(std::string_view text);

/// The lines of `text`, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// True if `word` stands in `line` as a whole token: "assert(" is not in "static_assert(". A word
/// that ends in "(" is a call; one that begins with "." is a member.
bool has_token(std::string_view line, std::string_view word);

/// Characters of `line`, counting a UTF-8 sequence as one.
std::size_t columns(std::string_view line);

}  // namespace dunlin::tidy
