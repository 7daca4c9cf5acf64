// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/toml.h"
#include "overlay/result.h"

// Reading files of scenarios, and the wording of errors in them.
namespace dunlin::sim {

/// A usage error: "place: text".
tl::unexpected<Error> wrong(std::string place, const std::string& text);

/// "file:line:column".
std::string place_of(const std::string& file, const toml::source_region& source);

/// The text of a file, without a byte order mark; fails if it cannot be read.
Result<std::string> read_text(const std::string& file);
/// The whole of a text in TOML; fails with the place where it is none.
Result<toml::table> parse_toml(std::string_view text, const std::string& file);

/// "; did you mean 'load'?" or, if no word is near, the list of all, or where it is found if it is
/// long.
std::string advice(std::string_view word, const std::vector<std::string>& known);

}  // namespace dunlin::sim
