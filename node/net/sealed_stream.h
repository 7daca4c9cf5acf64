// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "node/net/handshake.h"

namespace dunlin::node {

/// The destination of a stream's message: a layer of the peer, or remote control.
enum class Channel : std::uint8_t { overlay, sched, node, cell, control };

/// A stream between two members of a cluster: bytes in, bytes out, whole messages in between. No
/// socket; the agent and the command line drive the same.
///
/// After the handshake each side sends a secretstream header (24 B), then chunks: length u16, and
/// so many bytes sealed with secretstream. A message is a run of chunks, the last one tagged PUSH;
/// its first byte is the channel. So no more than one chunk is ever kept unproven, and a stream
/// cut off, which lacks the FINAL chunk, is told from one that ended. Both sides change keys every
/// kRekeyEvery chunks.
///
/// The driver's loop: feed() what came, take messages from next() until there is none, write
/// output() and clear what was written, look at failure().
class SealedStream {
 public:
  static constexpr std::size_t kMessageMax = 2560 << 10;
  static constexpr std::size_t kControlMax = 16 << 20;
  static constexpr std::size_t kChunk = std::size_t{32} << 10;
  static constexpr std::uint32_t kRekeyEvery = 1 << 16;

  using Role = Handshake::Role;

  /// `expected`: the only peer that is accepted; none: any member. An initiator has output() at
  /// once.
  SealedStream(Role role,
      const Identity& identity,
      const Keyring& keyring,
      std::uint32_t incarnation,
      std::uint16_t port,
      overlay::PeerId expected = {});
  SealedStream(const SealedStream&) = delete;
  SealedStream& operator=(const SealedStream&) = delete;
  ~SealedStream();

  /// What came, in any pieces. Nothing is looked at before next().
  void feed(std::span<const std::uint8_t> bytes);
  /// The other side will send no more. A failure (truncated), unless it had said so.
  void end_of_input();

  struct Frame {
    Channel channel;
    std::string_view bytes;  ///< Until the next call.
  };
  /// The next whole message; empty if more bytes are needed, or on failure, or at the end.
  std::optional<Frame> next();

  /// Another key file counts from now on. A stream that rests on a key already keeps it.
  void rotate(const Keyring& keyring);
  /// The cluster key that the stream rests on; none while its initiator has not said which.
  const std::optional<ClusterKey>& cluster_key() const;
  /// As responder: the initiator has said something that only a member can have sealed.
  bool greeted() const { return open_ || (handshake_ && handshake_->greeted()); }

  /// True once the peer is proven and messages can be sent.
  bool open() const { return open_; }
  /// Requires open(), not finish()ed, and `bytes` within the channel's bound.
  void send(Channel channel, std::string_view bytes);
  /// Says that no more will be sent. Requires open().
  void finish();

  /// The bytes for the other side. The driver takes away those that it has written.
  std::string& output() { return output_; }
  /// The party at the other end. Requires open().
  const StreamParty& peer() const { return peer_; }

  /// The other side said that it is done.
  bool finished() const { return finished_; }
  /// Why it broke. Nothing more comes out of it, and it is to be closed.
  std::optional<DropReason> failure() const { return failure_; }

  /// The largest message of a channel.
  static constexpr std::size_t bound(Channel channel) {
    return channel == Channel::control ? kControlMax : kMessageMax;
  }

 private:
  std::span<const std::uint8_t> input() const { return std::span(input_).subspan(taken_); }
  /// Each takes one step with the input at hand. False if more is needed, or it failed.
  bool take_handshake();
  bool take_header();
  /// Appends one chunk to message_. True if that completed it.
  bool take_chunk(bool& complete);
  /// Seals one chunk to the output.
  void push(std::string_view text, unsigned char tag);
  void fail(DropReason reason) { failure_ = reason; }

  std::optional<Handshake> handshake_;
  StreamParty peer_;
  std::optional<ClusterKey> cluster_key_;  // Once the handshake is over.
  bool open_ = false;
  bool heading_ = true;  // The other side's secretstream header is still to come.
  bool finished_ = false;
  bool finishing_ = false;
  std::optional<DropReason> failure_;
  Secret<32> receiving_key_;
  crypto_secretstream_xchacha20poly1305_state push_{};
  crypto_secretstream_xchacha20poly1305_state pull_{};
  std::uint32_t pushed_ = 0;
  std::uint32_t pulled_ = 0;
  std::vector<std::uint8_t> input_;
  std::size_t taken_ = 0;   // Bytes of input_ that were used.
  std::string message_;     // Channel and bytes.
  bool delivered_ = false;  // message_ was handed out and can go.
  std::string output_;
};

}  // namespace dunlin::node
