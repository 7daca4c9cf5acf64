// SPDX-License-Identifier: MIT
#include "tools/dunlin/completion.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

// The scripts are made from the description of the command line itself, so they cannot fall behind
// it. Each shell gets the same tree: commands, flags, words, and whether a value is a file; the
// rest of completion is left to the shell.
namespace dunlin::cli {
namespace {

/// The first sentence, without characters that a shell would interpret.
std::string brief(std::string_view help) {
  std::string text;
  for (const char c : help.substr(0, help.find_first_of(".;:("))) {
    text += std::string_view("'\"`$\\[]:\n").find(c) == std::string_view::npos ? c : ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void add_flags(const CLI::App& app, CompletionCommand& command) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional()) continue;
    CompletionFlag flag;
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    flag.help = brief(option->get_description());
    // CLI11 has flags that may take a value, and types of no size for those that take none.
    flag.takes_value = option->get_expected_max() > 0 && option->get_type_size_max() > 0;
    const std::string type = option->get_type_name();
    // By the type's name, which the help shows as well: no flag needs another word for it.
    flag.takes_file = type.find("FILE") != type.npos || type.find("DIR") != type.npos;
    command.flags.push_back(std::move(flag));
  }
}

/// Calls `visit(path, command)` for the command and all below it; `path` is its words joined by
/// '_'.
void for_each_command(const CompletionCommand& command, const std::string& path, auto&& visit) {
  visit(path, command);
  for (const CompletionCommand& below : command.commands) {
    for_each_command(below, path + "_" + below.name, visit);
  }
}

std::string flag_words(const CompletionCommand& command) {
  std::string words;
  for (const CompletionFlag& flag : command.flags) {
    for (const std::string& name : flag.names) words += (words.empty() ? "" : " ") + name;
  }
  return words;
}

std::string next_words(const CompletionCommand& command) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  for (const CompletionCommand& below : command.commands) add(below.name);
  for (const std::string& word : command.words) add(word);
  return words;
}

/// "--config|--key": the flags that take a file as value (or those that do not), as a case pattern.
std::string value_flags(const CompletionCommand& command, bool file) {
  std::string pattern;
  for (const CompletionFlag& flag : command.flags) {
    if (!flag.takes_value || flag.takes_file != file) continue;
    for (const std::string& name : flag.names) pattern += (pattern.empty() ? "" : "|") + name;
  }
  return pattern;
}

std::string bash_case(const std::string& path, const CompletionCommand& command) {
  std::string text = "    " + path + ")\n      case \"$before\" in\n";
  if (const auto files = value_flags(command, true); !files.empty()) {
    text += "        " + files + ") mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n";
  }
  // Nothing is offered for a value that is no file: a wrong guess is worse than none.
  if (const auto others = value_flags(command, false); !others.empty()) {
    text += "        " + others + ") return ;;\n";
  }
  return text + "      esac\n      flags='" + flag_words(command) + "'\n      next='" +
      next_words(command) + "' ;;\n";
}

// The script walks through the words that are there, command by command, and then offers what may
// follow: no call of dunlin is needed while somebody types.
std::string bash_script(const CompletionCommand& program) {
  std::string steps;
  std::string cases;
  for_each_command(program, program.name, [&](const std::string& path, const auto& command) {
    for (const CompletionCommand& below : command.commands) {
      steps += "      " + path + ":" + below.name + ") path=" + path + "_" + below.name + " ;;\n";
    }
    cases += bash_case(path, command);
  });
  return "# bash completion for " + program.name + ": source <(" + program.name +
      " completion bash)\n_" + program.name + "() {\n" +
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local path=" +
      program.name + " flags= next= i\n" +
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$path:${COMP_WORDS[i]}\" in\n" +
      steps +
      "    esac\n  done\n"
      "  case \"$path\" in\n" +
      cases +
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
      "  elif [[ -n $next ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$next\" -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  fi\n}\n"
      "complete -o filenames -o bashdefault -F _" +
      program.name + " " + program.name + "\n";
}

std::string zsh_flag(const CompletionFlag& flag) {
  std::string lines;
  for (const std::string& name : flag.names) {
    const std::string value = !flag.takes_value ? "" : flag.takes_file ? ":file:_files" : ":value:";
    // The star: a flag may be given again, such as --env.
    lines += " \\\n        '*" + name + "[" + flag.help + "]" + value + "'";
  }
  return lines;
}

std::string zsh_script(const CompletionCommand& program) {
  std::string functions;
  for_each_command(program, "_" + program.name, [&](const std::string& path, const auto& command) {
    std::string body = "  local line state\n  _arguments -C";
    for (const CompletionFlag& flag : command.flags) body += zsh_flag(flag);
    if (command.commands.empty()) {
      body += command.words.empty() ? " \\\n        '*:file:_files'\n"
                                    : " \\\n        '1:word:(" + next_words(command) + ")'\n";
      functions += path + "() {\n" + body + "}\n";
      return;
    }
    body +=
        " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n"
        "  case $state in\n    command)\n      local -a commands=(\n";
    for (const CompletionCommand& below : command.commands) {
      body += "        '" + below.name + ":" + below.help + "'\n";
    }
    body +=
        "      )\n      _describe command commands ;;\n"
        "    argument)\n      case $line[1] in\n";
    for (const CompletionCommand& below : command.commands) {
      body += "        " + below.name + ") " + path + "_" + below.name + " ;;\n";
    }
    functions += path + "() {\n" + body + "      esac ;;\n  esac\n}\n";
  });
  return "#compdef " + program.name + "\n# zsh completion for " + program.name + ": " +
      program.name + " completion zsh > ~/.zfunc/_" + program.name + "\n" + functions +
      "compdef _" + program.name + " " + program.name + "\n";
}

/// A condition of fish: the words of `path` were typed, and none of `below` after them.
std::string fish_condition(const std::vector<std::string>& path, const CompletionCommand& command) {
  std::string condition;
  if (path.empty()) return "__fish_use_subcommand";
  for (const std::string& word : path) {
    condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  }
  // Fish knows no order of words, so what stands further down must be ruled out.
  if (!command.commands.empty()) {
    condition += "; and not __fish_seen_subcommand_from " + next_words(command);
  }
  return condition;
}

void fish_lines(const std::string& program,
    const std::vector<std::string>& path,
    const CompletionCommand& command,
    std::string& out) {
  const std::string begin =
      "complete -c " + program + " -n '" + fish_condition(path, command) + "'";
  for (const CompletionCommand& below : command.commands) {
    out += begin + " -f -a " + below.name + " -d '" + below.help + "'\n";
  }
  if (!command.words.empty()) out += begin + " -f -a '" + next_words(command) + "'\n";
  for (const CompletionFlag& flag : command.flags) {
    out += begin;
    for (const std::string& name : flag.names) {
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (flag.takes_value) out += flag.takes_file ? " -r -F" : " -x";
    out += " -d '" + flag.help + "'\n";
  }
  for (const CompletionCommand& below : command.commands) {
    auto longer = path;
    longer.push_back(below.name);
    fish_lines(program, longer, below, out);
  }
}

}  // namespace

CompletionCommand completion_tree(const CLI::App& app) {
  CompletionCommand command;
  command.name = app.get_name();
  command.help = brief(app.get_description());
  add_flags(app, command);
  for (const CLI::App* const below : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(completion_tree(*below));
  }
  // The one argument with a fixed set of words; the others are names that only an agent knows.
  if (command.name == "completion") command.words = {"bash", "zsh", "fish"};
  return command;
}

Result<std::string> completion_script(const CompletionCommand& program, std::string_view shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") {
    std::string out = "# fish completion for " + program.name + ": " + program.name +
        " completion fish | source\n";
    fish_lines(program.name, {}, program, out);
    return out;
  }
  return failure(ErrorKind::usage,
      "no completion for '" + std::string(shell) + "': there is bash, zsh and fish");
}

}  // namespace dunlin::cli
