// SPDX-License-Identifier: MIT
#pragma once

#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "overlay/packed.h"
#include "tests/support/codec/random_message.h"

// Properties of the codec of every layer.
namespace dunlin::testing {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

template <typename Message>
std::string encoded(const Message& message) {
  std::string bytes;
  encode(message, bytes);
  return bytes;
}

/// The packed bytes of a message that our own encode() would refuse to make.
inline std::string packed(capnp::MessageBuilder& builder) {
  std::string bytes;
  plain::StringOutput output(bytes);
  capnp::writePackedMessage(output, builder);
  return bytes;
}

/// The bytes that pairs of hexadecimal digits say.
inline std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 2 <= hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// A packed message of one segment that is nothing but `words` zero words, of which `sent` come.
inline std::string zeros(std::uint32_t words, std::uint32_t sent) {
  std::string bytes("\xff\0\0\0\0", 5);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(words >> shift);
  bytes += '\0';  // After a full word: how many words follow as they are.
  for (; sent >= 256; sent -= 256) bytes.append("\0\xff", 2);
  if (sent > 0) bytes += {'\0', static_cast<char>(sent - 1)};
  return bytes;
}

/// Every alternative, many times over, comes back as it was.
template <typename Message>
void expect_round_trips(auto&& decode, int rounds, std::size_t budget) {
  for (std::size_t index = 0; index < std::variant_size_v<Message>; ++index) {
    for (int seed = 0; seed < rounds; ++seed) {
      RandomMessage random(static_cast<std::uint64_t>(seed) * 64 + index, budget);
      const Message message = random.draw<Message>(index);
      const std::string bytes = encoded(message);
      const auto back = decode(bytes_of(bytes));
      ASSERT_TRUE(back.has_value()) << "alternative " << index << ", seed " << seed;
      ASSERT_EQ(*back, message) << "alternative " << index << ", seed " << seed;
      // Any alignment will do.
      const std::string moved = "x" + bytes;
      ASSERT_EQ(decode(bytes_of(moved).subspan(1)), back);
    }
  }
}

/// Cut anywhere, or followed by anything, no message is one.
template <typename Message>
void expect_cuts_refused(auto&& decode, std::size_t budget) {
  for (std::size_t index = 0; index < std::variant_size_v<Message>; ++index) {
    const std::string bytes = encoded(RandomMessage(index, budget).draw<Message>(index));
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      ASSERT_FALSE(decode(bytes_of(bytes).first(cut)).has_value())
          << "alternative " << index << ", " << cut << " of " << bytes.size() << " bytes";
    }
    ASSERT_FALSE(decode(bytes_of(bytes + '\0')).has_value()) << "alternative " << index;
  }
}

/// With bytes changed at will, a message is refused or is another one, which round-trips in turn.
template <typename Message>
void expect_damage_survived(auto&& decode, int rounds, std::size_t budget) {
  overlay::Rng rng(7);
  int refused = 0;
  int accepted = 0;
  for (std::size_t index = 0; index < std::variant_size_v<Message>; ++index) {
    const std::string bytes = encoded(RandomMessage(index, budget).draw<Message>(index));
    for (int round = 0; round < rounds; ++round) {
      std::string damaged = bytes;
      for (std::uint32_t i = 0; i <= rng.below(4); ++i) {
        damaged[rng.index(damaged.size())] = static_cast<char>(rng());
      }
      const auto message = decode(bytes_of(damaged));
      ++(message ? accepted : refused);
      if (message) {
        ASSERT_EQ(decode(bytes_of(encoded(*message))), message);
      }
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(accepted, 0);
}

}  // namespace dunlin::testing
