// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dunlin::cli {

/// A key, as a terminal sends it.
struct Key {
  enum class Kind {
    text,  ///< A character, whole, in UTF-8.
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    backspace,
    erase_line,  ///< Ctrl-U.
    escape,
    interrupt,  ///< Ctrl-C.
    other,      ///< One that has no meaning here.
  };
  Kind kind = Kind::other;
  /// Of `text`: the character. Empty for all other kinds.
  std::string text = {};
  friend bool operator==(const Key&, const Key&) = default;
};

/// Turns what a terminal sends into keys. Arrows and the like come as several bytes, which may come
/// one by one.
class KeyReader {
 public:
  /// Bytes of the terminal, in any pieces: a key may be several.
  void feed(std::string_view bytes) { bytes_ += bytes; }
  /// The next key; empty if more bytes must come first. With `idle`, no more have come for a while:
  /// then an escape that begins what may be longer is the key itself.
  std::optional<Key> next(bool idle = false);
  /// True if it holds the beginning of a key.
  bool waits() const { return !bytes_.empty(); }

 private:
  /// The key, whose `length` bytes are used up by that.
  std::optional<Key> take(std::size_t length, Key key);
  /// What begins with an escape: a key of several bytes, or the key Escape.
  std::optional<Key> escape_sequence(bool idle);

  std::string bytes_;
};

}  // namespace dunlin::cli
