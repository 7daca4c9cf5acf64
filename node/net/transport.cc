// SPDX-License-Identifier: MIT
#include "node/net/transport.h"

#include <optional>
#include <utility>
#include <vector>

#include "node/loop/wakeup.h"
#include "node/net/bytes.h"
#include "node/net/datagrams.h"
#include "node/net/resolve.h"
#include "node/net/sealing.h"
#include "node/net/streams.h"
#include "overlay/ensure.h"

// The choice of the way is by size alone: a message that fits goes by datagram, a larger one by
// stream. Both have the same seal and the same address, so protocols need not know: neither that,
// nor by which of a node's addresses it goes. A message to oneself goes through neither, but comes
// back in a later turn, as the port's contract says.
namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::Endpoint;

// With port 0 the system names a free TCP port, which may be taken for UDP.
constexpr int kPortTries = 16;

static_assert(Transport::kMessageMax <= SealedStream::kMessageMax);

/// Nodes that are not found are looked for so often. An agent flushes every second at least.
constexpr overlay::Duration kAskPeriod = std::chrono::milliseconds(250);

/// Messages to ourselves, until the loop comes round.
class Loopback {
 public:
  Loopback(uv_loop_t& loop, Transport::Receive& receive, TransportCounters& counters)
      : receive_(receive),
        counters_(counters),
        loop_(loop),
        wakeup_(std::in_place, loop, [this] { deliver(); }) {}

  void send(Layer layer, std::string_view bytes) {
    if (!wakeup_) return;
    if (queued_.empty()) wakeup_->at(now(loop_));
    queued_.push_back({layer, bytes.size()});
    bytes_.append(bytes);
  }
  /// Nothing is delivered from here on, not even what is queued.
  void cut() { wakeup_.reset(); }
  void set_self(const Endpoint& self) { self_ = self; }

 private:
  /// A buffer that was larger once is given back.
  static constexpr std::size_t kKeptMax = 1 << 20;
  struct Queued {
    Layer layer;
    std::size_t size;
  };

  void deliver() {
    // Messages sent meanwhile wait for the next time round.
    std::swap(queued_, delivering_);
    std::swap(bytes_, delivering_bytes_);
    const auto* at = reinterpret_cast<const std::byte*>(delivering_bytes_.data());
    for (const Queued& each : delivering_) {
      if (!wakeup_) break;  // The receiver closed us.
      ++counters_.messages_received;
      receive_(self_, each.layer, {at, each.size});
      at += each.size;
    }
    delivering_.clear();
    delivering_bytes_.clear();
    if (delivering_bytes_.capacity() > kKeptMax) delivering_bytes_.shrink_to_fit();
  }

  Transport::Receive& receive_;
  TransportCounters& counters_;
  uv_loop_t& loop_;
  Endpoint self_;
  std::vector<Queued> queued_, delivering_;
  std::string bytes_, delivering_bytes_;
  std::optional<Wakeup> wakeup_;
};

class LiveTransport final : public Transport {
 public:
  LiveTransport(uv_loop_t& loop,
      const TransportOptions& options,
      const Identity& identity,
      const Keyring& keyring,
      std::uint32_t incarnation,
      Receive receive,
      Notice notice)
      : loop_(loop),
        params_(options.params),
        receive_(std::move(receive)),
        notice_(std::move(notice)),
        sealer_(identity, keyring, incarnation, params_.rate_limit),
        loopback_(std::in_place, loop, receive_, counters_) {}
  ~LiveTransport() override { close(); }

  /// Binds and listens at one of the addresses that `options.bind` means.
  Result<void> bind(uv_loop_t& loop, const TransportOptions& options);

  Endpoint self() const override { return self_; }
  void send(const Endpoint& to, Layer layer, std::string_view bytes) override;
  std::uint16_t port() const override { return streams_ ? streams_->port() : std::uint16_t{0}; }
  Ways& ways() override { return ways_; }
  void flush() override;
  void on_control(Accept accept) override {
    if (streams_) streams_->on_control(std::move(accept));
  }
  std::shared_ptr<ControlConnection> call(const Endpoint& to) override {
    return streams_ ? streams_->call({to.id, ways_.route(to, now(loop_))}) : nullptr;
  }
  void send_to_twin(const Address& to, std::string_view bytes) override {
    if (datagrams_) datagrams_->send_to_twin(to, Layer::link, bytes);
  }
  std::uint64_t datagrams_sealed() const override { return sealer_.counter(); }
  void raise(std::uint32_t incarnation) override { sealer_.raise(incarnation); }
  void rotate(const Keyring& keyring) override {
    sealer_.rotate(keyring);
    if (streams_) streams_->rotate();
  }
  const TransportCounters& counters() const override { return counters_; }
  void close() override;

 private:
  Result<void> bind_once(uv_loop_t& loop, const Address& address);
  static Result<Address> choose_advertised(const TransportOptions& options, Address bound);

  uv_loop_t& loop_;
  TransportParams params_;
  Receive receive_;
  Notice notice_;
  TransportCounters counters_;
  Sealer sealer_;
  Endpoint self_;
  Ways ways_;
  std::vector<Ways::Question> questions_;
  overlay::Time asked_{};
  std::optional<Loopback> loopback_;
  std::unique_ptr<Datagrams> datagrams_;
  std::unique_ptr<Streams> streams_;
};

// TCP first: with port 0 the system chooses it there, and UDP must have the same.
Result<void> LiveTransport::bind_once(uv_loop_t& loop, const Address& address) {
  auto streams = Streams::open(loop, address, params_, sealer_, counters_,
      [this](const Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
        receive_(from, layer, bytes);
      });
  if (!streams) return tl::unexpected(streams.error());
  Address with_port = address;
  with_port.port = (*streams)->port();
  auto datagrams = Datagrams::open(
      loop, with_port, params_.datagram_payload, sealer_, counters_,
      [this](const Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
        receive_(from, layer, bytes);
      },
      [this](const PeerNotice& notice) { notice_(notice); });
  if (!datagrams) return tl::unexpected(datagrams.error());
  (*datagrams)->on_heard([this](const Endpoint& from, std::uint64_t echo) {
    ways_.heard(from.id, from.address, now(loop_));
    ways_.answered(from.id, echo, now(loop_));
  });
  streams_ = std::move(*streams);
  datagrams_ = std::move(*datagrams);
  return {};
}

Result<void> LiveTransport::bind(uv_loop_t& loop, const TransportOptions& options) {
  auto addresses = resolve(options.bind, kDefaultPort);
  if (!addresses) return tl::unexpected(addresses.error());
  const Address wanted = addresses->front();
  for (int tries = wanted.port == 0 ? kPortTries : 1; tries > 0; --tries) {
    auto bound = bind_once(loop, wanted);
    if (bound) break;
    if (tries > 1 && bound.error().code == EADDRINUSE) continue;
    Error error = bound.error();
    if (error.code == EADDRINUSE) error.text += "; is another agent running here?";
    if (error.code == EADDRNOTAVAIL) error.text += "; this machine has no such address";
    return tl::unexpected(std::move(error));
  }
  Address bound = wanted;
  bound.port = streams_->port();
  const auto advertised = choose_advertised(options, bound);
  if (!advertised) return tl::unexpected(advertised.error());
  self_ = {sealer_.identity().id(), *advertised};
  loopback_->set_self(self_);
  streams_->advertise(self_.address.port);
  return {};
}

// The address that others are told. One that nobody could use is an error at the start: the node
// would seem well, and no other could find it.
Result<Address> LiveTransport::choose_advertised(const TransportOptions& options, Address bound) {
  if (options.advertise.empty()) {
    // [::] is where we listen, not where anybody finds us.
    Address own = options.own;
    if (own.port == 0) own.port = bound.port;
    return bound.is_any() ? own : bound;
  }
  auto addresses = resolve(options.advertise, bound.port);
  if (!addresses) return tl::unexpected(addresses.error());
  const Address chosen = addresses->front();
  if (chosen.is_any() || chosen.port == 0) {
    return failure(ErrorKind::usage,
        "cannot advertise '" + options.advertise +
            "': nobody can reach it; give the address (and port) by "
            "which other nodes reach this one");
  }
  return chosen;
}

void LiveTransport::send(const Endpoint& to, Layer layer, std::string_view bytes) {
  // Protocols bound their messages; a longer one is our own mistake.
  ensure(bytes.size() <= kMessageMax, "a message beyond the transport's bound");
  if (!datagrams_) return;
  ++counters_.messages_sent;
  // By id, if it is known: a node that moved has another address in old descriptors.
  if (to.id ? to.id == self_.id : to.address == self_.address) {
    loopback_->send(layer, bytes);
    return;
  }
  const Endpoint there{to.id, ways_.route(to, now(loop_))};
  if (bytes.size() <= datagrams_->message_max()) {
    datagrams_->send(there, layer, bytes);
  } else if (!streams_->send(there, layer, bytes)) {
    ++counters_.messages_unsent;
  }
}

// Once per turn of the loop, so that small messages to one node share a datagram.
void LiveTransport::flush() {
  if (!datagrams_) return;
  if (const auto moment = now(loop_); moment - asked_ >= kAskPeriod) {
    asked_ = moment;
    questions_.clear();
    ways_.ask(moment, draw_challenge, questions_);
    for (const auto& [to, challenge] : questions_) datagrams_->introduce(to, challenge);
  }
  datagrams_->flush();
}

// In this order nothing calls back into what has gone: what is queued for ourselves first.
void LiveTransport::close() {
  if (loopback_) loopback_->cut();
  if (datagrams_) datagrams_->close();
  if (streams_) streams_->close();
}

}  // namespace

Result<std::unique_ptr<Transport>> Transport::open(uv_loop_t& loop,
    const TransportOptions& options,
    const Identity& identity,
    const Keyring& keyring,
    std::uint32_t incarnation,
    Receive receive,
    Notice notice) {
  ensure(
      options.params.datagram_payload >= 512 && options.params.datagram_payload <= datagram::kMax,
      "a datagram payload out of range");
  auto transport = std::make_unique<LiveTransport>(
      loop, options, identity, keyring, incarnation, std::move(receive), std::move(notice));
  if (auto bound = transport->bind(loop, options); !bound) return tl::unexpected(bound.error());
  return transport;
}

}  // namespace dunlin::node
