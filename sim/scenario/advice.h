// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/toml.h"
#include "overlay/result.h"

// How files of scenarios say what is wrong with them.
namespace dunlin::sim {

/// A usage error: "place: text".
tl::unexpected<Error> wrong(std::string place, const std::string& text);

/// "file:line:column".
std::string place_of(const std::string& file, const toml::source_region& source);

/// "; did you mean 'load'?" or, if nothing is near, all there are.
std::string advice(std::string_view word, const std::vector<std::string>& known);

}  // namespace dunlin::sim
