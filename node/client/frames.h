// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dunlin::client {

/// The largest message either side may send.
inline constexpr std::size_t kMessageMax = std::size_t{16} << 20;

/// Appends a message after its length, 4 bytes, little end first.
void append_frame(std::string& out, std::string_view message);

/// Cuts what an agent sends into messages.
class FrameReader {
 public:
  /// Takes bytes as they come.
  void feed(std::string_view bytes) { input_ += bytes; }
  /// The next whole message; empty if there is none yet, or the bytes are not of the protocol.
  std::optional<std::string> next();
  /// True if a message is longer than may be: nothing more can be read.
  bool broken() const { return broken_; }

 private:
  std::string input_;
  std::size_t at_ = 0;  ///< What is before it has been read.
  bool broken_ = false;
};

}  // namespace dunlin::client
