// SPDX-License-Identifier: MIT
#include "sched/codec.h"
#include "tests/fuzz/message_fuzz.h"

namespace dunlin::fuzz {
namespace {

void run_sched_message(const std::uint8_t* data, std::size_t size) {
  const auto decode = [](auto bytes) { return sched::decode(bytes); };
  expect_round_trip(decode(bytes_of(data, size)), decode);
}

std::size_t mutate_sched_message(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  return mutate_message<sched::Message>(data, size, size_max, seed);
}

const Registered kSchedMessage(
    {.name = "sched_message", .run = run_sched_message, .mutate = mutate_sched_message});

}  // namespace
}  // namespace dunlin::fuzz
