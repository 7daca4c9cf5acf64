// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <uv.h>

#include "node/identity/identity.h"
#include "node/net/control_connection.h"
#include "node/net/datagrams.h"
#include "node/net/keyring.h"
#include "node/net/layer.h"
#include "node/net/transport_counters.h"
#include "node/net/transport_params.h"
#include "node/reach/ways.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// Where to listen and what to tell others.
struct TransportOptions {
  /// "0.0.0.0:7700", "[::]:7700" (IPv4 as well), "10.0.0.7", "localhost:0"; port 0: any free one.
  std::string bind = "[::]:7700";
  /// The address others reach us by, if not the bound one. Empty: the bound address, or if that is
  /// a wildcard, `own`.
  std::string advertise;
  /// The address to tell others of those that a wildcard stands for: see choose_own_address(). Port
  /// 0 stands for the bound one.
  overlay::Address own = overlay::Address::v4(0x7f000001, 0);
  TransportParams params;
};

/// The agent's network: whole messages in and out, sealed, by datagram where they fit and by stream
/// where they do not. Never blocks; what cannot be sent is lost and counted, as on any network.
class Transport {
 public:
  /// The bytes live only during the call. `from.address` is where answers reach the sender.
  using Receive =
      std::function<void(const overlay::Endpoint& from, Layer, std::span<const std::byte>)>;
  using Notice = std::function<void(const PeerNotice&)>;
  using Accept = std::function<void(std::shared_ptr<ControlConnection>)>;

  /// The largest message carried. Longer ones are a bug of the caller.
  static constexpr std::size_t kMessageMax = 2560 << 10;

  /// Binds and listens (UDP and TCP, same port). Fails, saying which, if an address does not
  /// parse or resolve, or the port is taken. `incarnation` > 0 must exceed every earlier one of
  /// this identity. Keeps copies of all but the loop.
  static Result<std::unique_ptr<Transport>> open(uv_loop_t& loop,
      const TransportOptions& options,
      const Identity& identity,
      const Keyring& keyring,
      std::uint32_t incarnation,
      Receive receive,
      Notice notice);

  virtual ~Transport() = default;

  /// Our id, and the address to advertise.
  virtual overlay::Endpoint self() const = 0;
  /// The port that is bound.
  virtual std::uint16_t port() const = 0;
  /// The ways to other nodes, by which messages go.
  virtual Ways& ways() = 0;

  /// Queues a message until flush(). `to.id` may be 0 for a contact known only by its address. A
  /// message to ourselves comes back in the loop's next iteration.
  virtual void send(const overlay::Endpoint& to, Layer layer, std::string_view bytes) = 0;
  /// Sends a message of Layer::link to another process that has our identity, if one is there.
  virtual void send_to_twin(const overlay::Address& to, std::string_view bytes) = 0;
  /// The datagrams that this process sealed, as far as it remembers.
  virtual std::uint64_t datagrams_sealed() const = 0;
  /// From now on we are a later incarnation. Open streams go on.
  virtual void raise(std::uint32_t incarnation) = 0;
  /// Seals and sends all that is queued. Call at the end of every turn.
  virtual void flush() = 0;

  /// Takes incoming remote-control connections. Without, they are refused.
  virtual void on_control(Accept accept) = 0;
  /// Dials the agent there, to send it requests as a client does. The connection closes itself if
  /// the agent cannot be reached, or is not `to.id`. Null if too many streams are open.
  virtual std::shared_ptr<ControlConnection> call(const overlay::Endpoint& to) = 0;
  /// Uses another key file from now on. Open streams that rest on a key which is not in it end.
  virtual void rotate(const Keyring& keyring) = 0;

  virtual const TransportCounters& counters() const = 0;

  /// Stops all traffic and closes all handles, so that the loop can end. Control connections are
  /// closed too. The transport may be destroyed at once afterwards; the loop must still run.
  virtual void close() = 0;
};

}  // namespace dunlin::node
