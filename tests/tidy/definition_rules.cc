// SPDX-License-Identifier: MIT
#include <map>
#include <regex>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// One definition: a program that holds two types of one name is quietly wrong.
namespace dunlin::tidy {
namespace {

/// The namespaces that `line` opens, as "dunlin::sched", or "" if it opens none.
std::string opened_by(const std::string& line) {
  if (line.find("namespace") == line.npos) return {};  // A regex is slow, and lines are many.
  static const std::regex opening("^(?:inline )?namespace ([\\w:]+) \\{");
  std::smatch found;
  return std::regex_search(line, found, opening) ? found[1].str() : std::string();
}

/// The type that `line` begins to define at namespace scope, or "".
std::string defined_by(const std::string& line) {
  if (line.empty() || std::string_view("cseu").find(line.front()) == line.npos) return {};
  static const std::regex definition("^(?:class|struct|enum class|union) (\\w+)[^;]*$");
  std::smatch found;
  return std::regex_search(line, found, definition) ? found[1].str() : std::string();
}

}  // namespace

std::vector<Finding> check_definitions(const std::vector<File>& files) {
  std::vector<Finding> findings;
  std::map<std::string, std::string> first_seen;  // A type, and the header that defines it.
  for (const File& file : files) {
    if (!file.path.ends_with(".h")) continue;
    const std::string code = code_of(file.text);
    std::string space;
    std::size_t number = 0;
    for (const auto view : lines_of(code)) {
      const std::string line(view);
      ++number;
      if (const auto opened = opened_by(line); !opened.empty()) space = opened;
      const auto name = defined_by(line);
      if (name.empty()) continue;
      const auto [at, is_new] = first_seen.try_emplace(space + "::" + name, file.path);
      if (is_new || at->second == file.path) continue;
      findings.push_back({file.path, number, "definitions",
          at->first + " is defined in " + at->second + " too: share it, or give it another name"});
    }
  }
  return findings;
}

}  // namespace dunlin::tidy
