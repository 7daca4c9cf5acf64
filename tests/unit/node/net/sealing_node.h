// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "node/net/sealing.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {

using Datagram = std::vector<std::byte>;

inline constexpr std::uint32_t kRate = 10'000;

/// A sealer and its identity, as one node would have them.
struct SealingNode {
  explicit SealingNode(const Keyring& keyring = test_keyring(),
      std::uint32_t incarnation = 1,
      const Identity& own = Identity::generate())
      : identity(own),
        sealer(identity, keyring, incarnation, kRate) {}

  overlay::PeerId id() const { return identity.id(); }

  static Datagram room_for(std::string_view body) {
    Datagram buffer(datagram::kOverheadMax + body.size());
    std::ranges::copy(std::as_bytes(std::span(body)), buffer.begin() + datagram::kHeadroom);
    return buffer;
  }
  static Datagram copy(std::span<const std::byte> sealed) { return {sealed.begin(), sealed.end()}; }

  /// A message. The receiver must be met.
  Datagram seal(overlay::PeerId to, std::string_view body) {
    Datagram buffer = room_for(body);
    const auto sealed = sealer.seal(to, buffer, body.size());
    EXPECT_TRUE(sealed) << "the receiver was not met";
    return sealed ? copy(*sealed) : Datagram{};
  }
  bool has_met(overlay::PeerId peer) {
    Datagram buffer = room_for("");
    return sealer.seal(peer, buffer, 0).has_value();
  }
  Datagram introduce(
      overlay::PeerId to, std::string_view links = {}, std::uint64_t challenge = kChallenge) {
    Datagram buffer = room_for(links);
    return copy(sealer.introduce(to, challenge, buffer, links.size()));
  }
  Datagram greet(const Caller& caller) {
    Datagram buffer = room_for("12345678");
    return copy(sealer.greet(caller, buffer).value());
  }

  /// Opens a copy. The body is kept in `body`.
  Opened open(Datagram bytes,
      overlay::Time now = overlay::Time{std::chrono::seconds(1)},
      const overlay::Address& from = overlay::Address::v4(0x0a000001, 7700)) {
    opened = std::move(bytes);
    const Opened result = sealer.open(opened, from, now);
    body.assign(reinterpret_cast<const char*>(result.body.data()), result.body.size());
    return result;
  }
  std::optional<DropReason> dropped(Datagram bytes) { return open(std::move(bytes)).dropped; }

  static constexpr std::uint64_t kChallenge = 0x1234;

  Identity identity;
  Sealer sealer;
  Datagram opened;
  std::string body;
};

/// Each has heard from the other's present incarnation.
inline void introduce(SealingNode& a, SealingNode& b) {
  const Opened called = b.open(a.introduce(b.id()));
  ASSERT_FALSE(called.dropped);
  ASSERT_TRUE(called.greet);
  const Opened greeted = a.open(b.greet(*called.greet));
  ASSERT_FALSE(greeted.dropped);
  ASSERT_EQ(greeted.echo, SealingNode::kChallenge);
}

}  // namespace dunlin::node
