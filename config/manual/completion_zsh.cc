// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include "config/manual/completion.h"

namespace dunlin::config {
namespace {

constexpr std::string_view kZshNames =
    R"sh(# Names that only the program can tell, each with what it is, asked of the agent of the
# line. Silent where there are none.
__NAME_names() {
  local -a found agent
  local i
  for ((i = 2; i < $#_completed_line; i++)); do
    case $_completed_line[i] in
      --) break ;;
      --address|--key) agent+=("${(Q)_completed_line[i]}" "${(Q)_completed_line[i + 1]}") ;;
      --address=*|--key=*) agent+=("${(Q)_completed_line[i]}") ;;
    esac
  done
  # Its words are read once more as a line.
  found=(${(f)"$(_call_program names NAME ${(q)agent} completion --names $1 2>/dev/null)"})
  found=("${(@)found//:/\\:}")
  found=("${(@)found/$'\t'/:}")
  _describe -t names $1 found
}
)sh";

/// What _arguments does for a value.
std::string zsh_action(const CommandTree& program, const CommandOption& option) {
  switch (option.kind) {
    case ValueKind::anything:
      return "";
    case ValueKind::words:
      return "(" + spaced(option.words) + ")";
    case ValueKind::commands:
      return "(" + command_words(program) + ")";
    case ValueKind::files:
      return "_files";
    case ValueKind::folders:
      return "_files -/";
    case ValueKind::programs:
      return "_command_names -e";
    default:
      return " __" + program.name + "_names " + names_word(option.kind);
  }
}

/// The word for a value, without what _arguments takes for its own signs.
std::string zsh_label(const CommandOption& option) {
  std::string label;
  for (const char c : brief_help(option.value)) label += c == ' ' || c == '|' ? '-' : c;
  return label.empty() ? "value" : label;
}

std::string zsh_flag(const CommandTree& program, const CommandOption& flag) {
  std::string lines;
  for (const std::string& name : flag.names) {
    // "+" and "=": the value may stand in the same word. The star: a flag may be given again.
    const std::string joined = flag.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    const std::string value =
        flag.value.empty() ? "" : ":" + zsh_label(flag) + ":" + zsh_action(program, flag);
    lines += " \\\n        '*" + name + joined + "[" + brief_help(flag.help) + "]" + value + "'";
  }
  return lines;
}

std::string zsh_arguments(const CommandTree& program, const CommandTree& command) {
  std::string lines;
  std::size_t place = 0;
  for (const CommandOption& argument : command.arguments) {
    const std::string action = zsh_action(program, argument);
    if (argument.kind == ValueKind::programs) {
      return lines + " \\\n        '(-)1:command:" + action +
          "' \\\n        '*::argument: _normal'";
    }
    const std::string where = argument.many ? "*" : std::to_string(++place);
    lines += " \\\n        '" + where + ":" + zsh_label(argument) + ":" + action + "'";
  }
  return lines;
}

void zsh_functions(const CommandTree& program,
    const std::string& path,
    const CommandTree& command,
    std::string& out) {
  // The whole line, for a question to an agent: a command below sees its own words alone.
  const std::string all =
      path == "_" + program.name ? "  local -a _completed_line=(\"${words[@]}\")\n" : "";
  std::string body = all + "  local curcontext=\"$curcontext\" line state\n  _arguments -S -C";
  for (const CommandOption& flag : command.flags) body += zsh_flag(program, flag);
  if (command.commands.empty()) {
    out += path + "() {\n" + body + zsh_arguments(program, command) + "\n}\n";
    return;
  }
  body +=
      // What stands behind the command is its own, flags that both know among it: "(-)".
      " \\\n        '(-)1:command:->command' \\\n        '(-)*::argument:->argument'\n"
      "  case $state in\n    command)\n      local -a commands=(\n";
  for (const CommandTree& below : command.commands) {
    body += "        '" + below.name + ":" + brief_help(below.help) + "'\n";
  }
  body +=
      "      )\n      _describe command commands ;;\n"
      "    argument)\n      case $line[1] in\n";
  for (const CommandTree& below : command.commands) {
    body += "        " + below.name + ") " + path + "_" + below.name + " ;;\n";
  }
  out += path + "() {\n" + body + "      esac ;;\n  esac\n}\n";
  for (const CommandTree& below : command.commands) {
    zsh_functions(program, path + "_" + below.name, below, out);
  }
}

}  // namespace

std::string zsh_script(const CommandTree& program) {
  const std::string& name = program.name;
  std::string out = "#compdef " + name + "\n# zsh completion for " + name + ": " + name +
      " completion zsh > ~/.zfunc/_" + name + "\n" + with_name(kZshNames, name);
  zsh_functions(program, "_" + name, program, out);
  // As a file of $fpath it is itself the body of the function, when it is called for the first
  // time.
  return out + "if [[ $funcstack[1] == _" + name + " ]]; then\n  _" + name +
      " \"$@\"\nelse\n  compdef _" + name + " " + name + "\nfi\n";
}

}  // namespace dunlin::config
