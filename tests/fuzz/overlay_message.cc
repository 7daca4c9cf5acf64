// SPDX-License-Identifier: MIT
#include "overlay/codec.h"
#include "tests/fuzz/message_fuzz.h"

namespace dunlin::fuzz {
namespace {

void run_overlay_message(const std::uint8_t* data, std::size_t size) {
  const auto decode = [](auto bytes) { return overlay::decode(bytes); };
  expect_round_trip(decode(bytes_of(data, size)), decode);
}

std::size_t mutate_overlay_message(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  return mutate_message<overlay::Message>(data, size, size_max, seed);
}

const Registered kOverlayMessage(
    {.name = "overlay_message", .run = run_overlay_message, .mutate = mutate_overlay_message});

}  // namespace
}  // namespace dunlin::fuzz
