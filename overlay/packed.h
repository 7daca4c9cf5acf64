// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <cstddef>
#include <cstdint>
#include <kj/exception.h>
#include <kj/io.h>
#include <optional>
#include <span>
#include <string>

#include "overlay/ensure.h"

// The way from a plain struct to bytes and back: one Cap'n Proto message in its packed encoding,
// which `capnp decode --packed` reads too. Only the codec.cc of each layer uses it.
namespace dunlin::plain {

/// The bounds of a layer's messages. Larger ones from strangers are refused.
struct Limits {
  std::size_t packed_max;    ///< Bytes, as sent.
  std::size_t unpacked_max;  ///< Bytes, with the frame (8 bytes, if there is one segment).
  int nesting_max = 8;       ///< Structs and lists within each other.
};

/// Scratch on the stack, so that the usual message costs no allocation.
inline constexpr std::size_t kScratchWords = 1024;

/// Appends to a string.
class StringOutput final : public kj::OutputStream {
 public:
  explicit StringOutput(std::string& out) : out_(out) {}
  void write(const void* bytes, std::size_t size) override {
    out_.append(static_cast<const char*>(bytes), size);
  }

 private:
  std::string& out_;
};

/// Appends the packed encoding of `message`. A message beyond the limits is our bug.
template <typename Wire, typename Plain>
void pack(const Plain& message, const Limits& limits, std::string& out) {
  capnp::word scratch[kScratchWords] = {};
  capnp::MallocMessageBuilder builder(kj::arrayPtr(scratch, kScratchWords));
  encode(message, builder.template initRoot<Wire>());

  const std::size_t before = out.size();
  StringOutput output(out);
  capnp::writePackedMessage(output, builder);
  ensure(
      capnp::computeSerializedSizeInWords(builder) * sizeof(capnp::word) <= limits.unpacked_max &&
          out.size() - before <= limits.packed_max,
      "a message larger than its layer allows");
}

/// Reads what pack() wrote. Empty if it is malformed, incomplete, followed by something, of a newer
/// schema, or beyond a limit. Never throws.
template <typename Wire, typename Plain>
std::optional<Plain> unpack(std::span<const std::byte> bytes, const Limits& limits) {
  // The sizes are checked before any memory is taken.
  if (bytes.size() > limits.packed_max) return std::nullopt;
  std::optional<Plain> message;
  const auto malformed = kj::runCatchingExceptions([&] {
    const kj::ArrayPtr<const kj::byte> packed(
        reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size());
    const std::size_t words = capnp::computeUnpackedSizeInWords(packed);
    if (words > limits.unpacked_max / sizeof(capnp::word)) return;

    // No word may be read twice: a few bytes, pointed to from everywhere, could become many.
    const capnp::ReaderOptions options{
        .traversalLimitInWords = words, .nestingLimit = limits.nesting_max};
    kj::ArrayInputStream input(packed);
    capnp::word scratch[kScratchWords];
    capnp::PackedMessageReader reader(input, options, kj::arrayPtr(scratch, kScratchWords));
    if (!decode(reader.template getRoot<Wire>(), message.emplace())) message.reset();
    // Segments are unpacked as they are needed, so only now can bytes be left over.
    if (input.tryGetReadBuffer().size() != 0) message.reset();
  });
  if (malformed != nullptr) message.reset();
  return message;
}

}  // namespace dunlin::plain
