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
#include "node/wall_clock.h"
#include "overlay/ensure.h"

// A system call and a seal cost more than a small message, so messages of one turn to the same peer
// share a datagram, and many datagrams share a system call. A turn ends with flush(), after its
// records are durable, so sharing delays nothing.
// The first messages to a peer wait for a round trip: see held_batches.cc.
// UDP may lose anything, and the protocols repeat what matters. So a full system buffer is waited
// for once, and nothing is queued without bound.
namespace dunlin::node {
namespace {

constexpr int kSystemBuffer = 4 << 20;  // As far as the system allows.
constexpr std::size_t kLookBack = 64;   // Batches searched for one to the same peer.

// The device's queue (ENOBUFS) or the socket's is full: both pass by themselves.
bool has_no_room(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS;
}

}  // namespace

Result<std::unique_ptr<Datagrams>> Datagrams::open(uv_loop_t& loop,
    const overlay::Address& bind,
    std::uint32_t payload,
    Sealer& sealer,
    TransportCounters& counters,
    Receive receive,
    Notice notice) {
  const int family = family_of(bind);
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failure_of(errno, "cannot open a datagram socket");
  if (family == AF_INET6) {
    const int off = 0;  // [::] hears IPv4 as well.
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  // The kernel grants less where its limit is lower, which costs datagrams in bursts and nothing
  // else: no error is looked for.
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSystemBuffer, sizeof kSystemBuffer);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSystemBuffer, sizeof kSystemBuffer);
  SocketAddress address;
  to_socket(bind, family, address);
  if (::bind(fd, address.get(), address.size) != 0) {
    const int code = errno;
    ::close(fd);
    return failure_of(code, "cannot bind UDP " + to_string(bind));
  }
  return std::unique_ptr<Datagrams>(new Datagrams(
      loop, fd, family, payload, sealer, counters, std::move(receive), std::move(notice)));
}

Datagrams::Datagrams(uv_loop_t& loop,
    int fd,
    int family,
    std::uint32_t payload,
    Sealer& sealer,
    TransportCounters& counters,
    Receive receive,
    Notice notice)
    : loop_(loop),
      fd_(fd),
      family_(family),
      body_max_(payload - datagram::kOverhead),
      sealer_(sealer),
      counters_(counters),
      receive_(std::move(receive)),
      notice_(std::move(notice)),
      poll_(make_handle<uv_poll_t>()),
      // One byte more than the largest datagram tells an oversize one.
      received_(kReceivedAtOnce * (datagram::kMax + 1)) {
  uv_poll_init_socket(&loop, poll_.get(), fd);
  poll_->data = this;
  scratch_.resize(datagram::kOverheadMax + datagram::kChallenge);
  listen(false);
}

Datagrams::~Datagrams() {
  close();
}

// Queued messages are given up: UDP promises nothing, and the next turn will not come.
void Datagrams::close() {
  if (!poll_) return;
  poll_.reset();
  ::close(fd_);
  waiting_.clear();
  held_.clear();
  used_ = 0;
}

// With `for_room` only while something waits: a socket is writable nearly always, and would turn
// the loop without end.
void Datagrams::listen(bool for_room) {
  uv_poll_start(poll_.get(), UV_READABLE | (for_room ? UV_WRITABLE : 0),
      [](uv_poll_t* poll, int status, int events) {
        // A socket in error is readable: reading it clears the error.
        static_cast<Datagrams*>(poll->data)->on_event(status < 0 ? UV_READABLE : events);
      });
}

// Batches keep their buffers from turn to turn: a busy agent fills some in each.
Batch& Datagrams::new_batch(const overlay::Endpoint& to, bool link) {
  if (used_ == batches_.size()) {
    batches_.emplace_back().buffer.resize(datagram::kOverheadMax + body_max_);
  }
  Batch& batch = batches_[used_++];
  batch.to = to;
  batch.link = link;
  batch.messages = 0;
  batch.size = 0;
  return batch;
}

/// The last batch of that kind to the same peer if it has room, else a new one.
Batch& Datagrams::batch_for(const overlay::Endpoint& to, bool link, std::size_t bytes) {
  const std::size_t first = used_ > kLookBack ? used_ - kLookBack : 0;
  for (std::size_t i = used_; i-- > first;) {
    if (batches_[i].to != to || batches_[i].link != link) continue;
    if (batches_[i].size + bytes <= (link ? link_max() + kPrefix : body_max_)) return batches_[i];
    break;
  }
  return new_batch(to, link);
}

void Datagrams::send(const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
  const bool link = layer == Layer::link;
  ensure(bytes.size() <= (link ? link_max() : message_max()), "a message too large for a datagram");
  if (!poll_) return;
  // A turn with so much to say answers a flood, and memory must not grow with it.
  if (used_ == kBatchesMax) {
    ++counters_.datagrams_unsent;
    return;
  }
  append(batch_for(to, link, kPrefix + bytes.size()), layer, bytes);
}

// A message in a batch is its layer, its size in two bytes, and its bytes.
void Datagrams::append(Batch& batch, Layer layer, std::string_view bytes) {
  auto* const at =
      reinterpret_cast<std::uint8_t*>(batch.buffer.data()) + datagram::kHeadroom + batch.size;
  at[0] = static_cast<std::uint8_t>(layer);
  put(at + 1, static_cast<std::uint16_t>(bytes.size()));
  std::ranges::copy(bytes_of(bytes), at + kPrefix);
  batch.size += kPrefix + bytes.size();
  ++batch.messages;
}

// To a node of the very same identity: it has no pair key with itself, so this has a seal of its
// own.
void Datagrams::send_to_twin(const overlay::Address& to, Layer layer, std::string_view bytes) {
  ensure(bytes.size() <= message_max(), "a message too large for a datagram");
  if (!poll_) return;
  Batch batch;
  batch.buffer.resize(datagram::kOverheadMax + kPrefix + bytes.size());
  append(batch, layer, bytes);
  send_one(to, sealer_.seal_for_twin(batch.buffer, batch.size));
}

void Datagrams::flush() {
  if (!poll_ || (used_ == 0 && held_.empty())) return;
  sealer_.set_clock(wall_clock_ns());
  sealer_.draw_salt();
  send_batches(std::span(batches_).first(used_));
  used_ = 0;
  if (!held_.empty()) {
    counters_.messages_unanswered += held_.expire(now(loop_));
    ask_held();
  }
  // A burst must not keep its memory for the rest of the agent's life.
  if (batches_.size() > kBatchesKept) {
    batches_.resize(kBatchesKept);
    batches_.shrink_to_fit();
  }
}

/// The headers point into the batches and into the arrays here: whatever the kernel does not take
/// at once, send_now() copies before it returns.
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
    const auto sealed = seal(batch);
    if (!sealed) continue;
    parts[count] = {.iov_base = const_cast<std::byte*>(sealed->data()), .iov_len = sealed->size()};
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

/// Empty if there are no keys for that peer yet: the batch is held until it has greeted.
std::optional<std::span<const std::byte>> Datagrams::seal(Batch& batch) {
  if (batch.link) {
    ++counters_.introductions;
    return sealer_.introduce(batch.to.id, 0, batch.buffer, batch.size);
  }
  const auto sealed = sealer_.seal(batch.to.id, batch.buffer, batch.size);
  if (!sealed && !held_.hold(batch, now(loop_))) ++counters_.datagrams_unsent;
  return sealed;
}

// A greeting that was lost is sent once more, as long as something waits for its answer.
void Datagrams::ask_held() {
  questions_.clear();
  held_.ask(now(loop_), questions_);
  for (const auto& [to, challenge] : questions_) introduce(to, challenge);
}

// Says which node this is and, with a challenge, asks for an answer: that is how two nodes come to
// a key of their own.
void Datagrams::introduce(const overlay::Endpoint& to, std::uint64_t challenge) {
  if (!poll_) return;
  sealer_.set_clock(wall_clock_ns());
  ++counters_.introductions;
  send_one(to.address, sealer_.introduce(to.id, challenge, scratch_, 0));
}

void Datagrams::send_one(const overlay::Address& to, std::span<const std::byte> datagram) {
  SocketAddress address;
  if (!to_socket(to, family_, address)) {
    ++counters_.datagrams_unroutable;
    return;
  }
  iovec part{.iov_base = const_cast<std::byte*>(datagram.data()), .iov_len = datagram.size()};
  mmsghdr header{};
  header.msg_hdr.msg_name = address.get();
  header.msg_hdr.msg_namelen = address.size;
  header.msg_hdr.msg_iov = &part;
  header.msg_hdr.msg_iovlen = 1;
  send_now({&header, 1});
}

/// Sends, keeps or drops each. sendmmsg() stops at the first datagram that fails, and if that is
/// because of its address (no route), it alone is dropped: the rest goes on behind it.
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

// A copy: what the headers point to is gone when this turn ends.
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

/// One by one: this is the seldom case, and order among those that waited is kept.
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

}  // namespace dunlin::node
