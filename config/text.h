// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The form in which words and figures are shown to people, for the simulator and the command line
// alike. Pure.
namespace dunlin::config {

/// Levenshtein's distance: the letters that must be changed, added or taken away to turn `a` into
/// `b`. Takes time in proportion to the product of the two lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// A word as a user would type it in a shell: quoted if it must be.
std::string shell_word(std::string_view word);

/// The columns that UTF-8 `text` takes on a terminal: two for a wide character, none for a mark on
/// the character before it. See wcwidth(3).
std::size_t columns_of(std::string_view text);
/// As much of `text` as takes at most `columns` columns; its end is an ellipsis if it was cut.
std::string shortened(std::string_view text, std::size_t columns);

/// `text` in lines of at most `columns` columns (0: no limit), broken at blanks; each but the first
/// begins with `indent` blanks. A word that is longer than a line has one of its own.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

/// "[###########.........]", `width` columns between the brackets. The bar is full only if `done`
/// is `total`: a user must not take 99.9 % for the end. A total of 0 counts as nothing done.
/// Requires done <= total.
std::string progress_bar(std::uint64_t done, std::uint64_t total, std::size_t width);

}  // namespace dunlin::config
