// SPDX-License-Identifier: MIT
#include "config/manual/command_tree.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <set>
#include <string_view>

namespace dunlin::config {
namespace {

/// A flag that goes with none of more others, such as --file of `run`, says so in its own help.
constexpr std::size_t kExcludesMax = 4;

std::vector<std::string> split_words(std::string_view text, char between) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t end = text.find(between);
    words.emplace_back(text.substr(0, end));
    if (end == text.npos) return words;
    text.remove_prefix(end + 1);
  }
}

/// What stands between `begin` and `end` in `text`; empty if they are not there.
std::string_view text_between(std::string_view text, std::string_view begin, char end) {
  const std::size_t at = text.find(begin);
  if (at == text.npos) return {};
  text.remove_prefix(at + begin.size());
  const std::size_t size = text.find(end);
  return size == text.npos ? std::string_view() : text.substr(0, size);
}

/// CLI11 tells of a check behind the word for the value: "STATE:{running,held}",
/// "N:INT in [1 - 1000]".
void read_type(const std::string& type, CommandOption& option) {
  option.value = type.substr(0, type.find(':'));
  if (const auto words = text_between(type, ":{", '}'); !words.empty()) {
    option.words = split_words(words, ',');
  } else if (option.value.find('|') != std::string::npos) {
    option.words = split_words(option.value, '|');
  }
  option.range = text_between(type, " in [", ']');
  if (const std::size_t at = option.range.find(" - "); at != std::string::npos) {
    option.range.replace(at, 3, " to ");
  }
}

/// By the word for the value or, where that is a mere NAME, by the name of the flag: so no command
/// needs a line more than its help does.
ValueKind kind_of(const CommandOption& option, const std::string& name) {
  if (!option.words.empty()) return ValueKind::words;
  const std::string& value = option.value;
  const bool argument = option.names.empty();
  if (value.find("FILE") != value.npos) return ValueKind::files;
  if (value.find("DIR") != value.npos) return ValueKind::folders;
  if (value.starts_with("JOB") || (argument && value == "TASKS")) return ValueKind::jobs;
  if (value == "NODE" || (argument && name == "node")) return ValueKind::nodes;
  if (name == "class" || (argument && (name == "classes" || name == "shares"))) {
    return ValueKind::classes;
  }
  if (name == "SCENARIO") return ValueKind::scenarios;
  if (value == "COMMAND" && argument) return ValueKind::commands;
  return value == "WORD" && argument ? ValueKind::programs : ValueKind::anything;
}

std::string long_name(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? "" : "--" + names.front();
}

/// The set of CLI11 is in the order of addresses, which no two runs have alike.
std::vector<std::string> sorted_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : options) {
    if (auto name = long_name(*option); !name.empty()) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

CommandOption option_of(const CLI::Option& from) {
  CommandOption option;
  const bool argument = from.get_positional();
  if (!argument) {
    for (const std::string& name : from.get_lnames()) option.names.push_back("--" + name);
    for (const std::string& name : from.get_snames()) option.names.push_back("-" + name);
  }
  option.help = from.get_description();
  option.group = from.get_group();
  if (from.get_expected_max() > 0 && from.get_type_size_max() > 0) {
    read_type(from.get_type_name(), option);
    // What CLI11 writes where the value was given no word says less than the argument's own name.
    if (argument && option.value == "TEXT") option.value = from.get_name(true);
  }
  const auto& names = from.get_lnames();
  option.kind = kind_of(option, argument || names.empty() ? from.get_name(true) : names.front());
  std::set<CLI::Option*> excludes = from.get_excludes();
  std::erase_if(excludes,
      [](const CLI::Option* other) { return other->get_excludes().size() > kExcludesMax; });
  option.excludes = sorted_names(excludes);
  option.needs = sorted_names(from.get_needs());
  option.required = from.get_required();
  option.many = from.get_expected_max() == CLI::detail::expected_max_vector_size;
  return option;
}

/// A command takes the footer of the one above it, unless it is given one of its own.
bool is_inherited(const CLI::App& app, const std::string& footer) {
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent()) {
    if (above->get_footer() == footer) return true;
  }
  return false;
}

CommandTree tree_below(const CLI::App& app, const std::string& before) {
  CommandTree tree;
  tree.name = app.get_name();
  tree.path = before + tree.name;
  tree.help = app.get_description();
  tree.group = app.get_group();
  if (!is_inherited(app, app.get_footer())) tree.footer = app.get_footer();
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;
    auto& list = option->get_positional() ? tree.arguments : tree.flags;
    list.push_back(option_of(*option));
  }
  for (const CLI::App* const below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_group().empty()) tree.commands.push_back(tree_below(*below, tree.path + " "));
  }
  return tree;
}

}  // namespace

CommandTree command_tree(const CLI::App& app) {
  return tree_below(app, "");
}

std::string names_word(ValueKind kind) {
  switch (kind) {
    case ValueKind::jobs:
      return "jobs";
    case ValueKind::nodes:
      return "nodes";
    case ValueKind::classes:
      return "classes";
    case ValueKind::scenarios:
      return "scenarios";
    default:
      return "";
  }
}

}  // namespace dunlin::config
