// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

namespace dunlin::sim {

/// `text` as a gnuplot string in single quotes, in which only the quote itself is special.
std::string gnuplot_quoted(const std::string& text);

/// Runs a gnuplot script that draws with `plot_command` (of data blocks it defines), once as
/// `base`.svg and once as `base`.png, `size` times as wide and as high as pictures are.
/// `not_found` if there is no gnuplot. When it fails, no picture of that name is left: an old one
/// would be taken for this run's.
Result<void> draw(const std::string& script,
    const std::string& plot_command,
    const std::string& base,
    double size = 1);

/// Removes the pictures that draw() makes, if there are any.
void remove_pictures(const std::string& base);

}  // namespace dunlin::sim
