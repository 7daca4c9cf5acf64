// SPDX-License-Identifier: MIT
#include "node/net/datagrams.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <unistd.h>
#include <utility>

#include "node/loop/wakeup.h"
#include "node/net/bytes.h"
#include "overlay/ensure.h"

namespace dunlin::node {
namespace {

constexpr int kSystemBuffer = 4 << 20;  // As far as the system allows.
constexpr int kReceiveRounds = 4;       // Then the loop's other handles get a turn.
constexpr std::size_t kLookBack = 64;   // Batches searched for one to the same peer.
constexpr std::size_t kGreetingsMax = 64;

bool has_no_room(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS;
}

}  // namespace

Result<std::unique_ptr<Datagrams>> Datagrams::open(uv_loop_t& loop,
    const overlay::Address& bind,
    std::uint32_t payload,
    Sealer& sealer,
    TransportCounters& counters,
    Receive receive) {
  const int family = family_of(bind);
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failure_of(errno, "cannot open a datagram socket");
  if (family == AF_INET6) {
    const int off = 0;  // [::] hears IPv4 as well.
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSystemBuffer, sizeof kSystemBuffer);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSystemBuffer, sizeof kSystemBuffer);
  SocketAddress address;
  to_socket(bind, family, address);
  if (::bind(fd, address.get(), address.size) != 0) {
    const int code = errno;
    ::close(fd);
    return failure_of(code, "cannot bind UDP " + to_string(bind));
  }
  return std::unique_ptr<Datagrams>(
      new Datagrams(loop, fd, family, payload, sealer, counters, std::move(receive)));
}

Datagrams::Datagrams(uv_loop_t& loop,
    int fd,
    int family,
    std::uint32_t payload,
    Sealer& sealer,
    TransportCounters& counters,
    Receive receive)
    : loop_(loop),
      fd_(fd),
      family_(family),
      body_max_(payload - datagram::kOverheadMax),
      sealer_(sealer),
      counters_(counters),
      receive_(std::move(receive)),
      poll_(make_handle<uv_poll_t>()),
      // One byte more than the largest datagram tells an oversize one.
      received_(kReceivedAtOnce * (datagram::kMax + 1)) {
  uv_poll_init_socket(&loop, poll_.get(), fd);
  poll_->data = this;
  greeting_.buffer.resize(datagram::kOverheadMax);
  listen(false);
}

Datagrams::~Datagrams() {
  close();
}

void Datagrams::close() {
  if (!poll_) return;
  poll_.reset();
  ::close(fd_);
  waiting_.clear();
  used_ = 0;
}

void Datagrams::listen(bool for_room) {
  uv_poll_start(poll_.get(), UV_READABLE | (for_room ? UV_WRITABLE : 0),
      [](uv_poll_t* poll, int status, int events) {
        // A socket in error is readable: reading it clears the error.
        static_cast<Datagrams*>(poll->data)->on_event(status < 0 ? UV_READABLE : events);
      });
}

Datagrams::Batch& Datagrams::new_batch(const overlay::Endpoint& to) {
  if (used_ == batches_.size()) {
    batches_.emplace_back().buffer.resize(datagram::kOverheadMax + body_max_);
  }
  Batch& batch = batches_[used_++];
  batch.to = to;
  batch.size = 0;
  return batch;
}

/// The last batch to the same peer if it has room, else a new one.
Datagrams::Batch& Datagrams::batch_for(const overlay::Endpoint& to, std::size_t bytes) {
  const std::size_t least = used_ > kLookBack ? used_ - kLookBack : 0;
  for (std::size_t i = used_; i-- > least;) {
    if (batches_[i].to != to) continue;
    if (batches_[i].size + bytes <= body_max_) return batches_[i];
    break;
  }
  return new_batch(to);
}

void Datagrams::send(const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
  ensure(bytes.size() <= message_max(), "a message too large for a datagram");
  if (!poll_) return;
  if (used_ == kBatchesMax) {
    ++counters_.datagrams_unsent;
    return;
  }
  Batch& batch = batch_for(to, kPrefix + bytes.size());
  auto* const at =
      reinterpret_cast<std::uint8_t*>(batch.buffer.data()) + datagram::kHeadroom + batch.size;
  at[0] = static_cast<std::uint8_t>(layer);
  put(at + 1, static_cast<std::uint16_t>(bytes.size()));
  std::ranges::copy(bytes_of(bytes), at + kPrefix);
  batch.size += kPrefix + bytes.size();
}

void Datagrams::flush() {
  if (!poll_ || used_ == 0) return;
  send_batches(std::span(batches_).first(used_));
  used_ = 0;
  if (batches_.size() > kBatchesKept) {
    batches_.resize(kBatchesKept);
    batches_.shrink_to_fit();
  }
}

void Datagrams::send_batches(std::span<Batch> batches) {
  std::array<mmsghdr, kSentAtOnce> headers;
  std::array<iovec, kSentAtOnce> parts;
  std::array<SocketAddress, kSentAtOnce> addresses;
  std::size_t count = 0;
  for (Batch& batch : batches) {
    if (!to_socket(batch.to.address, family_, addresses[count])) {
      ++counters_.datagrams_unroutable;
      continue;
    }
    const auto [sealed, introduced] = sealer_.seal(batch.to.id, batch.buffer, batch.size);
    counters_.introductions += introduced;
    parts[count] = {.iov_base = const_cast<std::byte*>(sealed.data()), .iov_len = sealed.size()};
    headers[count] = {};
    headers[count].msg_hdr.msg_name = addresses[count].get();
    headers[count].msg_hdr.msg_namelen = addresses[count].size;
    headers[count].msg_hdr.msg_iov = &parts[count];
    headers[count].msg_hdr.msg_iovlen = 1;
    if (++count == kSentAtOnce) {
      send_now(headers);
      count = 0;
    }
  }
  send_now(std::span(headers).first(count));
}

void Datagrams::send_now(std::span<mmsghdr> datagrams) {
  bool full = !waiting_.empty();  // Those that wait go first.
  while (!datagrams.empty()) {
    int sent = 0;
    if (!full) {
      sent = ::sendmmsg(fd_, datagrams.data(), static_cast<unsigned>(datagrams.size()), 0);
    }
    if (sent > 0) {
      for (const mmsghdr& each : datagrams.first(static_cast<std::size_t>(sent))) {
        ++counters_.datagrams_sent;
        counters_.datagram_bytes_sent += each.msg_len;
      }
      datagrams = datagrams.subspan(static_cast<std::size_t>(sent));
    } else if (full || has_no_room(errno)) {
      full = true;
      wait_for_room(datagrams.front());
      datagrams = datagrams.subspan(1);
    } else if (errno != EINTR) {
      ++counters_.datagrams_unroutable;
      datagrams = datagrams.subspan(1);
    }
  }
}

void Datagrams::wait_for_room(const mmsghdr& datagram) {
  if (waiting_.size() == kWaitingMax) {
    waiting_.pop_front();  // The oldest is the least worth.
    ++counters_.datagrams_unsent;
  }
  if (waiting_.empty()) listen(true);
  const iovec& part = *datagram.msg_hdr.msg_iov;
  Waiting& waiting = waiting_.emplace_back();
  std::memcpy(waiting.to.get(), datagram.msg_hdr.msg_name, datagram.msg_hdr.msg_namelen);
  waiting.to.size = datagram.msg_hdr.msg_namelen;
  waiting.bytes.assign(static_cast<const char*>(part.iov_base), part.iov_len);
}

void Datagrams::on_event(int events) {
  if ((events & UV_WRITABLE) != 0) on_writable();
  if ((events & (UV_READABLE | UV_DISCONNECT)) != 0) on_readable();
}

void Datagrams::on_writable() {
  while (!waiting_.empty()) {
    const Waiting& next = waiting_.front();
    const ssize_t sent =
        ::sendto(fd_, next.bytes.data(), next.bytes.size(), 0, next.to.get(), next.to.size);
    if (sent < 0 && has_no_room(errno)) return;
    if (sent < 0) {
      ++counters_.datagrams_unroutable;
    } else {
      ++counters_.datagrams_sent;
      counters_.datagram_bytes_sent += next.bytes.size();
    }
    waiting_.pop_front();
  }
  listen(false);
}

void Datagrams::on_readable() {
  constexpr std::size_t kStride = datagram::kMax + 1;
  std::array<mmsghdr, kReceivedAtOnce> headers{};
  std::array<iovec, kReceivedAtOnce> parts;
  std::array<SocketAddress, kReceivedAtOnce> senders;
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
  if (opened.greet && greetings_.size() < kGreetingsMax) greetings_.push_back({opened.from, from});
  if (opened.dropped) {
    counters_.dropped.add(*opened.dropped);
  } else {
    deliver({opened.from, from}, opened.body);
  }
}

void Datagrams::deliver(const overlay::Endpoint& from, std::span<const std::byte> body) {
  while (!body.empty() && poll_) {
    const auto* const at = reinterpret_cast<const std::uint8_t*>(body.data());
    const std::size_t size = body.size() < kPrefix ? 0 : get<std::uint16_t>(at + 1);
    if (body.size() < kPrefix + size || at[0] >= kLayers) {
      counters_.dropped.add(DropReason::malformed);
      return;
    }
    ++counters_.messages_received;
    receive_(from, static_cast<Layer>(at[0]), body.subspan(kPrefix, size));
    body = body.subspan(kPrefix + size);
  }
}

/// Answers those who do not know our life yet, unless a message to them is about to leave anyway.
void Datagrams::send_greetings() {
  for (const overlay::Endpoint& to : greetings_) {
    const auto queued = std::span(batches_).first(used_);
    if (std::ranges::find(queued, to, &Batch::to) != queued.end()) continue;
    greeting_.to = to;
    ++counters_.greetings;
    send_batches({&greeting_, 1});
  }
  greetings_.clear();
}

}  // namespace dunlin::node
