// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "node/net/held_batches.h"
#include "node/net/layer.h"
#include "node/net/sealing.h"
#include "node/net/socket_address.h"
#include "node/net/transport_counters.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// A peer with datagrams that tell something about its incarnations, its clock or its version.
struct PeerNotice {
  enum class Kind : std::uint8_t {
    superseded,  ///< It speaks as an earlier incarnation than is known here, and is not heard.
    moved,       ///< It speaks as the incarnation known here, from another address.
    repeated,    ///< It, or an attacker that recorded it, repeats a message.
    reinstated,  ///< It had been superseded, and speaks as a later one now.
    clock,       ///< Its wall clock and ours are minutes apart.
    version,     ///< The sender uses another version of the wire. Not proven.
    unopened,    ///< Its datagram does not open: another key, or another cluster. Not proven.
  };
  Kind kind;
  overlay::Endpoint from;
  KnownAs known;                        ///< The knowledge of it here; empty if reinstated.
  bool first = false;                   ///< Superseded: for the first time since it was heard.
  DropReason reason = DropReason::key;  ///< Unopened: why.
  std::int32_t clock_ahead = 0;         ///< Clock: the seconds that its clock is ahead of ours.
};

/// Messages that fit a datagram. Those for the same peer share datagrams until flush(); many
/// datagrams share a system call. A body is a run of {layer u8, length u16, bytes}. The first
/// messages to a peer wait for its greeting; those of Layer::link go by themselves, with an
/// introduction.
class Datagrams {
 public:
  using Receive =
      std::function<void(const overlay::Endpoint& from, Layer, std::span<const std::byte>)>;
  using Notice = std::function<void(const PeerNotice&)>;
  /// Of a datagram that is proven to be new, of that node and from there; `echo` as in Opened.
  using Heard = std::function<void(const overlay::Endpoint& from, std::uint64_t echo)>;

  /// Binds. Fails, naming the address, if that is not possible. Borrows the sealer and the
  /// counters.
  static Result<std::unique_ptr<Datagrams>> open(uv_loop_t& loop,
      const overlay::Address& bind,
      std::uint32_t payload,
      Sealer& sealer,
      TransportCounters& counters,
      Receive receive,
      Notice notice);
  ~Datagrams();

  /// The largest message that fits.
  std::size_t message_max() const { return body_max_ - kPrefix; }
  /// The largest of Layer::link, which go with a larger head.
  std::size_t link_max() const {
    return message_max() - (datagram::kOverheadMax - datagram::kOverhead);
  }

  /// Queues a message of at most message_max() bytes (Layer::link: link_max()) until flush().
  void send(const overlay::Endpoint& to, Layer layer, std::string_view bytes);
  /// Seals and sends all that is queued. Once a turn, when its records are on disk.
  void flush();
  /// Introduces us at once. The greeting that answers it has the challenge.
  void introduce(const overlay::Endpoint& to, std::uint64_t challenge);
  void on_heard(Heard heard) { heard_ = std::move(heard); }
  /// Sends at once, to the agent with our identity at `to`. Requires bytes.size() <= message_max().
  void send_to_twin(const overlay::Address& to, Layer layer, std::string_view bytes);
  /// Nothing is sent or received any more; what waits is dropped.
  void close();

 private:
  static constexpr std::size_t kPrefix = 1 + 2;
  static constexpr std::size_t kReceivedAtOnce = 32;
  static constexpr std::size_t kSentAtOnce = 64;
  static constexpr std::size_t kBatchesMax = 16'384;
  static constexpr std::size_t kBatchesKept = 256;
  static constexpr std::size_t kWaitingMax = 1024;

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
      Receive receive,
      Notice notice);

  static void append(Batch& batch, Layer layer, std::string_view bytes);
  Batch& batch_for(const overlay::Endpoint& to, bool link, std::size_t bytes);
  Batch& new_batch(const overlay::Endpoint& to, bool link);
  /// Seals and sends these batches, kSentAtOnce at a time. Holds those for peers not met yet.
  void send_batches(std::span<Batch> batches);
  /// Empty if the batch is held, or lost.
  std::optional<std::span<const std::byte>> seal(Batch& batch);
  void send_one(const overlay::Address& to, std::span<const std::byte> datagram);
  /// Introduces us to the peers for which batches are held.
  void ask_held();
  void send_now(std::span<mmsghdr> datagrams);
  void wait_for_room(const mmsghdr& datagram);
  void listen(bool for_room);

  void on_event(int events);
  void on_readable();
  void on_writable();
  /// Opens one that came. Whatever is wrong with it is counted by its reason, and never told in a
  /// log line for each: anybody can send them.
  void on_datagram(std::span<std::byte> datagram, const overlay::Address& from);
  void pass_on(const Opened& opened, const overlay::Endpoint& sender);
  /// Hands on the messages of a body. A body that ends within one is cut there: what came before
  /// was sealed with it, and is good.
  void deliver(const overlay::Endpoint& from, std::span<const std::byte> body, bool link_only);
  /// Answers the introductions of this turn, each once.
  void send_greetings();

  uv_loop_t& loop_;
  int fd_;
  int family_;
  std::size_t body_max_;
  Sealer& sealer_;
  TransportCounters& counters_;
  Receive receive_;
  Notice notice_;
  Heard heard_;
  Handle<uv_poll_t> poll_;
  std::vector<Batch> batches_;  // Those behind used_ are spare buffers.
  std::size_t used_ = 0;
  std::deque<Waiting> waiting_;
  struct Greeting {
    overlay::Address to;
    Caller caller;
  };
  HeldBatches held_;
  std::vector<HeldBatches::Question> questions_;
  std::vector<Greeting> greetings_;
  std::vector<overlay::Endpoint> corrections_;  // Peers that must hear our incarnation.
  std::vector<std::byte> scratch_;              // Room for a greeting or an introduction.
  std::vector<std::byte> received_;
};

}  // namespace dunlin::node
