// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

// Text in the language of manual pages, mdoc(7). A line that begins with a dot or an apostrophe is
// a request there, a backslash begins an escape, and a bare hyphen may be printed as one that no
// shell knows. Pure.
namespace dunlin::config {

/// Prose, in lines of at most 78 columns, the last one ended. An empty line in `text` begins a
/// paragraph; what stands between `backticks`, and words that begin with a hyphen, are printed as
/// they are to be typed.
std::string mdoc_text(std::string_view text);

/// One line to be printed as it is, for a display or for running text. Not ended.
std::string mdoc_code(std::string_view line);

/// One argument of a macro: never taken for another macro, or for punctuation.
std::string mdoc_word(std::string_view word);

/// The name of a page, a command or a file where other programs look for it: its hyphens stay.
std::string mdoc_name(std::string_view name);

}  // namespace dunlin::config
