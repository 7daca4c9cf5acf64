// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// Pages of docs, as far as tests look at them: sections, tables, and words in backticks. What a
// page says is held against the code where it comes from.
namespace dunlin::test {

/// A table of a page, with the headings that it stands under.
struct MarkdownTable {
  std::string chapter;  ///< The last heading of level 2.
  std::string section;  ///< The last heading of any level, without backticks.
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// The text of a file; empty if it cannot be read.
inline std::string page_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

/// The cells of a row such as "| a | b |".
inline std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < row.size(); ++i) {
    const bool escaped = row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|';
    if (escaped) {
      cell += row[++i];
    } else if (row[i] == '|') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  return cells;
}

/// What stands in backticks in `text`, in order.
inline std::vector<std::string> quoted_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at)) {
    const auto end = text.find('`', at + 1);
    if (end == std::string_view::npos) break;
    words.emplace_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return words;
}

/// All tables of a page, in order. What stands between fences is no table.
inline std::vector<MarkdownTable> tables_of(std::string_view page) {
  std::vector<MarkdownTable> tables;
  std::string chapter;
  std::string section;
  bool fenced = false;
  bool in_table = false;
  std::istringstream lines{std::string(page)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    const bool row = !fenced && line.starts_with("| ");
    if (!fenced && line.starts_with("#")) {
      section = trimmed(line.substr(line.find_first_not_of('#')));
      std::erase(section, '`');
      if (line.starts_with("## ")) chapter = section;
    } else if (row && !in_table) {
      tables.push_back({chapter, section, cells_of(line), {}});
    } else if (row) {
      tables.back().rows.push_back(cells_of(line));
    }
    in_table = row || (in_table && line.starts_with("|---"));
  }
  return tables;
}

/// The table under a heading with a first column called `first`; an empty one if there is none.
inline MarkdownTable table_under(
    std::string_view page, std::string_view section, std::string_view first) {
  for (MarkdownTable& table : tables_of(page)) {
    if (table.section == section && table.head.front() == first) return table;
  }
  return {};
}

}  // namespace dunlin::test
