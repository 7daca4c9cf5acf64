// SPDX-License-Identifier: MIT
#include "config/text.h"

#include <algorithm>
#include <clocale>
#include <cwchar>
#include <locale.h>
#include <numeric>
#include <vector>

#include "overlay/ensure.h"

namespace dunlin::config {
namespace {

struct Character {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

/// A locale of UTF-8 for the calling thread, whatever the program's own locale is.
class Utf8 {
 public:
  Utf8() : before_(uselocale(kUtf8)) {}
  ~Utf8() { uselocale(before_); }
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;

 private:
  static inline const locale_t kUtf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  locale_t before_;
};

/// The character that begins at byte `at`. A byte that is no UTF-8 counts as one column, as
/// terminals show it. Requires a Utf8.
Character character_at(std::string_view text, std::size_t at) {
  std::mbstate_t state{};
  wchar_t character = 0;
  const std::size_t bytes = std::mbrtowc(&character, text.data() + at, text.size() - at, &state);
  if (bytes == 0 || bytes > text.size() - at) return {};
  const int columns = wcwidth(character);
  return {.bytes = bytes, .columns = columns < 0 ? 1 : static_cast<std::size_t>(columns)};
}

}  // namespace

// The table of distances between the beginnings of `a` and of `b`, row by row; only one row is
// kept, because each cell needs but its neighbours above, left and diagonal.
// Source: Wagner and Fischer 1974.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
        std::string_view("_-./:=,+@%{}").find(c) != std::string_view::npos;
  };
  // Shells expand {a,b} and {1..9}, but leave %{NAME} alone.
  const bool expands = word.find('{') != std::string_view::npos &&
      (word.find(',') != std::string_view::npos || word.find("..") != std::string_view::npos);
  if (!word.empty() && !expands && std::ranges::all_of(word, plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::size_t columns_of(std::string_view text) {
  const Utf8 utf8;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    columns += next.columns;
    at += next.bytes;
  }
  return columns;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  const Utf8 utf8;
  std::size_t end = 0;
  for (std::size_t taken = 0;;) {
    const Character next = character_at(text, end);
    taken += next.columns;
    if (taken >= columns) break;  // One column is the ellipsis's.
    end += next.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  if (columns == 0 || columns_of(text) <= columns) return std::string(text);
  std::string out;
  std::size_t taken = 0;
  std::size_t words = 0;  // On the line.
  while (!text.empty()) {
    // A word comes with the blanks before it, so that those within a line stay.
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (words != 0 && taken + columns_of(word) > columns) {
      out += "\n" + std::string(indent, ' ');
      taken = indent;
      words = 0;
      word.remove_prefix(begin);
    }
    out += word;
    taken += columns_of(word);
    ++words;
  }
  return out;
}

std::string progress_bar(std::uint64_t done, std::uint64_t total, std::size_t width) {
  ensure(done <= total, "more is done than there is to do");
  const auto filled = static_cast<std::size_t>(done * width / std::max<std::uint64_t>(total, 1));
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
}

}  // namespace dunlin::config
