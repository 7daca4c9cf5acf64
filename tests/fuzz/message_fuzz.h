// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "tests/fuzz/fuzz.h"
#include "tests/support/codec/random_message.h"

namespace dunlin::fuzz {

/// Bytes that decode must encode, and decode to the same message.
template <typename Message>
void expect_round_trip(const std::optional<Message>& message, auto&& decode) {
  if (!message) return;
  std::string again;
  encode(*message, again);
  ensure(decode(std::as_bytes(std::span(again))) == message, "decodes to something else");
}

/// Now and then starts over from a well-formed message, which chance alone would hardly find.
std::size_t mutate(std::uint8_t* data,
    std::size_t size,
    std::size_t size_max,
    unsigned seed,
    auto&& encode_by_chance) {
  std::string fresh;
  if (seed % 16 == 0) {
    testing::RandomMessage random(seed, size_max / 8);
    encode_by_chance(random, fresh);
  }
  if (fresh.empty() || fresh.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::ranges::copy(fresh, data);
  return fresh.size();
}

/// The same for a message that is a std::variant.
template <typename Message>
std::size_t mutate_message(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  return mutate(
      data, size, size_max, seed, [seed](testing::RandomMessage& random, std::string& out) {
        encode(random.draw<Message>(seed / 16 % std::variant_size_v<Message>), out);
      });
}

}  // namespace dunlin::fuzz
