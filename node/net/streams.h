// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <uv.h>
#include <vector>

#include "node/net/layer.h"
#include "node/net/sealing.h"
#include "node/net/stream.h"

namespace dunlin::node {

/// The sealed streams of an agent: those that others opened, and one to each peer it has something
/// large to say to. All are bounded in number, time and bytes.
class Streams final : private StreamOwner {
 public:
  using Receive =
      std::function<void(const overlay::Endpoint& from, Layer, std::span<const std::byte>)>;
  using Accept = std::function<void(std::shared_ptr<ControlConnection>)>;

  /// Listens. Fails, naming the address, if that is not possible. Borrows all but `receive`.
  static Result<std::unique_ptr<Streams>> open(uv_loop_t& loop,
      const overlay::Address& bind,
      const TransportParams& params,
      Sealer& sealer,
      TransportCounters& counters,
      Receive receive);
  ~Streams();

  /// The port bound, chosen by the system if 0 was asked for.
  std::uint16_t port() const { return port_; }
  /// The port that peers are told to answer to. Set before the loop runs.
  void advertise(std::uint16_t port) { advertised_port_ = port; }

  /// Sends by the stream to that peer, dialing if there is none. False if it is lost.
  bool send(const overlay::Endpoint& to, Layer layer, std::string_view bytes);
  void on_control(Accept accept) { accept_ = std::move(accept); }
  /// The sealer has another key file. Streams that rest on a key which is not in it end.
  void rotate();
  /// Dials the agent there to send it requests, as a client does. Null if too many streams are
  /// open.
  std::shared_ptr<ControlConnection> call(const overlay::Endpoint& to);
  void close();

 private:
  Streams(uv_loop_t& loop,
      const TransportParams& params,
      Sealer& sealer,
      TransportCounters& counters,
      Receive receive);

  void on_connection();
  /// The stranger that gives way to a new one from `newcomer`; null if there is room for both.
  std::shared_ptr<Stream> displaced(const overlay::Address& newcomer) const;
  /// Ends the stream that was idle for longest, if all that there may be are in use without
  /// `newcomer`. False if none is idle.
  bool make_room(const Stream* newcomer);
  Stream* find(const overlay::Endpoint& to) const;
  std::unique_ptr<SealedStream> seal(SealedStream::Role role, overlay::PeerId expected) const;

  void on_stream_open(Stream& stream) override;
  void on_stream_message(Stream& stream, Channel channel, std::string_view bytes) override;
  bool on_stream_control(const std::shared_ptr<Stream>& stream) override;
  void on_stream_closed(Stream& stream, std::optional<DropReason> reason) override;

  const TransportParams& params_;
  Sealer& sealer_;
  TransportCounters& counters_;
  Receive receive_;
  Accept accept_;
  Handle<uv_tcp_t> listener_;
  std::uint16_t port_ = 0;
  std::uint16_t advertised_port_ = 0;
  std::vector<char> read_buffer_;
  Stream::Context context_;
  std::vector<std::shared_ptr<Stream>> streams_;
};

}  // namespace dunlin::node
