// SPDX-License-Identifier: MIT
#include <string>

#include "node/codec.h"
#include "tests/fuzz/message_fuzz.h"

using dunlin::node::Message;
using dunlin::node::TaskSpec;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = dunlin::fuzz::bytes_of(data, size);
  const auto decode = [](auto from) { return dunlin::node::decode(from); };
  const auto decode_spec = [](auto from) { return dunlin::node::decode_task_spec(from); };
  dunlin::fuzz::expect_round_trip(decode(bytes), decode);

  const auto spec = decode_spec(bytes);
  dunlin::fuzz::expect_round_trip(spec, decode_spec);
  // What a user could not have submitted is refused once more on the worker: without a crash.
  if (spec) (void)dunlin::node::validate(*spec);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  if (seed % 32 != 0) return dunlin::fuzz::mutate_message<Message>(data, size, size_max, seed);
  return dunlin::fuzz::mutate(data, size, size_max, seed, [](auto& random, std::string& out) {
    TaskSpec spec;
    random.fill(spec, 0);
    encode(spec, out);
  });
}
