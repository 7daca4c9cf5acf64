// SPDX-License-Identifier: MIT
#include "sched/codec.h"

#include "overlay/packed.h"
#include "sched/message.plain.h"

// As overlay/codec.cc, with larger limits: Tasks carry what users want to run.
namespace dunlin::sched {
namespace {

constexpr plain::Limits kLimits{
    .packed_max = kPackedMax, .unpacked_max = kUnpackedMax, .nesting_max = 10};

}  // namespace

void encode(const Message& message, std::string& out) {
  plain::pack<wire::Message>(message, kLimits, out);
}

std::optional<Message> decode(std::span<const std::byte> bytes) {
  return plain::unpack<wire::Message, Message>(bytes, kLimits);
}

}  // namespace dunlin::sched
