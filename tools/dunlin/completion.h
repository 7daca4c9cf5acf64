// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace CLI {
class App;
}

namespace dunlin::cli {

/// A flag as a shell needs to know it.
struct CompletionFlag {
  std::vector<std::string> names;  ///< "--count", "-n".
  std::string help;
  bool takes_value = false;
  /// Then the shell offers files, else nothing.
  bool takes_file = false;
};

/// A command, and the words that may follow it.
struct CompletionCommand {
  std::string name;
  std::string help;
  std::vector<CompletionFlag> flags;
  std::vector<CompletionCommand> commands;
  std::vector<std::string> words;  ///< Its argument is one of these; empty: anything.
};

/// The commands and flags that the command line understands.
CompletionCommand completion_tree(const CLI::App& app);

/// A script that teaches `shell` ("bash", "zsh", "fish") to complete the program's words.
/// Fails with `usage` for any other shell.
Result<std::string> completion_script(const CompletionCommand& program, std::string_view shell);

}  // namespace dunlin::cli
