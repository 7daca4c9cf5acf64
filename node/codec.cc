// SPDX-License-Identifier: MIT
#include "node/codec.h"

#include "node/message.plain.h"
#include "overlay/packed.h"

namespace dunlin::node {
namespace {

constexpr plain::Limits kLimits{.packed_max = kPackedMax, .unpacked_max = kUnpackedMax};

}  // namespace

void encode(const Message& message, std::string& out) {
  plain::pack<wire::Message>(message, kLimits, out);
}

std::optional<Message> decode(std::span<const std::byte> bytes) {
  return plain::unpack<wire::Message, Message>(bytes, kLimits);
}

void encode(const TaskSpec& spec, std::string& out) {
  plain::pack<wire::TaskSpec>(spec, kLimits, out);
}

std::optional<TaskSpec> decode_task_spec(std::span<const std::byte> bytes) {
  return plain::unpack<wire::TaskSpec, TaskSpec>(bytes, kLimits);
}

}  // namespace dunlin::node
