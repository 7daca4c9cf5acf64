// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <uv.h>

#include "node/net/control_connection.h"

namespace dunlin::node {

/// A client on the Unix socket. A frame is a length (4 bytes, little end first) and so many bytes.
class LocalConnection final : public ControlConnection,
                              public std::enable_shared_from_this<LocalConnection> {
 public:
  /// Bytes that may wait for a client to read them; a slower one is cut off.
  static constexpr std::size_t kQueueMax = 2 * kMessageMax;

  /// Takes the next client of `listener`, in its connection callback. Null if that fails.
  static std::shared_ptr<LocalConnection> accept(uv_stream_t& listener);
  ~LocalConnection() override;

  overlay::PeerId peer() const override { return {}; }
  bool send(std::string_view message) override;
  std::size_t queued() const override { return queued_; }
  /// The descriptor of its socket; -1 once it is closed.
  int socket() const;
  void pause(bool on) override;
  void close() override;
  void on_message(std::function<void(std::string_view)> handler) override;
  void on_close(std::function<void()> handler) override { closed_ = std::move(handler); }
  void on_drained(std::function<void()> handler) override { drained_ = std::move(handler); }

 private:
  struct Pipe;
  struct Write;
  LocalConnection() = default;
  void on_read(std::string_view bytes);
  void on_written(std::size_t size, int status);
  void end();

  Pipe* pipe_ = nullptr;  ///< Freed by the loop. Null once it is closing.
  std::string input_;     ///< Bytes of frames not yet complete.
  std::size_t queued_ = 0;
  bool closing_ = false;  ///< When all is sent.
  std::function<void(std::string_view)> message_;
  std::function<void()> closed_;
  std::function<void()> drained_;
};

/// The length that precedes a frame.
inline constexpr std::size_t kFrameHeader = 4;
void append_frame(std::string& out, std::string_view message);

/// Cuts the next frame off `input`, which starts at one. Fails if its length is beyond
/// ControlConnection::kMessageMax. Empty text of the optional: more bytes are needed.
enum class FrameState { whole, incomplete, oversize };
FrameState next_frame(std::string_view& input, std::string_view& frame);

}  // namespace dunlin::node
