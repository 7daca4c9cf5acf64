// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/manual/command_tree.h"

// Scripts that teach a shell the words of a program. They hold its whole command line, so nothing
// is started while a user types; but names that only an agent knows (jobs, nodes, classes) are
// asked of `PROGRAM completion --names WORD`, which prints a name a line and, behind a tab, what it
// is.
namespace dunlin::config {

/// The script for `shell` ("bash", "zsh", "fish"); none for any other.
std::optional<std::string> completion_script(const CommandTree& program, std::string_view shell);

std::string bash_script(const CommandTree& program);
std::string zsh_script(const CommandTree& program);
std::string fish_script(const CommandTree& program);

/// The first sentence of a help, without characters that a shell would interpret.
std::string brief_help(std::string_view help);
/// The names of the commands below `program`, between blanks.
std::string command_words(const CommandTree& program);
/// Words between blanks.
std::string spaced(const std::vector<std::string>& words);
/// A piece of script in which each NAME is the program's name.
std::string with_name(std::string_view text, const std::string& name);

}  // namespace dunlin::config
