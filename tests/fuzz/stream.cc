// SPDX-License-Identifier: MIT
// Streams of strangers, and those of a member damaged or cut on their way.
#include <algorithm>

#include "node/net/bytes.h"
#include "node/net/sealed_stream.h"
#include "tests/fuzz/chance.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/members.h"

namespace dunlin::fuzz {
namespace {

/// Carries what `from` has to say in pieces; changes byte `damaged` of it all. Counts in `carried`.
void carry(node::SealedStream& from,
    node::SealedStream& to,
    std::size_t piece,
    std::size_t damaged,
    std::uint8_t damage,
    std::size_t& carried) {
  for (char& byte : from.output()) {
    if (carried++ == damaged) byte = static_cast<char>(byte ^ damage);
  }
  const auto bytes = node::bytes_of(from.output());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    to.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  from.output().clear();
}

// Two bytes where to damage, one how, one into what pieces to cut, then the message; or, if the
// first byte is 255, what a stranger says.
void run_stream(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return;
  fix_chance();
  static const Members members;
  node::SealedStream us(node::SealedStream::Role::responder, members.us, members.keyring, 1, 7700);
  if (data[0] == 255) {
    us.feed(std::span(data + 1, size - 1));
    ensure(!us.next() && !us.open(), "a stranger");
    return;
  }
  node::SealedStream other(
      node::SealedStream::Role::initiator, members.other, members.keyring, 1, 7701);
  const std::size_t damaged = data[0] * 256u + data[1];
  const std::size_t piece = data[3] + std::size_t{1};
  const auto message = text_of(data + 4, size - 4);
  std::size_t there = 0;
  std::size_t back = 0;
  for (int turn = 0; turn < 4; ++turn) {
    carry(other, us, piece, damaged, data[2], there);
    ensure(!us.next(), "a message before its time");
    carry(us, other, piece, 0, 0, back);
    ensure(!other.next(), "a message never sent");
  }
  if (!other.open()) {
    ensure(data[2] != 0, "a stream that does not open");
    return;
  }
  other.send(node::Channel::node, message);
  other.finish();
  carry(other, us, piece, damaged, data[2], there);
  const bool whole = data[2] == 0 || damaged >= there;
  const auto frame = us.next();
  ensure(frame || !whole, "a message lost");
  ensure(!frame || (frame->channel == node::Channel::node && frame->bytes == message),
      "another message");
  ensure(!us.next(), "a message too many");
  us.end_of_input();
  ensure(us.failure().has_value() != whole, "damage must show, and nothing else");
}

const Registered kStream({.name = "stream", .run = run_stream});

}  // namespace
}  // namespace dunlin::fuzz
