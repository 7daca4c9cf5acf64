// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "config/manual/mdoc.h"
#include "config/manual/page.h"

// The page of a command, section by section, in the order that mdoc(7) asks for.
namespace dunlin::config {
namespace {

std::string as_sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += ".";
  return text;
}

PageName page_of(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return {std::move(path), 1};
}

std::string argument_text(const CommandOption& argument) {
  std::string text = argument.kind == ValueKind::programs ? "Fl \\- Ar " : "Ar ";
  text += mdoc_word(argument.value) + (argument.many ? " ..." : "");
  return argument.required ? text : "Op " + text;
}

std::string synopsis_line(const CommandTree& tree) {
  std::string text = ".Nm \"" + mdoc_name(tree.path) + "\"\n";
  if (!tree.flags.empty()) text += ".Op Ar options\n";
  for (const CommandOption& argument : tree.arguments) text += "." + argument_text(argument) + "\n";
  return text;
}

std::string synopsis(const CommandTree& tree) {
  const std::string begin = ".Sh SYNOPSIS\n";
  const bool whole_program = tree.path == tree.name;
  if (whole_program && !tree.commands.empty()) {
    return begin + ".Nm " + mdoc_name(tree.name) +
        "\n.Op Ar options\n.Ar command\n.Op Ar argument ...\n";
  }
  std::string text = begin;
  // A mere heading of others, such as `node`, has no flag but --help and does nothing by itself.
  if (tree.commands.empty() || tree.flags.size() > 1) text += synopsis_line(tree);
  for (const CommandTree& below : tree.commands) text += synopsis_line(below);
  return text;
}

/// "--a, --b or --c".
std::string joined_flags(const std::vector<std::string>& flags) {
  std::string text;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == flags.size() ? " or " : ", ") + flags[i];
  }
  return text;
}

/// What the help says of a flag or an argument, and what it may be.
std::string option_text(const CommandOption& option) {
  std::string text = as_sentence(option.help);
  if (!option.words.empty()) {
    std::string words;
    for (const std::string& word : option.words) words += (words.empty() ? "" : ", ") + word;
    text += " One of " + words + ".";
  }
  if (!option.range.empty()) text += " From " + option.range + ".";
  if (!option.needs.empty()) text += " Only with " + joined_flags(option.needs) + ".";
  if (!option.excludes.empty()) text += " Not with " + joined_flags(option.excludes) + ".";
  return text;
}

std::string flag_head(const CommandOption& flag) {
  std::string head;
  for (const std::string& name : flag.names) {
    head += (head.empty() ? "Fl " : " , Fl ") + mdoc_word(name.substr(1));
  }
  return head + (flag.value.empty() ? "" : " Ar " + mdoc_word(flag.value));
}

std::string description(const CommandTree& tree) {
  std::string text = ".Sh DESCRIPTION\n" + mdoc_text(as_sentence(tree.help));
  if (tree.arguments.empty()) return text;
  text += ".Bl -tag -width Ds\n";
  for (const CommandOption& argument : tree.arguments) {
    text += list_item("Ar " + mdoc_word(argument.value), option_text(argument));
  }
  return text + ".El\n";
}

/// The headings of a list, each once, in the order in which they come first.
template <typename Each>
std::vector<std::string> groups_of(const std::vector<Each>& list) {
  std::vector<std::string> groups;
  for (const Each& each : list) {
    if (std::ranges::find(groups, each.group) == groups.end()) groups.push_back(each.group);
  }
  return groups;
}

std::string command_list(const CommandTree& tree) {
  if (tree.commands.empty()) return "";
  std::string text = ".Sh COMMANDS\n";
  const auto groups = groups_of(tree.commands);
  for (const std::string& group : groups) {
    if (groups.size() > 1) text += ".Ss " + mdoc_word(group) + "\n";
    text += ".Bl -tag -width Ds\n";
    for (const CommandTree& below : tree.commands) {
      if (below.group != group) continue;
      const PageName page = page_of(below.path);
      text += list_item("Xr " + mdoc_name(page.name) + " 1", as_sentence(below.help));
    }
    text += ".El\n";
  }
  return text;
}

std::string option_list(const CommandTree& tree) {
  if (tree.flags.empty()) return "";
  std::string text = ".Sh OPTIONS\n";
  const auto groups = groups_of(tree.flags);
  for (const std::string& group : groups) {
    if (group != "Options") text += ".Ss " + mdoc_word(group) + "\n";
    text += ".Bl -tag -width Ds\n";
    for (const CommandOption& flag : tree.flags) {
      if (flag.group == group) text += list_item(flag_head(flag), option_text(flag));
    }
    text += ".El\n";
  }
  return text;
}

std::string status_list(const PageNotes& notes) {
  if (notes.statuses.empty()) return "";
  std::string text = ".Sh EXIT STATUS\n.Bl -tag -width Ds\n";
  for (const auto& [status, meaning] : notes.statuses) {
    text += list_item(mdoc_word(status), meaning + ".");
  }
  return text + ".El\n";
}

/// The footer of a help: lines that are indented are to be typed, the others are prose. A heading
/// "Examples:" is that of the section.
std::string example_list(const std::string& footer) {
  std::string text;
  std::string prose;
  bool typing = false;
  const auto end_prose = [&] {
    if (prose.empty()) return;
    text += (text.empty() ? "" : ".Pp\n") + mdoc_text(prose);
    prose.clear();
  };
  std::string_view rest = footer;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const bool typed = line.starts_with("  ");
    if (typing && !typed) text += ".Ed\n";
    if (typed && !typing) {
      end_prose();
      text += ".Bd -literal -offset indent\n";
    }
    typing = typed;
    if (typed) {
      text += mdoc_code(line.substr(2)) + "\n";
    } else if (line.empty()) {
      end_prose();
    } else if (line != "Examples:") {
      prose += (prose.empty() ? "" : " ") + std::string(line);
    }
  }
  if (typing) text += ".Ed\n";
  end_prose();
  return text.empty() ? "" : ".Sh EXAMPLES\n" + text;
}

/// The command above it, those below, and those beside it.
std::vector<PageName> neighbours(const CommandTree& tree, const CommandTree* above) {
  std::vector<PageName> pages;
  for (const CommandTree& below : tree.commands) pages.push_back(page_of(below.path));
  if (above == nullptr) return pages;
  pages.push_back(page_of(above->path));
  // Those of the program itself are dozens, and its own page has them.
  if (above->path.find(' ') == std::string::npos) return pages;
  for (const CommandTree& beside : above->commands) {
    if (&beside != &tree) pages.push_back(page_of(beside.path));
  }
  return pages;
}

void add_pages(const CommandTree& tree,
    const CommandTree* above,
    const std::function<PageNotes(const std::string&)>& notes,
    std::vector<ManualPage>& pages) {
  const PageName name = page_of(tree.path);
  PageNotes noted = notes(tree.path);
  // The program's own page lists all of them.
  auto others = above == nullptr ? std::vector<PageName>() : neighbours(tree, above);
  std::ranges::move(noted.see_also, std::back_inserter(others));
  std::erase(others, name);
  pages.push_back({name,
      page_head(name) + name_section(name.name, tree.help) + synopsis(tree) + description(tree) +
          command_list(tree) + option_list(tree) + status_list(noted) + example_list(tree.footer) +
          see_also_section(std::move(others))});
  for (const CommandTree& below : tree.commands) add_pages(below, &tree, notes, pages);
}

}  // namespace

std::vector<ManualPage> command_pages(
    const CommandTree& tree, const std::function<PageNotes(const std::string& path)>& notes) {
  std::vector<ManualPage> pages;
  add_pages(tree, nullptr, notes, pages);
  return pages;
}

}  // namespace dunlin::config
