// SPDX-License-Identifier: MIT
#include "tests/tidy/scopes.h"

#include <algorithm>
#include <cctype>

#include "tests/tidy/source_text.h"

// A statement is what was read since the last ';' or '}'. A brace that opens is judged by the
// statement before it: that suffices to tell a namespace, a type, a function and an initialiser
// apart, because all code here has passed a compiler and the formatter.
namespace dunlin::tidy {
namespace {

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Without what stands in angle brackets. An operator's own brackets stay, having no partner.
std::string without_angles(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const auto open = c == '>' ? kept.rfind('<') : std::string::npos;
    if (open == std::string::npos) {
      kept += c;
    } else {
      kept.resize(open);
    }
  }
  return kept;
}

/// Removes alignas(...), because its parentheses are not those of a function.
std::string without_alignment(std::string text) {
  const auto begin = text.find("alignas(");
  if (begin != std::string::npos) text.erase(begin, text.find(')', begin) + 1 - begin);
  return text;
}

/// Without `public:` and the like, which stand before the statement.
std::string_view without_access(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view access : {"public:", "protected:", "private:"}) {
    if (text.starts_with(access)) return without_access(text.substr(access.size()));
  }
  return text;
}

/// True if `words` end in a member's name inside the list of a constructor: `A(int b) : c_`.
bool initialises_member(std::string_view words) {
  const auto parameters = words.find(')');
  if (parameters == std::string_view::npos || !is_word(words.back())) return false;
  for (auto at = words.find(':', parameters); at != std::string_view::npos;
      at = words.find(':', at + 1)) {
    const bool doubled = words[at - 1] == ':' || (at + 1 < words.size() && words[at + 1] == ':');
    if (!doubled) return true;
  }
  return false;
}

bool begins_type(std::string_view words) {
  for (const std::string_view keyword : {"class", "struct", "union"}) {
    for (auto at = words.find(keyword); at != std::string_view::npos;
        at = words.find(keyword, at + 1)) {
      if (!has_token(words.substr(at), keyword) || (at > 0 && is_word(words[at - 1]))) continue;
      if (words.find_first_of("()=", at) == std::string_view::npos) return true;
    }
  }
  return false;
}

/// The kind of a scope, from the beginning `head` of the statement with its opening brace.
Scope::Kind kind_of(std::string_view head, Scope::Kind inside) {
  if (inside == Scope::Kind::function || inside == Scope::Kind::other) return Scope::Kind::other;
  const std::string whole = without_alignment(without_angles(head));
  const auto words = trimmed(whole);
  if (has_token(words, "namespace") || words.starts_with("extern \"")) return Scope::Kind::names;
  if (has_token(words, "enum")) return Scope::Kind::other;
  if (begins_type(words)) return Scope::Kind::type;
  const bool is_function = words.find('(') != std::string_view::npos && !words.ends_with('=') &&
      !initialises_member(words);
  return is_function ? Scope::Kind::function : Scope::Kind::other;
}

/// True if a statement inside a type declares or defines a function.
bool is_method(std::string_view statement) {
  const std::string whole = without_angles(without_access(statement));
  const auto words = trimmed(whole);
  const auto first = words.substr(0, words.find_first_of(" \n"));
  for (const std::string_view other :
      {"using", "friend", "typedef", "enum", "struct", "class", "union"}) {
    if (first == other) return false;
  }
  const auto paren = words.find('(');
  if (paren == std::string_view::npos || words.starts_with("static_assert")) return false;
  if (words.ends_with("delete")) return false;
  const auto before = words.substr(0, paren);
  return has_token(before, "operator") || before.find('=') == std::string_view::npos;
}

/// The name that stands at the end of `words`, with what qualifies it.
std::string last_name(std::string_view words) {
  words = trimmed(words);
  auto begin = words.size();
  while (begin > 0 && (is_word(words[begin - 1]) || words[begin - 1] == ':')) --begin;
  if (begin > 0 && words[begin - 1] == '~') --begin;
  return std::string(words.substr(begin));
}

std::string name_of(std::string_view head, Scope::Kind kind) {
  const std::string words = without_angles(head);
  if (kind == Scope::Kind::function) return last_name(words.substr(0, words.find('(')));
  if (kind != Scope::Kind::type) return {};
  std::string_view rest = words;  // "struct A final : B": the last word before what it inherits.
  for (auto at = rest.find(':'); at != std::string_view::npos; at = rest.find(':', at + 2)) {
    if (at + 1 < rest.size() && rest[at + 1] == ':') continue;
    rest = rest.substr(0, at);
    break;
  }
  rest = trimmed(rest);
  if (rest.ends_with(" final")) rest.remove_suffix(6);
  return last_name(rest);
}

class Scanner {
 public:
  std::vector<Scope> run(std::string_view code) {
    bool directive = false;  // A line of the preprocessor is no statement.
    char before = '\n';
    for (const char c : code) {
      if (c == '#' && trimmed(line_so_far_).empty()) directive = true;
      if (c == '\n') {
        ++line_;
        directive = directive && before == '\\';
        line_so_far_.clear();
      } else {
        line_so_far_ += c;
      }
      before = c;
      if (!directive) take(c);
    }
    return std::move(closed_);
  }

 private:
  struct Open {
    Scope scope;
    std::string head;  ///< The statement before the brace.
    std::size_t parens = 0;
  };

  void take(char c) {
    if (c == '{') return open();
    if (c == '}') return close();
    if (c == ';' && parens_ == 0) {
      count(statement_);
      statement_.clear();
      return;
    }
    if (c == '(') ++parens_;
    if (c == ')' && parens_ > 0) --parens_;
    statement_ += c;
  }
  void open() {
    const auto inside = open_.empty() ? Scope::Kind::names : open_.back().scope.kind;
    const auto head = trimmed(statement_);
    const auto kind = parens_ > 0 ? Scope::Kind::other : kind_of(head, inside);
    const auto lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
    open_.push_back({.scope = {.kind = kind, .name = name_of(head, kind), .first = line_ - lines},
        .head = std::string(head),
        .parens = parens_});
    statement_.clear();
    parens_ = 0;
  }
  void close() {
    if (open_.empty()) return;
    Open ended = std::move(open_.back());
    open_.pop_back();
    ended.scope.last = line_;
    // An initialiser is a part of its statement; after any other block a new one begins.
    statement_ = ended.scope.kind == Scope::Kind::other ? ended.head + "{}" : "";
    parens_ = ended.parens;
    if (ended.scope.kind == Scope::Kind::function) count(ended.head);
    closed_.push_back(std::move(ended.scope));
  }
  void count(std::string_view statement) {
    if (open_.empty() || open_.back().scope.kind != Scope::Kind::type) return;
    if (is_method(statement)) ++open_.back().scope.methods;
  }

  std::size_t line_ = 1;
  std::string line_so_far_;
  std::string statement_;
  std::size_t parens_ = 0;
  std::vector<Open> open_;
  std::vector<Scope> closed_;
};

}  // namespace

std::vector<Scope> scopes_of(std::string_view code) {
  return Scanner().run(code);
}

}  // namespace dunlin::tidy
