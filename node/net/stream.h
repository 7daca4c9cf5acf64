// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "node/loop/wakeup.h"
#include "node/net/control_connection.h"
#include "node/net/sealed_stream.h"
#include "node/net/transport_counters.h"
#include "node/net/transport_params.h"
#include "overlay/address.h"

namespace dunlin::node {

class Stream;

/// Receives the events of a stream.
class StreamOwner {
 public:
  /// The peer is proven: its id is known from now on.
  virtual void on_stream_open(Stream& stream) = 0;
  /// A message for a layer of the peer.
  virtual void on_stream_message(Stream& stream, Channel channel, std::string_view bytes) = 0;
  /// The first control message came. False if remote control is not wanted here.
  virtual bool on_stream_control(const std::shared_ptr<Stream>& stream) = 0;
  /// Once; `reason` if it did not end well. The owner lets go of it.
  virtual void on_stream_closed(Stream& stream, std::optional<DropReason> reason) = 0;

 protected:
  ~StreamOwner() = default;
};

/// One TCP connection with a sealed stream on it, and the control connection it may turn into.
/// Its owner holds it until on_stream_closed(), and must outlive it until then.
class Stream final : public ControlConnection, public std::enable_shared_from_this<Stream> {
 public:
  /// The surroundings of a stream.
  struct Context {
    uv_loop_t& loop;
    const TransportParams& params;
    TransportCounters& counters;
    StreamOwner& owner;
    std::vector<char>& read_buffer;  // One for all: libuv fills and hands it over at once.
  };

  /// Dials `to`, as initiator. `sealed` expects the peer, if its id is known. With `control`, to
  /// send requests to the agent there: control messages go to on_message().
  static std::shared_ptr<Stream> dial(const Context& context,
      const overlay::Endpoint& to,
      std::unique_ptr<SealedStream> sealed,
      bool control = false);
  /// Takes an accepted connection, as responder.
  static std::shared_ptr<Stream> accept(
      const Context& context, Handle<uv_tcp_t> tcp, std::unique_ptr<SealedStream> sealed);

  /// Queues a message, before the stream is open too. False, and nothing sent, if it is ending
  /// or too much waits already.
  bool send(Channel channel, std::string_view bytes);
  /// Another key file counts from now on. A stream that rests on a key which is not in it ends at
  /// once; one that rests on another than the first ends once all is sent, unless it is remote
  /// control.
  void rotate(const Keyring& keyring);
  /// Ends at once, as if the connection had broken.
  void abort(std::optional<DropReason> reason);

  /// True while messages can be queued.
  bool usable() const { return tcp_ && !ending_ && !failing_ && !sealed_->finished(); }
  /// True if the other side dialed.
  bool incoming() const { return incoming_; }
  /// The time since which it could be ended without loss: nothing waits to be sent, and it is no
  /// remote control.
  std::optional<overlay::Time> idle_since() const;
  /// True if control messages run on it.
  bool control() const { return control_; }
  /// The peer it was dialed to, or that called, and the address at which that peer listens.
  const overlay::Endpoint& remote() const { return remote_; }
  const SealedStream& sealed() const { return *sealed_; }

  overlay::PeerId peer() const override { return remote_.id; }
  bool send(std::string_view message) override { return send(Channel::control, message); }
  std::size_t queued() const override;
  void pause(bool on) override;
  void close() override;
  void on_message(std::function<void(std::string_view)> handler) override;
  void on_close(std::function<void()> handler) override;
  void on_drained(std::function<void()> handler) override;

 private:
  struct Write;
  struct Early {
    Channel channel;
    std::string bytes;
  };

  Stream(const Context& context, Handle<uv_tcp_t> tcp, std::unique_ptr<SealedStream> sealed);

  /// The connection stands. The handshake begins, and its time runs.
  void start_reading();
  void on_read(ssize_t size, const uv_buf_t& buffer);
  /// Hands on all that is whole by now. The owner may end the stream in any of these calls.
  void deliver();
  void on_frame(const SealedStream::Frame& frame);
  /// The handshake is over: what was sent before it goes now, in order.
  void on_opened();
  /// Writes what is queued, unless a write is under way.
  void write();
  void on_written(int status);
  /// Of whatever the stream waits for now: to connect, to be greeted, to be used.
  void on_deadline();
  /// Ends with this reason in the loop's next iteration: for where the caller may not see it end.
  void fail_soon(DropReason reason);
  /// Says the end to TCP once all is written, if it was to end.
  void finish_when_drained();

  Context context_;
  Handle<uv_tcp_t> tcp_;
  std::unique_ptr<SealedStream> sealed_;
  std::optional<Wakeup> deadline_;
  overlay::Endpoint remote_;
  bool incoming_ = false;
  bool control_ = false;
  bool ending_ = false;  // We send no more once the queue is empty.
  bool shut_ = false;    // We have said so to TCP.
  std::optional<DropReason> failing_;
  std::vector<Early> early_;  // Sent before the stream was open.
  std::size_t early_bytes_ = 0;
  std::size_t writing_ = 0;  // Bytes handed to libuv.
  std::size_t unsent_ = 0;   // Messages in the queue, or only partly handed to the system.
  overlay::Time begun_at_{};
  overlay::Time active_at_{};
  std::function<void(std::string_view)> handle_message_;
  std::function<void()> handle_close_;
  std::function<void()> handle_drained_;
};

}  // namespace dunlin::node
