// SPDX-License-Identifier: MIT
#include "node/base64.h"

#include <array>
#include <cstdint>

// As RFC 4648 has it, with padding. Reading is strict: only one text stands for some bytes, so two
// texts that differ never mean the same.
namespace dunlin::node {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 64;

constexpr std::array<std::uint8_t, 256> values() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNone);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    table[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u;
    };
    const std::uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (unsigned digit = 0; digit < 4; ++digit) {
      text += at + digit > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * digit) & 63];
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  static constexpr auto kValues = values();
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    std::size_t padding = 0;
    while (last && padding < 2 && text[at + 3 - padding] == '=') ++padding;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t value =
          i >= 4 - padding ? std::uint8_t{0} : kValues[static_cast<unsigned char>(text[at + i])];
      if (value == kNone) return std::nullopt;
      bits = bits << 6 | value;
    }
    // Bits that stand for no byte: only one text stands for some bytes.
    if ((bits & ((1u << 8 * padding) - 1)) != 0) return std::nullopt;
    for (std::size_t i = 0; i < 3 - padding; ++i) {
      bytes += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
    }
  }
  return bytes;
}

}  // namespace dunlin::node
