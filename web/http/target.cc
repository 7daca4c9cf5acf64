// SPDX-License-Identifier: MIT
#include "web/http/target.h"

#include <algorithm>
#include <cstddef>

#include "node/utf8.h"

// A path is taken apart before '%' is read, as RFC 3986 (section 2.4) says: read first, an escaped
// slash would make two steps of the name of a job. No file is ever opened by a path, so "." and
// ".." are refused for another reason: a proxy in front may have folded them, and would have let
// through, or kept out, another path than the one that is answered here.
namespace dunlin::web {
namespace {

/// Steps and parameters of one target, at most.
constexpr std::size_t kPartsMax = 64;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Empty if it holds what nobody types: such a text would only ever be an attack on whatever shows
/// it later.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_blank) {
      plain += ' ';
    } else if (text[at] != '%') {
      plain += text[at];
    } else {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = digit_of(text[at + 1]);
      const int low = digit_of(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      plain += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  const bool control = std::ranges::any_of(plain, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  if (control || !node::is_utf8(plain)) return std::nullopt;
  return plain;
}

bool read_query(std::string_view text, Target& target) {
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // "a=1&&b=2" and an '&' at the end: scripts that put queries together make such ones.
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decoded(pair.substr(0, equals), true);
    auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value || target.parameter(*name)) return false;
    if (target.query.size() >= kPartsMax) return false;
    target.query.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

}  // namespace

std::optional<std::string_view> Target::parameter(std::string_view name) const {
  for (const auto& [known, value] : query) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  Target target;
  // Browsers keep that part to themselves; some scripts do not.
  text = text.substr(0, text.find('#'));
  const auto mark = text.find('?');
  std::string_view path = text.substr(1, mark == text.npos ? text.npos : mark - 1);
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    auto step = decoded(path.substr(0, end), false);
    if (!step || step->empty() || *step == "." || *step == "..") return std::nullopt;
    if (target.steps.size() >= kPartsMax) return std::nullopt;
    target.steps.push_back(std::move(*step));
    // One slash at the end is taken along: "/v1/jobs/" is "/v1/jobs".
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (mark != text.npos && !read_query(text.substr(mark + 1), target)) return std::nullopt;
  return target;
}

}  // namespace dunlin::web
