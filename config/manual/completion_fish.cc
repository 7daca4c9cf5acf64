// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include "config/manual/completion.h"

namespace dunlin::config {
namespace {

constexpr std::string_view kFishNames =
    R"sh(# Names that only the program can tell, each with what it is, asked of the agent of the
# line. Silent where there are none.
function __NAME_names
  set -l agent
  set -l words (commandline -opc)
  for i in (seq 2 (count $words))
    switch $words[$i]
      case --
        break
      case --address --key
        set -a agent $words[$i] $words[(math $i + 1)]
      case '--address=*' '--key=*'
        set -a agent $words[$i]
    end
  end
  command NAME $agent completion --names $argv[1] 2>/dev/null
end
complete -c NAME -f
)sh";

/// A condition of fish: the words of `path` were typed, and none of `below` after them.
std::string fish_condition(const std::vector<std::string>& path, const CommandTree& command) {
  if (path.empty()) return "__fish_use_subcommand";
  std::string condition;
  for (const std::string& word : path) {
    condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  }
  // Fish knows no order of words, so what stands further down must be ruled out.
  if (!command.commands.empty()) {
    condition += "; and not __fish_seen_subcommand_from " + command_words(command);
  }
  return condition;
}

/// The options of `complete` that offer a value. Files are offered only where they are asked for:
/// the first line of the script switches them off.
std::string fish_offer(const CommandTree& program, const CommandOption& option) {
  switch (option.kind) {
    case ValueKind::anything:
      return "";
    case ValueKind::words:
      return " -a '" + spaced(option.words) + "'";
    case ValueKind::commands:
      return " -a '" + command_words(program) + "'";
    case ValueKind::files:
      return " -F";
    case ValueKind::folders:
      return " -a '(__fish_complete_directories)'";
    case ValueKind::programs:
      return " -F -a '(__fish_complete_command)'";
    default:
      return " -a '(__" + program.name + "_names " + names_word(option.kind) + ")'";
  }
}

void fish_lines(const CommandTree& program,
    const std::vector<std::string>& path,
    const CommandTree& command,
    std::string& out) {
  const std::string begin =
      "complete -c " + program.name + " -n '" + fish_condition(path, command) + "'";
  for (const CommandTree& below : command.commands) {
    out += begin + " -a " + below.name + " -d '" + brief_help(below.help) + "'\n";
  }
  for (const CommandOption& argument : command.arguments) {
    const std::string offer = fish_offer(program, argument);
    if (!offer.empty()) out += begin + offer + "\n";
  }
  for (const CommandOption& flag : command.flags) {
    out += begin;
    for (const std::string& name : flag.names) {
      const bool is_long = name.starts_with("--");
      out += is_long ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!flag.value.empty()) {
      out += (flag.kind == ValueKind::files ? " -r" : " -x") + fish_offer(program, flag);
    }
    out += " -d '" + brief_help(flag.help) + "'\n";
  }
  for (const CommandTree& below : command.commands) {
    auto longer = path;
    longer.push_back(below.name);
    fish_lines(program, longer, below, out);
  }
}

}  // namespace

std::string fish_script(const CommandTree& program) {
  const std::string& name = program.name;
  std::string out = "# fish completion for " + name + ": " + name + " completion fish | source\n" +
      with_name(kFishNames, name);
  fish_lines(program, {}, program, out);
  return out;
}

}  // namespace dunlin::config
