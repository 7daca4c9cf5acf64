// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/task_line.h"

#include <algorithm>
#include <string_view>

#include "node/task/placeholders.h"

// A shell takes the word after its script for its own name, $0, where no script looks for a line.
namespace dunlin::cli {
namespace {

constexpr const char* kEntry = "%{ENTRY}";

/// True if a shell's script may look at its arguments, or at the variable with the line.
bool looks_at_line(std::string_view script) {
  // A guess by words, which errs towards yes: a script that is wrongly let through only ignores its
  // line.
  if (script.find("DUNLIN_ENTRY") != script.npos || script.find("shift") != script.npos) {
    return true;
  }
  for (std::size_t at = 0; (at = script.find('$', at)) != script.npos; ++at) {
    std::string_view name = script.substr(at + 1);
    if (name.starts_with('{')) name.remove_prefix(1);
    if (!name.empty() && std::string_view("123456789@*").find(name.front()) != name.npos) {
      return true;
    }
  }
  return false;
}

/// A command without placeholders, so that one may be added.
void spell_out(node::TaskSpec& spec) {
  spec.literal = false;
  for (node::Word& word : spec.command) word.text = node::escape_placeholders(word.text);
}

}  // namespace

bool mentions_entry(const node::TaskSpec& spec) {
  if (spec.literal) return false;
  const auto holds = [](std::string_view text) { return text.find(kEntry) != text.npos; };
  return std::ranges::any_of(spec.command, [&](const auto& word) { return holds(word.text); }) ||
      std::ranges::any_of(
          spec.environment, [&](const auto& variable) { return holds(variable.value); });
}

Result<void> give_line(node::TaskSpec& spec) {
  if (mentions_entry(spec)) return {};
  const bool is_shell = spec.script.empty();  // Else these are the arguments of a script.
  if (const node::Word* const script = node::shell_script(spec.command);
      is_shell && script != nullptr) {
    if (!looks_at_line(script->text)) {
      return failure(ErrorKind::usage,
          "the script of the shell never looks at its line: write \"$1\" or \"$DUNLIN_ENTRY\" "
          "where it belongs");
    }
    // $0 of the script, so that the line is $1.
    if (script == &spec.command.back()) spec.command.push_back({"sh"});
  }
  // The line comes by a placeholder, so the command can be literal no more; the user's own words
  // stay as they are.
  if (spec.literal) spell_out(spec);
  spec.command.push_back({kEntry});
  return {};
}

}  // namespace dunlin::cli
