// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dunlin::config {

/// What a value of a command line names, so that a shell can propose it.
enum class ValueKind : std::uint8_t {
  anything,
  words,  ///< One of CommandOption::words.
  files,
  folders,
  commands,  ///< A command of the program.
  programs,  ///< Any program, and then its own words: they are the user's.
  jobs,      ///< From here on names that only the program itself can tell.
  nodes,
  classes,
  scenarios,
};

/// A flag or an argument.
struct CommandOption {
  std::vector<std::string> names;  ///< Of a flag: "--count", "-n". An argument has none.
  std::string value;               ///< "N": the word for its value; empty: it takes none.
  std::string help;
  std::string group;  ///< The heading that it stands below in the help.
  ValueKind kind = ValueKind::anything;
  std::vector<std::string> words;     ///< The values that there are; empty: any.
  std::string range;                  ///< "1 to 1000"; empty: any number, or none at all.
  std::vector<std::string> excludes;  ///< Flags that do not go with it, by long names, sorted.
  std::vector<std::string> needs;     ///< Flags without which it means nothing, likewise.
  bool required = false;
  bool many = false;  ///< An argument that may be several words.
};

/// A command as its help describes it, and those below it.
struct CommandTree {
  std::string name;    ///< "drain".
  std::string path;    ///< "dunlin node drain".
  std::string help;    ///< One sentence.
  std::string group;   ///< The heading that it stands below in the help of the one above it.
  std::string footer;  ///< What stands below the help of this command alone.
  std::vector<CommandOption> flags;
  std::vector<CommandOption> arguments;
  std::vector<CommandTree> commands;
};

/// Describes `app`, and all below it, but for what help hides. The rest of what a program tells of
/// itself is made of this alone, so it cannot fall behind the command line.
CommandTree command_tree(const CLI::App& app);

/// The word by which `--names` and scripts know names that the program tells: "jobs"; empty for
/// other kinds.
std::string names_word(ValueKind kind);

}  // namespace dunlin::config
