// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "node/net/layer.h"
#include "node/net/sealing.h"
#include "node/net/socket_address.h"
#include "node/net/transport_counters.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// Messages that fit a datagram. Those for the same peer share datagrams until flush(); many
/// datagrams share a system call. A body is a run of {layer u8, length u16, bytes}.
class Datagrams {
 public:
  using Receive =
      std::function<void(const overlay::Endpoint& from, Layer, std::span<const std::byte>)>;

  /// Binds. Fails, naming the address, if that is not possible. Borrows the sealer and the
  /// counters.
  static Result<std::unique_ptr<Datagrams>> open(uv_loop_t& loop,
      const overlay::Address& bind,
      std::uint32_t payload,
      Sealer& sealer,
      TransportCounters& counters,
      Receive receive);
  ~Datagrams();

  /// The largest message that fits.
  std::size_t message_max() const { return body_max_ - kPrefix; }

  /// Queues a message of at most message_max() bytes until flush().
  void send(const overlay::Endpoint& to, Layer layer, std::string_view bytes);
  void flush();
  void close();

 private:
  static constexpr std::size_t kPrefix = 1 + 2;
  static constexpr std::size_t kReceivedAtOnce = 32;
  static constexpr std::size_t kSentAtOnce = 64;
  static constexpr std::size_t kBatchesMax = 16'384;
  static constexpr std::size_t kBatchesKept = 256;
  static constexpr std::size_t kWaitingMax = 1024;

  /// What will be one datagram.
  struct Batch {
    overlay::Endpoint to;
    std::size_t size = 0;  // Of the body.
    std::vector<std::byte> buffer;
  };
  /// A datagram that the system had no room for.
  struct Waiting {
    SocketAddress to;
    std::string bytes;
  };

  Datagrams(uv_loop_t& loop,
      int fd,
      int family,
      std::uint32_t payload,
      Sealer& sealer,
      TransportCounters& counters,
      Receive receive);

  Batch& batch_for(const overlay::Endpoint& to, std::size_t bytes);
  Batch& new_batch(const overlay::Endpoint& to);
  /// Seals and sends these batches, kSentAtOnce at a time.
  void send_batches(std::span<Batch> batches);
  void send_now(std::span<mmsghdr> datagrams);
  void wait_for_room(const mmsghdr& datagram);
  void listen(bool for_room);

  void on_event(int events);
  void on_readable();
  void on_writable();
  void on_datagram(std::span<std::byte> datagram, const overlay::Address& from);
  void deliver(const overlay::Endpoint& from, std::span<const std::byte> body);
  void send_greetings();

  uv_loop_t& loop_;
  int fd_;
  int family_;
  std::size_t body_max_;
  Sealer& sealer_;
  TransportCounters& counters_;
  Receive receive_;
  Handle<uv_poll_t> poll_;
  std::vector<Batch> batches_;  // Those behind used_ are spare buffers.
  std::size_t used_ = 0;
  std::deque<Waiting> waiting_;
  std::vector<overlay::Endpoint> greetings_;
  Batch greeting_;
  std::vector<std::byte> received_;
};

}  // namespace dunlin::node
