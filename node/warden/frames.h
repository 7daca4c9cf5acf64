// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "node/fields.h"
#include "node/warden/protocol.h"

// How messages of the protocol become frames of a stream, and frames messages.
namespace dunlin::node::warden {

/// Appends `message` as a frame.
template <typename Message>
void append_frame(std::string& out, const Message& message) {
  const std::size_t begin = out.size();
  FieldWriter write(out);
  write(std::uint32_t{0}, Message::kKind, message);
  std::string size;
  FieldWriter{size}(static_cast<std::uint32_t>(out.size() - begin - sizeof(std::uint32_t)));
  out.replace(begin, size.size(), size);
}

/// The message in a frame's body; empty if it is malformed.
template <typename Message>
std::optional<Message> parse(std::string_view body) {
  Message message;
  FieldReader read(body);
  read(message);
  if (!read.finished()) return std::nullopt;
  return message;
}

/// Cuts a stream of bytes into frames.
class FrameReader {
 public:
  /// A frame of more bytes than `max` is no frame.
  explicit FrameReader(std::size_t max = kFrameMax) : max_(max) {}

  struct Frame {
    Kind kind;
    std::string_view body;  ///< Valid until the next append().
  };

  void append(std::string_view bytes) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    buffer_ += bytes;
  }
  /// The next whole frame, if there is one. After broken() there is none.
  std::optional<Frame> next() {
    if (!ready()) return std::nullopt;
    const auto frame = std::string_view(buffer_).substr(begin_ + kHeader, size_);
    begin_ += kHeader + size_;
    return Frame{static_cast<Kind>(frame[0]), frame.substr(1)};
  }
  /// True if next() would yield a frame.
  bool ready() {
    const auto rest = std::string_view(buffer_).substr(begin_);
    if (rest.size() < kHeader) return false;
    FieldReader{rest}(size_);
    broken_ = size_ == 0 || size_ > max_;
    return !broken_ && rest.size() - kHeader >= size_;
  }
  /// Frames may be so long from now on.
  void widen(std::size_t max) { max_ = max; }
  /// True if the next bytes cannot be a frame.
  bool broken() const { return broken_; }

 private:
  static constexpr std::size_t kHeader = sizeof(std::uint32_t);

  std::size_t max_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint32_t size_ = 0;  ///< The size of the frame at `begin_`, without its header.
  bool broken_ = false;
};

}  // namespace dunlin::node::warden
