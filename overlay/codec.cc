// SPDX-License-Identifier: MIT
#include "overlay/codec.h"

#include "overlay/message.plain.h"
#include "overlay/packed.h"

// A message is one Cap'n Proto struct in the packed encoding, generated from message.capnp. The
// limits come first, before anything is read: a stranger may send any bytes.
namespace dunlin::overlay {
namespace {

/// The bounds of a datagram: larger ones never come from a correct peer.
constexpr plain::Limits kLimits{.packed_max = kPackedMax, .unpacked_max = kUnpackedMax};

}  // namespace

void encode(const Message& message, std::string& out) {
  plain::pack<wire::Message>(message, kLimits, out);
}

std::optional<Message> decode(std::span<const std::byte> bytes) {
  return plain::unpack<wire::Message, Message>(bytes, kLimits);
}

}  // namespace dunlin::overlay
