// SPDX-License-Identifier: MIT
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// Every file includes what declares the types that it names. A build that compiles many files at
// once does not tell: there a file sees what the ones before it included.
namespace dunlin::tidy {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A word of code, and the one that qualifies it: {"JobProgress", "sched"} of "sched::JobProgress".
struct Word {
  std::string_view text;
  std::string_view space;  ///< "." if it is the name of a member.
};

/// The words of a line of code, in order.
std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  std::string_view space;
  for (std::size_t at = 0; at < line.size();) {
    if (!in_word(line[at])) {
      const bool is_arrow = line.substr(at, 2) == "->";
      space = is_arrow || line[at] == '.' ? "." : std::string_view();
      at += is_arrow ? 2u : 1u;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && in_word(line[end])) ++end;
    words.push_back({line.substr(at, end - at), space});
    const bool qualifies = line.substr(end, 2) == "::";
    space = qualifies ? words.back().text : std::string_view();
    at = qualifies ? end + 2 : end;
  }
  return words;
}

/// True if the word after this one may be the name of a type that is declared there.
bool names_a_type(std::string_view word) {
  static const std::set<std::string_view> introducers = {
      "class", "struct", "union", "using", "enum", "typename", "auto"};
  return introducers.contains(word);
}

/// What one file includes of ours, and the types that it declares, nested ones too.
struct Unit {
  std::vector<std::string> includes;
  std::set<std::string, std::less<>> declares;
};

/// The path between the quotes of an #include, or "".
std::string included_by(std::string_view line) {
  constexpr std::string_view kStart = "#include \"";
  if (!line.starts_with(kStart)) return {};
  line.remove_prefix(kStart.size());
  std::string path(line.substr(0, line.find('"')));
  constexpr std::string_view kBuilders = ".capnp.h";  // Next to the plain structs.
  if (path.ends_with(kBuilders)) path.replace(path.size() - kBuilders.size(), path.npos, ".h");
  // The names of a schema's structs. Where more is needed than names, the compiler says so.
  constexpr std::string_view kNames = "_fwd.h";
  if (path.ends_with(kNames)) path.replace(path.size() - kNames.size(), path.npos, ".h");
  return path;
}

Unit read_unit(std::string_view code) {
  Unit unit;
  for (const auto line : lines_of(code)) {
    if (auto path = included_by(line); !path.empty()) unit.includes.push_back(std::move(path));
    const auto words = words_of(line);
    for (std::size_t at = 0; at + 1 < words.size(); ++at) {
      if (!names_a_type(words[at].text)) continue;
      const std::size_t name = words[at + 1].text == "alignas" ? at + 3 : at + 1;
      if (name < words.size()) unit.declares.emplace(words[name].text);
    }
  }
  return unit;
}

/// Where a type is defined: a header, and the innermost namespace.
struct Type {
  std::string header;
  std::string space;
};

using Types = std::multimap<std::string, Type, std::less<>>;

/// The last word of the namespace that `line` opens, or "".
std::string_view space_opened_by(std::string_view line) {
  if (!line.starts_with("namespace ") && !line.starts_with("inline namespace ")) return {};
  const auto words = words_of(line);
  return words.back().text == "namespace" ? std::string_view() : words.back().text;
}

/// The types that a header defines at namespace scope.
void collect(const File& file, std::string_view code, Types& types) {
  std::string space;
  for (const auto line : lines_of(code)) {
    if (const auto opened = space_opened_by(line); !opened.empty()) space = opened;
    const auto words = words_of(line);
    if (words.size() < 2 || line.front() == ' ') continue;
    const bool is_forward = line.ends_with(';') && line.find('{') == line.npos;
    if (is_forward) continue;
    std::size_t name = 0;
    if (words[0].text == "enum" && words[1].text == "class" && words.size() > 2) name = 2;
    if (words[0].text == "class" || words[0].text == "struct" || words[0].text == "union") name = 1;
    if (name != 0 && words[name].text == "alignas") name += 2;
    if (name != 0) types.emplace(std::string(words[name].text), Type{file.path, space});
  }
}

/// What the header that is generated from a schema includes, declares and defines.
Unit read_schema(const File& file, const std::string& header, Types& types) {
  Unit unit;
  std::string space;
  for (const auto line : lines_of(file.text)) {
    static const std::regex names("^\\$Plain\\.namespace\\(\"(?:\\w+::)*(\\w+)\"");
    static const std::regex type("^ *(?:struct|enum) (\\w+)");
    static const std::regex path("([\\w/]+)\\.(h|capnp)\\b");
    std::match_results<std::string_view::const_iterator> found;
    if (std::regex_search(line.begin(), line.end(), found, names)) space = found[1].str();
    if (std::regex_search(line.begin(), line.end(), found, type)) {
      unit.declares.insert(found[1].str());
      types.emplace(found[1].str(), Type{header, space});
    }
    const bool includes = line.starts_with("$Plain.include") || line.starts_with("using ");
    auto rest = line;
    while (includes && std::regex_search(rest.begin(), rest.end(), found, path)) {
      const std::string stem = found[1].str();
      unit.includes.push_back(stem.substr(stem.starts_with('/') ? 1 : 0) + ".h");
      rest.remove_prefix(static_cast<std::size_t>(found.position(0) + found.length(0)));
    }
  }
  return unit;
}

class Reach {
 public:
  explicit Reach(const std::map<std::string, Unit, std::less<>>& units) : units_(units) {}

  /// All files that `path` includes, itself and what those include among them.
  const std::set<std::string>& of(const std::string& path) {
    const auto [at, is_new] = known_.try_emplace(path);
    if (is_new) walk(path, at->second);
    return at->second;
  }

 private:
  void walk(const std::string& path, std::set<std::string>& seen) {
    if (!seen.insert(path).second) return;
    const auto unit = units_.find(path);
    if (unit == units_.end()) return;
    for (const auto& include : unit->second.includes) walk(include, seen);
  }

  const std::map<std::string, Unit, std::less<>>& units_;
  std::map<std::string, std::set<std::string>> known_;
};

/// How far up the layer of a file is: it includes nothing of a higher one.
int height(std::string_view path) {
  if (path.starts_with("tests/")) return 5;
  if (path.starts_with("tools/")) return 4;
  if (path.starts_with("web/")) return 3;
  if (path.starts_with("node/") || path.starts_with("sim/")) return 2;
  return path.starts_with("sched/") ? 1 : 0;
}

bool may_include(std::string_view path, std::string_view header) {
  if (path.starts_with("sim/") && header.starts_with("node/")) return false;
  return height(header) <= height(path);
}

/// The advice about one word of the file at `path`, or "": no type of ours, or one that it knows.
std::string judge(const std::string& path,
    const Word& word,
    const Types& types,
    const std::set<std::string>& reach,
    const std::map<std::string, Unit, std::less<>>& units) {
  const auto [from, to] = types.equal_range(word.text);
  std::string missing;
  for (auto type = from; type != to; ++type) {
    if (!word.space.empty() && word.space != type->second.space) continue;
    if (!may_include(path, type->second.header)) continue;  // It means another type.
    if (reach.contains(type->second.header)) return {};
    missing = type->second.header;
  }
  if (missing.empty()) return {};
  for (const auto& included : reach) {
    const auto unit = units.find(included);
    if (unit != units.end() && unit->second.declares.contains(word.text)) return {};
  }
  return std::string(word.text) + " is defined in " + missing + ": include that";
}

}  // namespace

std::vector<Finding> check_includes(const std::vector<File>& files) {
  std::map<std::string, Unit, std::less<>> units;
  std::map<std::string, std::string, std::less<>> codes;
  Types types;
  for (const File& file : files) {
    if (file.path.ends_with(".capnp")) {
      const auto header = file.path.substr(0, file.path.rfind('.')) + ".h";
      units[header] = read_schema(file, header, types);
    }
    if (!file.path.ends_with(".h") && !file.path.ends_with(".cc")) continue;
    const auto& code = codes[file.path] = code_of(file.text);
    units[file.path] = read_unit(code);
    if (file.path.ends_with(".h")) collect(file, code, types);
  }
  std::vector<Finding> findings;
  Reach reach(units);
  for (const auto& [path, code] : codes) {
    std::set<std::string_view> told;
    std::size_t number = 0;
    for (const auto line : lines_of(code)) {
      ++number;
      if (line.starts_with("TEST") || line.starts_with('#')) continue;  // They name no types.
      for (const Word& word : words_of(line)) {
        if (told.contains(word.text) || !types.contains(word.text)) continue;
        const auto advice = judge(path, word, types, reach.of(path), units);
        if (advice.empty()) continue;
        told.insert(word.text);
        findings.push_back({path, number, "includes", advice});
      }
    }
  }
  return findings;
}

}  // namespace dunlin::tidy
