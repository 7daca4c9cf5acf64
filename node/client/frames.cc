// SPDX-License-Identifier: MIT
#include "node/client/frames.h"

namespace dunlin::client {
namespace {

constexpr std::size_t kHeader = 4;

}  // namespace

void append_frame(std::string& out, std::string_view message) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>(message.size() >> shift & 0xff);
  }
  out += message;
}

std::optional<std::string> FrameReader::next() {
  const std::string_view rest = std::string_view(input_).substr(at_);
  if (broken_ || rest.size() < kHeader) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kHeader; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
  }
  broken_ = size > kMessageMax;
  if (broken_ || rest.size() < kHeader + size) {
    // What was read is dropped only when more has to come: else each message would move the others.
    input_.erase(0, at_);
    at_ = 0;
    return std::nullopt;
  }
  at_ += kHeader + size;
  // A copy: the bytes behind it move when more is read.
  return std::string(rest.substr(kHeader, size));
}

}  // namespace dunlin::client
