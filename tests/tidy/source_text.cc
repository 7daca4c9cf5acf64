// SPDX-License-Identifier: MIT
#include "tests/tidy/source_text.h"

#include <algorithm>
#include <cctype>

namespace dunlin::tidy {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Walks C++ text and copies code, blanking what is not.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(code_);
  }

 private:
  bool ahead(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void keep(std::size_t count) {
    code_ += text_.substr(at_, count);
    at_ += std::min(count, text_.size() - at_);
  }
  /// Blanks up to `end` (not included), keeping the line structure.
  void blank_to(std::size_t end) {
    for (end = std::min(end, text_.size()); at_ < end; ++at_) {
      code_ += text_[at_] == '\n' ? '\n' : ' ';
    }
  }
  void blank_past(std::string_view end) {
    const auto found = text_.find(end, at_);
    blank_to(found == std::string_view::npos ? text_.size() : found + end.size());
  }
  void literal(char quote) {
    keep(1);
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2u : 1u;
    }
    blank_to(end);
    if (at_ < text_.size() && text_[at_] == quote) keep(1);
  }
  void raw_string() {
    const auto open = text_.find('(', at_);
    if (open == std::string_view::npos) return keep(2);
    blank_past(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"");
  }

  void step() {
    const bool after_word = at_ > 0 && is_word(text_[at_ - 1]);
    if (ahead("#include")) {
      keep(std::min(text_.find('\n', at_), text_.size()) - at_);
    } else if (ahead("//")) {
      blank_to(std::min(text_.find('\n', at_), text_.size()));
    } else if (ahead("/*")) {
      blank_past("*/");
    } else if (ahead("R\"") && !after_word) {
      raw_string();
    } else if (ahead("\"")) {
      literal('"');
    } else if (ahead("'") && !after_word) {  // After a digit it separates thousands.
      literal('\'');
    } else {
      keep(1);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string code_;
};

}  // namespace

std::string code_of(std::string_view text) {
  return Blanker(text).run();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool has_token(std::string_view line, std::string_view word) {
  for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool starts = !is_word(word.front()) || at == 0 || !is_word(line[at - 1]);
    const bool ends = !is_word(word.back()) || end == line.size() || !is_word(line[end]);
    if (starts && ends) return true;
  }
  return false;
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace dunlin::tidy
