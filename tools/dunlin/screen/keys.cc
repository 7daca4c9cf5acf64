// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/keys.h"

#include <algorithm>
#include <utility>

#include "node/utf8.h"

// Terminals differ in what they send for the same key: the sequences here are those of xterm, of
// the Linux console, and of tmux and screen. One that is not known is swallowed whole, or its last
// bytes would act as keys of their own.
namespace dunlin::cli {
namespace {

constexpr std::pair<std::string_view, Key::Kind> kSequences[] = {{"[A", Key::Kind::up},
    {"[B", Key::Kind::down}, {"OA", Key::Kind::up}, {"OB", Key::Kind::down},
    {"[5~", Key::Kind::page_up}, {"[6~", Key::Kind::page_down}, {"[H", Key::Kind::home},
    {"OH", Key::Kind::home}, {"[1~", Key::Kind::home}, {"[7~", Key::Kind::home},
    {"[F", Key::Kind::end}, {"OF", Key::Kind::end}, {"[4~", Key::Kind::end},
    {"[8~", Key::Kind::end}};
/// A sequence that is longer is none.
constexpr std::size_t kSequenceMax = 16;
/// Bytes that the first byte of a character may announce.
constexpr std::size_t kCharacterMax = 4;

Key::Kind control_key(char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return Key::Kind::enter;
    case '\b':
    // Terminals send one or the other for backspace.
    case 0x7f:
      return Key::Kind::backspace;
    case 0x03:
      return Key::Kind::interrupt;
    case 0x15:
      return Key::Kind::erase_line;
    default:
      return Key::Kind::other;
  }
}

}  // namespace

std::optional<Key> KeyReader::take(std::size_t length, Key key) {
  bytes_.erase(0, length);
  return key;
}

std::optional<Key> KeyReader::next(bool idle) {
  if (bytes_.empty()) return std::nullopt;
  const auto first = static_cast<unsigned char>(bytes_.front());
  if (first == 0x1b) return escape_sequence(idle);
  if (first < 0x20 || first == 0x7f) return take(1, {control_key(bytes_.front())});
  const std::size_t length = node::utf8_length(bytes_);
  if (length > 0) return take(length, {Key::Kind::text, bytes_.substr(0, length)});
  // Bytes of no character, or one of which more must come.
  if (bytes_.size() < kCharacterMax && first >= 0xc0 && !idle) return std::nullopt;
  return take(1, {});
}

std::optional<Key> KeyReader::escape_sequence(bool idle) {
  const std::string_view rest = std::string_view(bytes_).substr(1);
  for (const auto& [sequence, kind] : kSequences) {
    if (rest.starts_with(sequence)) return take(1 + sequence.size(), {kind});
  }
  // An escape may be the key of that name or the beginning of another: only time tells.
  if (rest.empty()) return idle ? take(1, {Key::Kind::escape}) : std::nullopt;
  // Escape and then some key: two keys, typed fast.
  if (rest.front() != '[' && rest.front() != 'O') return take(1, {Key::Kind::escape});
  // "ESC [" parameters, and a final byte from '@' on.
  const auto last = std::ranges::find_if(rest.substr(1), [](char c) { return c >= '@'; });
  if (last != rest.end()) {
    return take(2 + static_cast<std::size_t>(last - rest.begin()), {});
  }
  if (idle || rest.size() > kSequenceMax) return take(bytes_.size(), {});
  return std::nullopt;
}

}  // namespace dunlin::cli
