// SPDX-License-Identifier: MIT
// Datagrams of strangers, and those of a member damaged on their way.
#include <algorithm>
#include <vector>

#include "node/net/sealing.h"
#include "tests/fuzz/chance.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/members.h"

namespace dunlin::fuzz {
namespace {

constexpr auto kFrom = overlay::Address::v4(0x7f000001, 7700);
constexpr overlay::Time kNow{std::chrono::seconds(5)};

/// Opens a datagram after one byte of it was changed (`damage` 0: none); the change must show.
node::Opened open_damaged(
    node::Sealer& by, std::vector<std::byte>& datagram, std::size_t where, std::uint8_t damage) {
  datagram[where % datagram.size()] ^= std::byte{damage};
  const node::Opened opened = by.open(datagram, kFrom, kNow);
  ensure(opened.dropped.has_value() == (damage != 0), "damage must show, and nothing else");
  return opened;
}

std::vector<std::byte> copy(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

// One byte where to damage, the last two bits of it what: an introduction, a greeting, or a
// message. One byte how (0: not at all; 255: no datagram of ours at all), then the body.
void run_datagram(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > node::datagram::kMax - node::datagram::kOverheadMax) return;
  fix_chance();
  static const Members members;
  node::Sealer us(members.us, members.keyring, 1, 1000);
  const auto body = bytes_of(data + 2, size - 2);
  std::vector<std::byte> buffer(
      std::max(body.size(), node::datagram::kChallenge) + node::datagram::kOverheadMax);
  if (data[1] == 255) {
    std::ranges::copy(body, buffer.begin());
    ensure(us.open(std::span(buffer).first(body.size()), kFrom, kNow).dropped.has_value(),
        "a stranger");
    return;
  }
  node::Sealer other(members.other, members.keyring, 1, 1000);
  const auto fill = [&] { std::ranges::copy(body, buffer.begin() + node::datagram::kHeadroom); };
  const unsigned what = data[0] & 3u;
  fill();
  auto introduction = copy(other.introduce(members.us.id(), 1, buffer, body.size()));
  const auto called = open_damaged(us, introduction, data[0], what == 0 ? data[1] : 0);
  if (called.dropped) return;
  ensure(called.greet && std::ranges::equal(called.body, body), "another introduction");
  const auto sealed = us.greet(*called.greet, buffer);
  ensure(sealed.has_value(), "a caller that cannot be greeted");
  auto greeting = copy(*sealed);
  const auto greeted = open_damaged(other, greeting, data[0], what == 1 ? data[1] : 0);
  if (greeted.dropped) return;
  ensure(greeted.echo == 1, "another greeting");
  fill();
  auto message = copy(other.seal(members.us.id(), buffer, body.size()).value());
  const auto opened = open_damaged(us, message, data[0], what > 1 ? data[1] : 0);
  ensure(opened.dropped || std::ranges::equal(opened.body, body), "another body");
}

const Registered kDatagram({.name = "datagram", .run = run_datagram});

}  // namespace
}  // namespace dunlin::fuzz
