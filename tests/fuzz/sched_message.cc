// SPDX-License-Identifier: MIT
#include "sched/codec.h"
#include "tests/fuzz/message_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto decode = [](auto bytes) { return dunlin::sched::decode(bytes); };
  dunlin::fuzz::expect_round_trip(decode(dunlin::fuzz::bytes_of(data, size)), decode);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  return dunlin::fuzz::mutate_message<dunlin::sched::Message>(data, size, size_max, seed);
}
