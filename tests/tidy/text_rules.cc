// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// The rules for every file of the repository, whatever its language.
namespace dunlin::tidy {
namespace {

constexpr std::size_t kColumnsMax = 100;

/// Where sources may stand, as prefixes.
constexpr std::string_view kFolders[] = {"config/", "overlay/", "sched/", "node/", "sim/", "web/",
    "tools/", "tests/", "cmake/", "examples/"};

bool has_ending(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return path.ends_with(ending); });
}

bool is_cpp(const File& file) {
  return has_ending(file.path, {".h", ".cc"});
}
bool is_code(const File& file) {
  return has_ending(file.path, {".h", ".cc", ".capnp", ".cmake", "CMakeLists.txt"});
}

void add(std::vector<Finding>& findings,
    const File& file,
    std::size_t line,
    std::string_view rule,
    std::string advice) {
  findings.push_back({file.path, line, std::string(rule), std::move(advice)});
}

void check_line(
    const File& file, std::size_t number, std::string_view line, std::vector<Finding>& findings) {
  if (columns(line) > kColumnsMax) {
    add(findings, file, number, "text", "over 100 columns: break the line");
  }
  if (line.find('\t') != std::string_view::npos) {
    add(findings, file, number, "text", "a tab: use spaces");
  }
  if (line.ends_with(' ')) add(findings, file, number, "text", "blanks at the end of the line");
}

/// True if the line compares something with a bit at a place that a variable says: what ships is
/// compiled by g++ 12, which does that wrongly (docs/design/building.md).
bool compares_a_bit(std::string_view line) {
  for (const std::string_view sign : {"== ((", "!= (("}) {
    const std::size_t at = line.find(sign);
    if (at == line.npos) continue;
    const std::string_view bit = line.substr(at);
    if (bit.find(" >> ") != bit.npos && bit.find(" & 1) ") != bit.npos) return true;
  }
  return false;
}

bool is_snake_case(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 ||
        std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
}

// Put together from halves, so that this file does not break its own rule.
const std::string& machine_paths() {
  static const std::string pattern =
      std::string("(^|[^\\w./-])/(wo") + "rk|ro" + "ot|ho" + "me)/\\w";
  return pattern;
}

/// False for nearly all lines: a regex is slow, and lines are many.
bool may_be_machine_path(std::string_view line) {
  return line.find("/wo") != line.npos || line.find("/ro") != line.npos ||
      line.find("/ho") != line.npos;
}

/// True if something is left to do, says the line.
bool has_marker(std::string_view line) {
  for (const std::string_view marker : {"TO"
                                        "DO",
           "FIX"
           "ME",
           "XX"
           "X",
           "HA"
           "CK"}) {
    if (has_token(line, marker)) return true;
  }
  return false;
}

}  // namespace

std::vector<Finding> check_text(const std::vector<File>& files) {
  std::vector<Finding> findings;
  for (const File& file : files) {
    if (!is_code(file)) continue;
    const auto lines = lines_of(file.text);
    if (is_cpp(file) && (lines.empty() || lines[0] != "// SPDX-License-Identifier: MIT")) {
      add(findings, file, 1, "text", "begin with // SPDX-License-Identifier: MIT");
    }
    const bool once = std::ranges::find(lines, "#pragma once") != lines.end();
    if (file.path.ends_with(".h") && !once) {
      add(findings, file, 1, "text", "a header needs #pragma once");
    }
    if (!file.text.ends_with('\n')) {
      add(findings, file, lines.size(), "text", "end the file with a newline");
    }
    std::size_t number = 0;
    for (const auto line : lines) {
      check_line(file, ++number, line, findings);
      if (is_cpp(file) && !file.path.starts_with("tests/") && compares_a_bit(line)) {
        add(findings, file, number, "text", "g++ 12 compares bits wrongly: look at a ^ b");
      }
    }
  }
  return findings;
}

std::vector<Finding> check_folders(const std::vector<File>& files) {
  std::vector<Finding> findings;
  for (const File& file : files) {
    // Programs of others include those, and expect a header of C++ to say so.
    const bool is_public = file.path.starts_with("node/client/include/");
    if (!is_public && has_ending(file.path, {".cpp", ".cxx", ".hpp", ".hh", ".hxx"})) {
      add(findings, file, 0, "folders", "sources end in .h and .cc");
    }
    if (!is_cpp(file)) continue;
    if (std::ranges::none_of(kFolders, [&](auto each) { return file.path.starts_with(each); })) {
      add(findings, file, 0, "folders", "no layer has this folder (see CONTRIBUTING.md)");
    }
    if (!is_snake_case(std::string_view(file.path).substr(file.path.rfind('/') + 1))) {
      add(findings, file, 0, "folders", "file names are snake_case");
    }
  }
  return findings;
}

std::vector<Finding> check_prose(const std::vector<File>& files) {
  static const std::regex machine(machine_paths());
  static const std::regex reasoned(
      "\\bTO"
      "DO(\\([^)]+\\))?: \\S+ \\S+ \\S+");
  std::vector<Finding> findings;
  for (const File& file : files) {
    std::size_t number = 0;
    for (const auto view : lines_of(file.text)) {
      const std::string line(view);
      ++number;
      if (may_be_machine_path(line) && std::regex_search(line, machine)) {
        add(findings, file, number, "prose", "a path of one machine: make it relative");
      }
      if (has_marker(line) && !std::regex_search(line, reasoned)) {
        add(findings, file, number, "prose",
            "do it now, or write `TO"
            "DO: ` and the reason");
      }
    }
  }
  return findings;
}

std::vector<Finding> check_all(const std::vector<File>& files) {
  std::vector<Finding> all;
  for (const auto check : {check_layers, check_banned_words, check_globals, check_hash_order,
           check_text, check_folders, check_prose, check_definitions, check_includes, check_rooms,
           check_shape, check_names, check_links}) {
    std::ranges::move(check(files), std::back_inserter(all));
  }
  return all;
}

std::string to_string(const Finding& finding) {
  const std::string line = finding.line == 0 ? "" : ":" + std::to_string(finding.line);
  return finding.path + line + ": [" + finding.rule + "] " + finding.advice;
}

}  // namespace dunlin::tidy
