// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "overlay/result.h"

namespace CLI {
class App;
}

namespace dunlin::cli {

/// The words of a command line, or some of them. Borrows.
using Words = std::span<const std::string>;

/// A command line, cut where the user's own command begins.
struct CutLine {
  std::vector<std::string> ours;     ///< Our command, its flags and their values.
  std::vector<std::string> command;  ///< The user's, byte for byte; empty if there is none.
};

/// The name of the command that `words` call, looking past the flags of `app` itself; empty if they
/// call none.
std::string command_name(const CLI::App& app, Words words);

/// Cuts `words`, the line without the program's name. `app` must describe the command that they
/// call. The user's command begins after the first "--" behind our command's name, or at the first
/// word there that is neither a flag nor the value of one. Fails with `usage`, naming it, at a
/// command that does not exist, or at an unknown flag before the user's command.
Result<CutLine> cut(const CLI::App& app, Words words);

}  // namespace dunlin::cli
