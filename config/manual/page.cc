// SPDX-License-Identifier: MIT
#include "config/manual/page.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "config/manual/mdoc.h"

namespace dunlin::config {
namespace {

constexpr std::string_view kMonths[] = {"January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December"};

/// "November 28, 2026" of "2026-11-28", as .Dd wants it.
std::string long_day(std::string_view day) {
  unsigned month = 0;
  unsigned number = 0;
  if (day.size() == 10) {
    std::from_chars(day.data() + 5, day.data() + 7, month);
    std::from_chars(day.data() + 8, day.data() + 10, number);
  }
  if (month < 1 || month > std::size(kMonths)) return std::string(day);
  return std::string(kMonths[month - 1]) + " " + std::to_string(number) + ", " +
      std::string(day.substr(0, 4));
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "let a node take no more" of "Let a node take no more.", but "CPUs of a node" as it is.
std::string as_headline(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  const auto is_capital = [&](std::size_t at) {
    return at < text.size() && std::isupper(static_cast<unsigned char>(text[at])) != 0;
  };
  if (is_capital(0) && !is_capital(1)) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string reference(const PageName& page) {
  return mdoc_name(page.name) + " " + std::to_string(page.section);
}

/// A sentence that says how the value may be; empty if it may be any text.
std::string bounds_of(const ManualParam& param) {
  if (param.type == "text") return "";
  if (param.type == "choice") return "One of " + param.range + ".";
  if (param.type == "bool") return "A bool, true or false.";
  // The scale in which studies walk a range does not help to set a value.
  std::string range = param.range.substr(0, param.range.find(" (log)"));
  // Two dots would look like the end of a sentence.
  if (const auto at = range.find(" .. "); at != range.npos) range.replace(at, 4, " to ");
  return (param.type.starts_with('i') ? "An " : "A ") + param.type +
      (range.empty() ? "." : ", " + range + ".");
}

}  // namespace

std::string ManualPage::file() const {
  const std::string section = std::to_string(name.section);
  return "man" + section + "/" + name.name + "." + section;
}

std::string page_head(const PageName& name) {
  return ".\\\" SPDX-License-Identifier: MIT\n.\\\" The program made this page of its own command "
         "line and tables.\n.Dd " +
      long_day(DUNLIN_RELEASE_DAY) + "\n.Dt " + mdoc_name(in_capitals(name.name)) + " " +
      std::to_string(name.section) + "\n.Os Dunlin " DUNLIN_VERSION "\n";
}

std::string name_section(std::string_view name, std::string_view what) {
  return ".Sh NAME\n.Nm " + mdoc_name(name) + "\n.Nd " + mdoc_name(as_headline(std::string(what))) +
      "\n";
}

std::string see_also_section(std::vector<PageName> pages) {
  std::ranges::sort(pages, [](const PageName& a, const PageName& b) {
    return a.section != b.section ? a.section < b.section : a.name < b.name;
  });
  pages.erase(std::ranges::unique(pages).begin(), pages.end());
  std::string text;
  for (const PageName& page : pages) {
    text += (text.empty() ? ".Sh SEE ALSO\n.Xr " : " ,\n.Xr ") + reference(page);
  }
  return text.empty() ? "" : text + "\n";
}

std::string list_item(const std::string& head, std::string_view text) {
  return ".It " + head + "\n" + mdoc_text(text);
}

std::string param_sections(const std::vector<ManualParam>& params) {
  std::string text;
  std::string section;
  for (const ManualParam& param : params) {
    if (param.section != section) {
      text += (section.empty() ? "" : ".El\n") + (".Ss Section " + mdoc_word(param.section)) +
          "\n.Bl -tag -width Ds\n";
      section = param.section;
    }
    std::string meaning = param.meaning;
    if (!meaning.empty() && !meaning.ends_with('.')) meaning += ".";
    if (const auto bounds = bounds_of(param); !bounds.empty()) meaning += " " + bounds;
    meaning +=
        param.fallback.empty() ? " Not set by default." : " Default: " + param.fallback + ".";
    if (!param.source.empty()) meaning += " Source: " + param.source + ".";
    text += list_item("Ic " + mdoc_word(param.name), meaning);
  }
  return text.empty() ? "" : text + ".El\n";
}

}  // namespace dunlin::config
