// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// How words and figures are shown to people, for the simulator and the command line alike. Pure.
namespace dunlin::config {

/// Levenshtein's distance: the letters that must be changed, added or taken away to make `b` of
/// `a`. Takes time in proportion to the product of the two lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// A word as one would type it in a shell: quoted if it must be.
std::string shell_word(std::string_view word);

/// How many columns UTF-8 `text` takes on a terminal, counting every code point as one.
std::size_t columns_of(std::string_view text);
/// The first `columns` columns of `text`; the last of them is an ellipsis if something was cut.
std::string shortened(std::string_view text, std::size_t columns);

/// "[###########.........]", `width` columns between the brackets. The bar is full only when all is
/// done, that is if `done` is `total`; a total of 0 counts as nothing done. Requires done <= total.
std::string progress_bar(std::uint64_t done, std::uint64_t total, std::size_t width);

}  // namespace dunlin::config
