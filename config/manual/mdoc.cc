// SPDX-License-Identifier: MIT
#include "config/manual/mdoc.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>

#include "config/text.h"

namespace dunlin::config {
namespace {

constexpr std::size_t kMdocColumns = 78;

/// The length of the UTF-8 character that begins with `first`; 1 if none does.
std::size_t utf8_size(unsigned char first) {
  if (first >= 0xf0 && first < 0xf8) return 4;
  if (first >= 0xe0) return first < 0xf0 ? 3 : 1;
  return first >= 0xc0 ? 2 : 1;
}

/// Moves the first character of `text`, which is beyond ASCII, to `out` as "\[u00E9]". Bytes that
/// are no UTF-8 become a question mark.
void take_wide(std::string_view& text, std::string& out) {
  const std::size_t size = utf8_size(static_cast<unsigned char>(text[0]));
  std::uint32_t point = static_cast<unsigned char>(text[0]) & (0xffu >> (size + 1));
  bool sound = size > 1 && size <= text.size();
  for (std::size_t i = 1; sound && i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    sound = (byte & 0xc0u) == 0x80;
    point = (point << 6) | (byte & 0x3fu);
  }
  if (!sound) {
    out += '?';
    text.remove_prefix(1);
    return;
  }
  char escape[16];
  std::snprintf(escape, sizeof escape, "\\[u%04X]", static_cast<unsigned>(point));
  out += escape;
  text.remove_prefix(size);
}

/// Takes a character of prose, or of what is to be typed (`code`): there hyphens and quotes must
/// stay what they are.
void take_character(std::string_view& text, bool code, std::string& out) {
  const char c = text[0];
  if (static_cast<unsigned char>(c) >= 0x80) return take_wide(text, out);
  text.remove_prefix(1);
  if (c == '\\') {
    out += "\\e";
  } else if (code && c == '-') {
    out += "\\-";
  } else if (code && c == '\'') {
    out += "\\(aq";
  } else if (code && c == '`') {
    out += "\\(ga";
  } else if (code && c == '^') {
    out += "\\(ha";
  } else if (code && c == '~') {
    out += "\\(ti";
  } else {
    out += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
  }
}

bool begins_request(std::string_view line) {
  return line.starts_with('.') || line.starts_with('\'');
}

/// Where in a paragraph the writer is.
struct ProseState {
  bool code = false;  ///< Between backticks.
  bool flag = false;  ///< In a word that began with a hyphen.
  bool word = false;  ///< Behind a letter or digit.
};

std::string prose_line(std::string_view line, ProseState& state) {
  std::string out = begins_request(line) ? "\\&" : "";
  state.flag = state.word = false;
  while (!line.empty()) {
    const char c = line[0];
    if (c == '`') {
      state.code = !state.code;
      out += state.code ? "\\fB" : "\\fR";
      line.remove_prefix(1);
      continue;
    }
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (c == '-' && !state.word) state.flag = true;
    // A flag ends with its word, so that an apostrophe behind it is one of prose.
    if (!letter && c != '-') state.flag = false;
    take_character(line, state.code || state.flag, out);
    state.word = letter || (state.word && c == '-');
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Takes the first sentence from `text`, and the blanks behind it: a line ends with a sentence,
/// because then printers know that it does.
std::string_view take_sentence(std::string_view& text) {
  std::size_t end = 0;
  do {
    end = text.find_first_of(".?!", end);
    if (end == text.npos || ++end >= text.size()) end = text.size();
  } while (end < text.size() && text[end] != ' ');
  const std::string_view sentence = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  return sentence;
}

/// A sentence, in lines that are all ended.
std::string prose_lines(std::string_view sentence, ProseState& state) {
  std::string out;
  const std::string lines = wrapped(sentence, kMdocColumns, 0);
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(' ') != line.npos) out += prose_line(line, state) + "\n";
  }
  return out;
}

/// Names of macros have two or three letters, and those that may stand among arguments are called.
bool looks_like_macro(std::string_view word) {
  const auto is = [&](std::size_t at, auto test) {
    return test(static_cast<unsigned char>(word[at])) != 0;
  };
  if (word.size() < 2 || word.size() > 3) return false;
  return is(0, [](int c) { return std::isupper(c); }) &&
      is(1, [](int c) { return std::islower(c); });
}

std::string with_quotes_escaped(std::string_view escaped) {
  std::string out;
  for (const char c : escaped) {
    if (c == '"') {
      out += "\\(dq";
    } else if (c == ' ') {
      out += "\\ ";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string mdoc_text(std::string_view text) {
  std::string out;
  ProseState state;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    std::string paragraph(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 2);
    for (char& c : paragraph) c = c == '\n' ? ' ' : c;
    std::string lines;
    for (std::string_view rest = paragraph; !rest.empty();) {
      lines += prose_lines(take_sentence(rest), state);
    }
    if (!lines.empty() && !out.empty()) out += ".Pp\n";
    out += lines;
  }
  return out;
}

std::string mdoc_code(std::string_view line) {
  std::string out = begins_request(line) ? "\\&" : "";
  while (!line.empty()) take_character(line, true, out);
  return out;
}

std::string mdoc_word(std::string_view word) {
  constexpr std::string_view kPunctuation = ".,:;()[]?!|";
  const bool guarded =
      looks_like_macro(word) || (!word.empty() && kPunctuation.find(word[0]) != word.npos);
  std::string escaped;
  while (!word.empty()) take_character(word, true, escaped);
  return (guarded ? "\\&" : "") + with_quotes_escaped(escaped);
}

std::string mdoc_name(std::string_view name) {
  std::string out;
  while (!name.empty()) take_character(name, false, out);
  return out;
}

}  // namespace dunlin::config
