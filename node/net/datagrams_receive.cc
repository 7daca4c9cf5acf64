// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "node/loop/wakeup.h"
#include "node/net/bytes.h"
#include "node/net/datagrams.h"
#include "node/wall_clock.h"

// Incoming datagrams. Many are read by one system call. Each is opened and taken apart into
// messages, and its facts about the incarnations of its sender are passed on.
namespace dunlin::node {
namespace {

constexpr int kReceiveRounds = 4;  // Then the loop's other handles get a turn.
constexpr std::size_t kAnswersMax = 64;

/// The kind of notice about a datagram of which the sender should be told.
PeerNotice::Kind kind_of(const Opened& opened) {
  if (!opened.dropped) return PeerNotice::Kind::moved;
  return opened.dropped == DropReason::superseded ? PeerNotice::Kind::superseded
                                                  : PeerNotice::Kind::repeated;
}

}  // namespace

void Datagrams::on_readable() {
  constexpr std::size_t kStride = datagram::kMax + 1;
  std::array<mmsghdr, kReceivedAtOnce> headers{};
  std::array<iovec, kReceivedAtOnce> parts;
  std::array<SocketAddress, kReceivedAtOnce> senders;
  sealer_.set_clock(wall_clock_ns());
  sealer_.draw_salt();  // What was held for a peer may leave at once.
  for (int round = 0; round < kReceiveRounds; ++round) {
    for (std::size_t i = 0; i < kReceivedAtOnce; ++i) {
      parts[i] = {.iov_base = received_.data() + i * kStride, .iov_len = kStride};
      headers[i].msg_hdr.msg_name = senders[i].get();
      headers[i].msg_hdr.msg_namelen = sizeof senders[i].storage;
      headers[i].msg_hdr.msg_iov = &parts[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::recvmmsg(fd_, headers.data(), kReceivedAtOnce, 0, nullptr);
    if (count <= 0) break;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      on_datagram(std::span(received_).subspan(i * kStride, headers[i].msg_len),
          from_socket(senders[i].get()));
      if (!poll_) return;  // The receiver closed us.
    }
    if (static_cast<std::size_t>(count) < kReceivedAtOnce) break;
  }
  send_greetings();
}

void Datagrams::on_datagram(std::span<std::byte> bytes, const overlay::Address& from) {
  ++counters_.datagrams_received;
  counters_.datagram_bytes_received += bytes.size();
  const Opened opened = sealer_.open(bytes, from, now(loop_));
  const overlay::Endpoint sender{opened.from, from};
  if (opened.greet && greetings_.size() < kAnswersMax) greetings_.push_back({from, *opened.greet});
  if (opened.introduce && corrections_.size() < kAnswersMax) corrections_.push_back(sender);
  if (opened.dropped) counters_.dropped.add(*opened.dropped);
  pass_on(opened, sender);
  if (opened.dropped) {
    if (opened.link_only) deliver(sender, opened.body, true);
    return;
  }
  // An introduction may be a recording, and a twin is no other node.
  if (heard_ && !opened.link_only) heard_(sender, opened.echo);
  if (!held_.empty()) {
    auto released = held_.release(sender.id, opened.echo);
    // A node that answers is where its answer came from, whichever of its addresses was asked.
    for (Batch& batch : released) batch.to.address = from;
    if (!released.empty()) send_batches(released);
  }
  deliver(sender, opened.body, opened.link_only);
}

/// Tells the observer what is new about the sender.
void Datagrams::pass_on(const Opened& opened, const overlay::Endpoint& sender) {
  if (opened.tell) {
    notice_(
        {.kind = kind_of(opened), .from = sender, .known = *opened.tell, .first = opened.first});
  }
  if (opened.reinstated) {
    notice_({.kind = PeerNotice::Kind::reinstated, .from = sender, .known = {}});
  }
  if (opened.clock_ahead != 0) {
    notice_({.kind = PeerNotice::Kind::clock,
        .from = sender,
        .known = {},
        .clock_ahead = opened.clock_ahead});
  }
  if (opened.dropped == DropReason::other_version) {
    notice_({.kind = PeerNotice::Kind::version, .from = sender, .known = {}});
  }
  const bool unopened = opened.dropped == DropReason::wrong_cluster ||
      opened.dropped == DropReason::key || opened.dropped == DropReason::forged;
  if (unopened) {
    notice_({.kind = PeerNotice::Kind::unopened,
        .from = sender,
        .known = {},
        .reason = *opened.dropped});
  }
}

void Datagrams::deliver(
    const overlay::Endpoint& from, std::span<const std::byte> body, bool link_only) {
  while (!body.empty() && poll_) {
    const auto* const at = reinterpret_cast<const std::uint8_t*>(body.data());
    const std::size_t size = body.size() < kPrefix ? 0 : get<std::uint16_t>(at + 1);
    if (body.size() < kPrefix + size) {
      counters_.dropped.add(DropReason::malformed);
      return;
    }
    const auto layer = static_cast<Layer>(at[0]);
    if (at[0] >= kLayers) {
      ++counters_.messages_unknown;  // Of a later build. What follows may be known.
    } else if (layer == Layer::link || !link_only) {
      ++counters_.messages_received;
      receive_(from, layer, body.subspan(kPrefix, size));
    }
    body = body.subspan(kPrefix + size);
  }
}

/// Answers peers which do not know the present process of this node.
void Datagrams::send_greetings() {
  if (greetings_.empty() && corrections_.empty()) return;
  for (const auto& [to, caller] : greetings_) {
    const auto sealed = sealer_.greet(caller, scratch_);
    if (!sealed) continue;
    ++counters_.greetings;
    send_one(to, *sealed);
  }
  for (const overlay::Endpoint& to : corrections_) {
    ++counters_.introductions;
    send_one(to.address, sealer_.introduce(to.id, draw_challenge(), scratch_, 0));
  }
  greetings_.clear();
  corrections_.clear();
}

}  // namespace dunlin::node
