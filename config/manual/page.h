// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/manual/command_tree.h"

// Manual pages in mdoc(7), made of what a program knows of itself. Pure.
namespace dunlin::config {

/// A page that may be named in another one: dunlin-run(1).
struct PageName {
  std::string name;
  int section = 1;
  auto operator<=>(const PageName&) const = default;
};

struct ManualPage {
  PageName name;
  std::string text;

  /// "man1/dunlin-run.1": where it stands below share/man.
  std::string file() const;
};

/// What the command line itself does not tell of a command.
struct PageNotes {
  std::vector<std::pair<std::string, std::string>> statuses;  ///< Each with its meaning.
  std::vector<PageName> see_also;  ///< Besides the commands above, below and beside it.
};

/// The first lines of a page: its name, its section, the day of the release, the release.
std::string page_head(const PageName& name);
/// Section NAME. `what` is what a list of pages shows; it begins small there.
std::string name_section(std::string_view name, std::string_view what);
/// Section SEE ALSO, sorted; empty if there are none.
std::string see_also_section(std::vector<PageName> pages);
/// One entry of a list of terms (.Bl -tag): `head` is arguments of .It, `text` prose.
std::string list_item(const std::string& head, std::string_view text);

/// The page of `tree` and those of all commands below it. `notes` is asked by the path of each,
/// "dunlin node drain".
std::vector<ManualPage> command_pages(
    const CommandTree& tree, const std::function<PageNotes(const std::string& path)>& notes);

/// A parameter, as a table of them describes it.
struct ManualParam {
  std::string section;
  std::string name;
  std::string type;      ///< "duration".
  std::string range;     ///< "100ms .. 1m (log)", or the words of a choice.
  std::string fallback;  ///< The default; empty: none.
  std::string meaning;
  std::string source;  ///< Of its meaning or its default; may be empty.
};

/// A section of a page for each section of `params`, in their order.
std::string param_sections(const std::vector<ManualParam>& params);

}  // namespace dunlin::config
