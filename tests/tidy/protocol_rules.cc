// SPDX-License-Identifier: MIT
#include <algorithm>
#include <regex>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// The rules for overlay/ and sched/, the pure state machines, and for the direction of includes.
namespace dunlin::tidy {
namespace {

bool is_source(const File& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cc");
}

bool is_protocol(const File& file) {
  return is_source(file) && (file.path.starts_with("overlay/") || file.path.starts_with("sched/"));
}

/// The files that turn messages into bytes may see Cap'n Proto, and guard against its exceptions.
bool is_codec(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return name.starts_with("codec") || name.starts_with("packed") || name == "plain.h";
}

/// The file that turns a linear program into Clp's terms, and guards against its exceptions.
bool is_solver(std::string_view path) {
  return path == "sched/sharing/solver.cc";
}

/// Consensus is libraft's; its C stops at these files.
constexpr std::string_view kRaftLibrary = "sched/raft/raft_library.h";
bool may_see_raft_library(std::string_view path) {
  return path.starts_with("sched/raft/raft_engine");
}

struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_see;  ///< Folders; the standard library goes without saying.
  bool any_library;
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"overlay/", {"overlay/"}, false},
      {"sched/", {"overlay/", "sched/"}, false},
      // Reading settings and showing words is for drivers and tools, never for protocols.
      {"config/", {"config/", "overlay/ensure.h"}, true},
      {"node/", {"config/", "overlay/", "sched/", "node/"}, true},
      {"sim/", {"config/", "overlay/", "sched/", "sim/"}, true},
      // A client of agents: of node/ it knows what every client does, and no key, job or store.
      {"web/",
          {"overlay/ensure.h", "overlay/result.h", "node/client/", "node/loop/",
              "node/agent_options.h", "node/base64.h", "node/identity/private_file.h",
              "node/read_json.h", "node/utf8.h", "node/wall_clock.h", "web/"},
          true},
      {"tools/", {"config/", "overlay/", "sched/", "node/", "sim/", "web/", "tools/"}, true},
      {"tests/", {"config/", "overlay/", "sched/", "node/", "sim/", "web/", "tools/", "tests/"},
          true},
  };
  return table;
}

/// Empty if `file` of `layer` may include `target` ("<vector>" or "\"overlay/time.h\"").
std::string why_not(const File& file, const Layer& layer, std::string_view target) {
  const auto name = target.substr(1, target.size() - 2);
  if (target.front() == '"') {
    if (name == kRaftLibrary && !may_see_raft_library(file.path)) {
      return "libraft stops at raft_engine*: ask a RaftGroup";
    }
    const bool known = std::ranges::any_of(
        layer.may_see, [&](std::string_view folder) { return name.starts_with(folder); });
    if (known) return {};
    return "include only from " + std::string(layer.folder) + " and the layers below it, by path";
  }
  if (layer.any_library || name == "tl/expected.hpp") return {};
  const bool standard = name.find('/') == std::string_view::npos && !name.ends_with(".h");
  if (standard) return {};
  const bool capnp = name.starts_with("capnp/") || name.starts_with("kj/");
  if (capnp && is_codec(file.path)) return {};
  if (name.starts_with("coin/") && is_solver(file.path)) return {};
  if (name == "raft.h" && file.path == kRaftLibrary) return {};
  return "protocol code knows the standard library and tl::expected alone; Cap'n Proto stops at "
         "codec.cc, Clp at solver.cc";
}

struct Banned {
  std::string_view word;
  std::string_view instead;
};

// Whole tokens of code, or included headers.
constexpr Banned kBanned[] = {
    {"system_clock", "Turn::now: the driver says what time it is"},
    {"steady_clock", "Turn::now: the driver says what time it is"},
    {"high_resolution_clock", "Turn::now: the driver says what time it is"},
    {"clock_gettime", "Turn::now: the driver says what time it is"},
    {"gettimeofday", "Turn::now: the driver says what time it is"},
    {"std::time", "Turn::now: the driver says what time it is"},
    {"std::rand", "Turn::rng, the peer's own stream"},
    {"srand", "Turn::rng, the peer's own stream"},
    {"random_device", "Turn::rng, the peer's own stream"},
    {"mt19937", "Turn::rng, the peer's own stream"},
    {"<random>", "Turn::rng, the peer's own stream"},
    {"<thread>", "a state machine: one call at a time"},
    {"<mutex>", "a state machine: one call at a time"},
    {"<atomic>", "a state machine: one call at a time"},
    {"<condition_variable>", "a state machine: one call at a time"},
    {"<future>", "a state machine: one call at a time"},
    {"<iostream>", "a typed event to Turn::events"},
    {"<fstream>", "a record to Turn::store"},
    {"<filesystem>", "a record to Turn::store"},
    {"std::cout", "a typed event to Turn::events"},
    {"std::cerr", "a typed event to Turn::events"},
    {"printf(", "a typed event to Turn::events"},
    {"fprintf(", "a typed event to Turn::events"},
    {"puts(", "a typed event to Turn::events"},
    {"getenv", "a parameter with a line in its table"},
    {"throw", "Result<T> for what may fail, ensure() for our bugs"},
    {"catch", "Result<T> for what may fail, ensure() for our bugs"},
    {"const_cast", "a member that is not const"},
};

void add(std::vector<Finding>& findings,
    const File& file,
    std::size_t line,
    std::string_view rule,
    std::string advice) {
  findings.push_back({file.path, line, std::string(rule), std::move(advice)});
}

/// Calls `visit(line number, line of code)` for each line of each file that `select` takes.
template <typename Select, typename Visit>
void each_code_line(const std::vector<File>& files, Select&& select, Visit&& visit) {
  for (const File& file : files) {
    if (!select(file)) continue;
    const std::string code = code_of(file.text);
    std::size_t number = 0;
    for (const auto line : lines_of(code)) visit(file, ++number, line);
  }
}

/// False for nearly all lines inside functions and classes: they are indented.
bool may_declare(std::string_view line) {
  if (line.empty()) return false;
  return line.front() != ' ' || has_token(line, "static") || has_token(line, "thread_local") ||
      has_token(line, "inline") || has_token(line, "extern");
}

/// True for a line that declares a variable no object owns. Goes by the house's own layout: what
/// stands at column 0 is at namespace scope.
bool declares_global(const std::string& line) {
  static const std::regex constant(R"(\b(const|constexpr|consteval|constinit)\b)");
  static const std::regex persistent(R"(^\s*(static|thread_local|inline|extern)\s[^(]*[=;{])");
  static const std::regex bare(R"(^[A-Za-z_][\w:<>, *&]*[\s*&]+[A-Za-z_]\w*\s*(=|;|\{))");
  static const std::regex other(
      R"(^\s*(inline\s+)?(using|namespace|struct|class|enum|union|template|typedef|friend|)"
      R"(concept|return|public|private|requires|case|else)\b)");
  static const std::regex linkage(R"(^extern\s+".*"\s*\{)");
  if (std::regex_search(line, other) || std::regex_search(line, constant)) return false;
  if (std::regex_search(line, linkage)) return false;
  return std::regex_search(line, persistent) || std::regex_search(line, bare);
}

}  // namespace

std::vector<Finding> check_layers(const std::vector<File>& files) {
  static const std::regex include(R"(^\s*#\s*include\s*(<[^>]+>|"[^"]+"))");
  std::vector<Finding> findings;
  each_code_line(files, is_source, [&](const File& file, std::size_t number, auto line) {
    if (line.find("include") == line.npos) return;  // A regex is slow, and lines are many.
    std::smatch match;
    const std::string text(line);
    if (!std::regex_search(text, match, include)) return;
    const auto layer = std::ranges::find_if(
        layers(), [&](const Layer& each) { return file.path.starts_with(each.folder); });
    if (layer == layers().end()) return;
    std::string why = why_not(file, *layer, match[1].str());
    if (!why.empty()) add(findings, file, number, "layers", match[1].str() + ": " + why);
  });
  return findings;
}

std::vector<Finding> check_banned_words(const std::vector<File>& files) {
  std::vector<Finding> findings;
  each_code_line(files, is_source, [&](const File& file, std::size_t number, auto line) {
    if (has_token(line, "assert(") && !file.path.starts_with("tests/")) {
      add(findings, file, number, "words", "assert( is gone in a release: use ensure(");
    }
    if (!is_protocol(file) || file.path == "overlay/ensure.h") return;
    for (const auto& [word, instead] : kBanned) {
      const bool guards =
          (is_codec(file.path) || is_solver(file.path)) && (word == "catch" || word == "throw");
      if (guards || !has_token(line, word)) continue;
      add(findings, file, number, "words", std::string(word) + ": use " + std::string(instead));
    }
  });
  return findings;
}

std::vector<Finding> check_globals(const std::vector<File>& files) {
  std::vector<Finding> findings;
  each_code_line(files, is_protocol, [&](const File& file, std::size_t number, auto line) {
    if (!may_declare(line) || !declares_global(std::string(line))) return;
    add(findings, file, number, "globals",
        "no state outside objects: make it const, or a member of what owns it");
  });
  return findings;
}

std::vector<Finding> check_hash_order(const std::vector<File>& files) {
  static const std::regex declaration(
      R"(unordered_(?:map|set|multimap|multiset)<.*>\s+(\w+)\s*[;={(])");
  std::vector<std::string> names;
  each_code_line(files, is_protocol, [&](const File&, std::size_t, auto line) {
    if (line.find("unordered_") == line.npos) return;
    std::smatch match;
    const std::string text(line);
    if (std::regex_search(text, match, declaration)) names.push_back(match[1].str());
  });
  std::vector<Finding> findings;
  each_code_line(files, is_protocol, [&](const File& file, std::size_t number, auto line) {
    const std::string text(line);
    for (const std::string& name : names) {
      if (line.find(name) == line.npos) continue;
      const std::regex walk("(:\\s*(\\w+(\\.|->))*" + name + "\\s*\\))|(\\b" + name +
          "\\.c?(begin)\\()|(ranges::\\w+\\(" + name + "\\b)");
      if (!std::regex_search(text, walk)) continue;
      add(findings, file, number, "hash-order",
          name + " is walked in hash order: use std::map or a sorted vector");
    }
  });
  return findings;
}

}  // namespace dunlin::tidy
