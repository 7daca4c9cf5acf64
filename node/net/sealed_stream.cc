// SPDX-License-Identifier: MIT
#include "node/net/sealed_stream.h"

#include <algorithm>

#include "node/net/bytes.h"
#include "overlay/ensure.h"

// TCP gives bytes in order, but a router on the way may cut, insert or end them. So the stream is
// cut into chunks, each sealed and numbered by secretstream, and a chunk is opened before any byte
// of it is used. The end is a chunk of its own: a stream without it was cut off.
// The object is fed with bytes and gives bytes; it knows no socket, so the agent, the command line
// and the fuzzer drive the same code.
namespace dunlin::node {
namespace {

constexpr std::size_t kStreamHeader = crypto_secretstream_xchacha20poly1305_HEADERBYTES;
constexpr std::size_t kChunkSeal = crypto_secretstream_xchacha20poly1305_ABYTES;
constexpr std::size_t kLength = 2;
constexpr unsigned char kPart = crypto_secretstream_xchacha20poly1305_TAG_MESSAGE;
constexpr unsigned char kLast = crypto_secretstream_xchacha20poly1305_TAG_PUSH;
constexpr unsigned char kFinal = crypto_secretstream_xchacha20poly1305_TAG_FINAL;
static_assert(SealedStream::kChunk + kChunkSeal <= 0xffff);
/// The bytes of a message's room that are kept for the next one.
constexpr std::size_t kRoomKept = 128 << 10;

}  // namespace

SealedStream::SealedStream(Role role,
    const Identity& identity,
    const Keyring& keyring,
    std::uint32_t incarnation,
    std::uint16_t port,
    overlay::PeerId expected)
    : handshake_(std::in_place, role, identity, keyring, incarnation, port, expected) {
  if (role == Role::initiator) handshake_->start(output_);
}

SealedStream::~SealedStream() {
  sodium_memzero(&push_, sizeof push_);
  sodium_memzero(&pull_, sizeof pull_);
}

void SealedStream::feed(std::span<const std::uint8_t> bytes) {
  if (failure_ || finished_) return;
  // Here and not after each chunk: moving the rest of a large block again and again would cost its
  // square.
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  input_.insert(input_.end(), bytes.begin(), bytes.end());
}

void SealedStream::rotate(const Keyring& keyring) {
  if (handshake_) handshake_->rotate(keyring);
}

const std::optional<ClusterKey>& SealedStream::cluster_key() const {
  return handshake_ ? handshake_->cluster_key() : cluster_key_;
}

void SealedStream::end_of_input() {
  if (!finished_ && !failure_) fail(DropReason::truncated);
}

std::optional<SealedStream::Frame> SealedStream::next() {
  // The last frame borrowed it until now.
  if (delivered_) {
    message_.clear();
    // Large ones are rare, and streams may be many.
    if (message_.capacity() > kRoomKept) message_.shrink_to_fit();
  }
  delivered_ = false;
  while (!failure_ && !finished_) {
    if (handshake_) {
      if (!take_handshake()) return std::nullopt;
    } else if (heading_) {
      if (!take_header()) return std::nullopt;
    } else {
      bool complete = false;
      if (!take_chunk(complete)) return std::nullopt;
      if (!complete) continue;
      delivered_ = true;
      return Frame{static_cast<Channel>(message_.front()), std::string_view(message_).substr(1)};
    }
  }
  return std::nullopt;
}

bool SealedStream::take_handshake() {
  const std::size_t size = handshake_->wanted();
  if (input().size() < size) return false;
  const auto message = input().first(size);
  taken_ += size;
  if (const auto refused = handshake_->receive(message, output_)) {
    fail(*refused);
    return false;
  }
  if (!handshake_->done()) return true;

  peer_ = handshake_->peer();
  cluster_key_ = handshake_->cluster_key();
  receiving_key_ = handshake_->receiving_key();
  std::array<std::uint8_t, kStreamHeader> header;
  crypto_secretstream_xchacha20poly1305_init_push(
      &push_, header.data(), handshake_->sending_key().data());
  output_.append(text_of(header));
  handshake_.reset();
  open_ = true;
  return true;
}

bool SealedStream::take_header() {
  if (input().size() < kStreamHeader) return false;
  crypto_secretstream_xchacha20poly1305_init_pull(&pull_, input().data(), receiving_key_.data());
  taken_ += kStreamHeader;
  heading_ = false;
  return true;
}

bool SealedStream::take_chunk(bool& complete) {
  if (input().size() < kLength) return false;
  // The length is not sealed. A wrong one makes the seal fail, and is bounded before anything waits
  // for so many bytes.
  const std::size_t sealed = get<std::uint16_t>(input().data());
  if (sealed < kChunkSeal || sealed > kChunk + kChunkSeal) {
    fail(sealed < kChunkSeal ? DropReason::too_short : DropReason::too_long);
    return false;
  }
  if (input().size() < kLength + sealed) return false;

  const std::size_t before = message_.size();
  message_.resize(before + sealed - kChunkSeal);
  unsigned char tag = 0;
  const int opened = crypto_secretstream_xchacha20poly1305_pull(&pull_,
      reinterpret_cast<unsigned char*>(message_.data()) + before, nullptr, &tag,
      input().data() + kLength, sealed, nullptr, 0);
  if (opened != 0) {
    fail(DropReason::forged);
    return false;
  }
  taken_ += kLength + sealed;
  // Both sides count chunks, so no word need be said for it: old chunks stay closed if a key is
  // stolen.
  if (++pulled_ % kRekeyEvery == 0) crypto_secretstream_xchacha20poly1305_rekey(&pull_);

  if (tag == kFinal) {
    finished_ = true;
    // The end within a message: what was begun of it is not given to anybody.
    if (!message_.empty()) fail(DropReason::truncated);
    return true;
  }
  if (message_.empty() ||
      static_cast<std::uint8_t>(message_.front()) > static_cast<std::uint8_t>(Channel::control) ||
      (tag != kPart && tag != kLast)) {
    fail(DropReason::malformed);
    return false;
  }
  if (message_.size() - 1 > bound(static_cast<Channel>(message_.front()))) {
    fail(DropReason::too_long);
    return false;
  }
  complete = tag == kLast;
  return true;
}

void SealedStream::push(std::string_view text, unsigned char tag) {
  const std::size_t start = output_.size();
  output_.resize(start + kLength + text.size() + kChunkSeal);
  auto* const to = reinterpret_cast<std::uint8_t*>(output_.data()) + start;
  put(to, static_cast<std::uint16_t>(text.size() + kChunkSeal));
  crypto_secretstream_xchacha20poly1305_push(&push_, to + kLength, nullptr,
      reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0, tag);
  if (++pushed_ % kRekeyEvery == 0) crypto_secretstream_xchacha20poly1305_rekey(&push_);
}

void SealedStream::send(Channel channel, std::string_view bytes) {
  ensure(open_ && !finishing_, "a message on a stream that is not open");
  ensure(bytes.size() <= bound(channel), "a message beyond its channel's bound");
  std::string first(1, static_cast<char>(channel));
  first.append(bytes.substr(0, kChunk - 1));
  bytes.remove_prefix(first.size() - 1);
  push(first, bytes.empty() ? kLast : kPart);
  while (!bytes.empty()) {
    const auto part = bytes.substr(0, kChunk);
    bytes.remove_prefix(part.size());
    push(part, bytes.empty() ? kLast : kPart);
  }
}

void SealedStream::finish() {
  ensure(open_, "the end of a stream that is not open");
  if (finishing_) return;
  finishing_ = true;
  push({}, kFinal);
}

}  // namespace dunlin::node
