// SPDX-License-Identifier: MIT
#include <string>

#include "node/codec.h"
#include "tests/fuzz/message_fuzz.h"

namespace dunlin::fuzz {
namespace {

void run_node_message(const std::uint8_t* data, std::size_t size) {
  const auto bytes = bytes_of(data, size);
  const auto decode = [](auto from) { return node::decode(from); };
  const auto decode_spec = [](auto from) { return node::decode_task_spec(from); };
  expect_round_trip(decode(bytes), decode);

  const auto spec = decode_spec(bytes);
  expect_round_trip(spec, decode_spec);
  // The worker refuses once more, without a crash, any spec that a user could not have submitted.
  if (spec) (void)node::validate(*spec);
}

std::size_t mutate_node_message(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  if (seed % 32 != 0) return mutate_message<node::Message>(data, size, size_max, seed);
  return mutate(data, size, size_max, seed, [](auto& random, std::string& out) {
    node::TaskSpec spec;
    random.fill(spec, 0);
    encode(spec, out);
  });
}

const Registered kNodeMessage(
    {.name = "node_message", .run = run_node_message, .mutate = mutate_node_message});

}  // namespace
}  // namespace dunlin::fuzz
