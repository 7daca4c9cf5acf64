// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include "config/manual/completion.h"

// The script walks through the words that are there, command by command, and then offers what may
// follow. Bash cuts words at "=" and ":", so the script first joins what belongs together.
namespace dunlin::config {
namespace {

/// Calls `visit(path, command)` for the command and all below it; `path` is its words joined by
/// '_'.
void for_each_path(const CommandTree& command, const std::string& path, auto&& visit) {
  visit(path, command);
  for (const CommandTree& below : command.commands) {
    for_each_path(below, path + "_" + below.name, visit);
  }
}

/// "dunlin_run:--cpus|dunlin_run:-c": the flags that take a value, as a pattern of case.
std::string valued_flags(const CommandTree& command, const std::string& path) {
  std::string pattern;
  for (const CommandOption& flag : command.flags) {
    if (flag.value.empty()) continue;
    for (const std::string& name : flag.names) {
      pattern += (pattern.empty() ? "" : "|") + (path + ":" + name);
    }
  }
  return pattern;
}

/// The call that offers what a value may be; empty: nothing is known of it.
std::string bash_offer(const CommandTree& program, const CommandOption& option) {
  switch (option.kind) {
    case ValueKind::anything:
      return "";
    case ValueKind::words:
      return "__" + program.name + "_words '" + spaced(option.words) + "'";
    case ValueKind::commands:
      return "__" + program.name + "_words '" + command_words(program) + "'";
    case ValueKind::programs:
      return "__" + program.name + "_programs";
    case ValueKind::files:
      return "__" + program.name + "_files -f";
    case ValueKind::folders:
      return "__" + program.name + "_files -d";
    default:
      return "__" + program.name + "_names " + names_word(option.kind);
  }
}

/// What may follow a flag that takes a value, for all flags of the command.
std::string value_cases(const CommandTree& program, const CommandTree& command) {
  std::string text;
  std::string others;
  for (const CommandOption& flag : command.flags) {
    if (flag.value.empty()) continue;
    const std::string offer = bash_offer(program, flag);
    std::string pattern;
    for (const std::string& name : flag.names) pattern += (pattern.empty() ? "" : "|") + name;
    if (offer.empty()) {
      others += (others.empty() ? "" : "|") + pattern;
    } else {
      text += "        " + pattern + ") " + offer + "; return ;;\n";
    }
  }
  // Nothing is offered for a value of which nothing is known: a wrong guess is worse than none.
  return others.empty() ? text : text + "        " + others + ") return ;;\n";
}

std::string bash_case(
    const CommandTree& program, const std::string& path, const CommandTree& command) {
  std::string text = "    " + path + ")\n";
  if (const auto cases = value_cases(program, command); !cases.empty()) {
    text += "      case \"$before\" in\n" + cases + "      esac\n";
  }
  std::vector<std::string> flags;
  for (const CommandOption& flag : command.flags) {
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
  }
  text += "      flags='" + spaced(flags) + "'\n";
  if (!command.commands.empty()) text += "      next='" + command_words(command) + "'\n";
  if (!command.arguments.empty()) {
    const std::string offer = bash_offer(program, command.arguments.front());
    if (!offer.empty()) text += "      [[ $word == -* ]] || " + offer + "\n";
  }
  return text + "      ;;\n";
}

bool wraps_programs(const CommandTree& command) {
  return !command.arguments.empty() && command.arguments.front().kind == ValueKind::programs;
}

/// How the walk goes on from a word: to a command, over the value of a flag, or to its end, where
/// the user's own command begins.
std::string walk_steps(const std::string& path, const CommandTree& command) {
  std::string text;
  for (const CommandTree& below : command.commands) {
    text += "      " + path + ":" + below.name + ") path=" + path + "_" + below.name + " ;;\n";
  }
  const bool wraps = wraps_programs(command);
  if (command.commands.empty() && !wraps) return text;
  const std::string valued = valued_flags(command, path);
  if (!valued.empty()) text += "      " + valued + ") ((i++)) ;;\n";
  if (!wraps) return text;
  return text + "      " + path + ":--) own=$((i + 1)); break ;;\n      " + path + ":-*) ;;\n" +
      "      " + path + ":*) own=$i; break ;;\n";
}

/// What the script of each program needs; NAME stands for the program.
constexpr std::string_view kBashTools =
    R"sh(__NAME_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
__NAME_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}
__NAME_programs() {
  if [[ $word == */* ]]; then
    __NAME_files -f
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$word" | sort -u)
  fi
}
# Names that only the program can tell. Silent where nobody tells any.
__NAME_names() {
  local name
  while IFS=$'\t' read -r name _; do
    [[ $name == "$word"* ]] && COMPREPLY+=("$name")
  done < <("${words[0]/#\~/$HOME}" "${agent[@]}" completion --names "$1" 2>/dev/null)
}
_NAME() {
  local -a words=() agent=()
  local word before path=NAME flags='' next='' own='' i last piece cut=
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    # What bash cut at "=" or ":" is one word again.
    if ((i > 1)) && [[ $piece == [=:]* || ( -n $cut && $piece != -* ) ]]; then
      words[${#words[@]} - 1]+=$piece
    else
      words+=("$piece")
    fi
    [[ $piece == [=:]* ]] && cut=1 || cut=
  done
  last=$((${#words[@]} - 1))
  word=${words[last]} before=
  ((last > 0)) && before=${words[last - 1]}
  if [[ $word == --*=* ]]; then
    before=${word%%=*} word=${word#*=}
  fi
  COMPREPLY=()
  for ((i = 1; i < last; i++)); do
    case "${words[i]}" in
      --address|--key) agent+=("${words[i]}" "${words[i + 1]}") ;;
      --address=*|--key=*) agent+=("${words[i]}") ;;
    esac
    case "$path:${words[i]}" in
)sh";

constexpr std::string_view kBashOwn =
    R"sh(  if [[ -n $own ]]; then
    if ((own == last)); then
      __NAME_programs
    else
      __NAME_files -f
    fi
    return
  fi
)sh";

constexpr std::string_view kBashOffers =
    R"sh(  esac
  if [[ $word == -* ]]; then
    __NAME_words "$flags"
  elif [[ -n $next ]]; then
    __NAME_words "$next"
  fi
}
complete -F _NAME NAME
)sh";

}  // namespace

std::string bash_script(const CommandTree& program) {
  std::string steps;
  std::string cases;
  bool wraps = false;
  for_each_path(program, program.name, [&](const std::string& path, const auto& command) {
    steps += walk_steps(path, command);
    cases += bash_case(program, path, command);
    wraps = wraps || wraps_programs(command);
  });
  std::string own;
  if (wraps) {
    own = with_name(kBashOwn, program.name);
  }
  return "# bash completion for " + program.name + ": source <(" + program.name +
      " completion bash)\n" + with_name(kBashTools, program.name) + steps + "    esac\n  done\n" +
      own + "  case \"$path\" in\n" + cases + with_name(kBashOffers, program.name);
}

}  // namespace dunlin::config
