// SPDX-License-Identifier: MIT
#include "overlay/codec.h"

#include <gtest/gtest.h>
#include <limits>

#include "overlay/message.capnp.h"
#include "tests/support/codec/codec_properties.h"

namespace dunlin::overlay {
namespace {

using dunlin::testing::bytes_of;
using dunlin::testing::encoded;

constexpr auto decode_message = [](std::span<const std::byte> bytes) { return decode(bytes); };

TEST(OverlayCodec, RoundTripsEveryMessage) {
  dunlin::testing::expect_round_trips<Message>(decode_message, 300, 100);
}

TEST(OverlayCodec, RefusesEveryCut) {
  dunlin::testing::expect_cuts_refused<Message>(decode_message, 100);
}

TEST(OverlayCodec, SurvivesDamage) {
  dunlin::testing::expect_damage_survived<Message>(decode_message, 3000, 100);
}

/// A descriptor as a real cluster has them.
Descriptor typical(Rng& rng) {
  return {.id = {rng()},
      .address = Address::v4(0x0a000000 | rng.below(1 << 16), 7700),
      .queued = static_cast<std::uint16_t>(rng.below(10)),
      .age = std::chrono::milliseconds(rng.below(30'000)),
      .incarnation = 1 + rng.below(5),
      .sequence = rng.below(100'000),
      .cpu_free = rng.below(32'000),
      .memory_free = rng.below(128'000),
      .cpu_total = 32'000,
      .memory_total = 128'000,
      .signature = {.low = rng() & rng() & rng(), .high = rng() & rng() & rng()},
      .rates_total = 0xb0b0c0c0,
      .rates_used = static_cast<std::uint32_t>(rng())};
}

// A datagram holds 1,200 bytes. The default sample of 8 leaves room, and the greatest of 12 fits
// even where no byte of it is zero.
TEST(OverlayCodec, ShufflesFitDatagrams) {
  Rng rng(1);
  ShuffleRequest usual{.request = rng(), .sample = {}};
  for (int i = 0; i < 8; ++i) usual.sample.push_back(typical(rng));
  EXPECT_LE(encoded(Message(usual)).size(), 600u);

  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    dunlin::testing::RandomMessage random(seed, 0);
    ShuffleReply full{.request = rng(), .sample = {}};
    Descriptor descriptor;
    while (!full.sample.full()) {
      random.fill(descriptor, 0);
      full.sample.push_back(descriptor);
      if (full.sample.size() == 8) {
        EXPECT_LE(encoded(Message(full)).size(), 1100u);
      }
    }
    EXPECT_LE(encoded(Message(full)).size(), 1200u);
  }
}

TEST(OverlayCodec, RefusesListBeyondItsBound) {
  for (const unsigned size : {12u, 13u, 20u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initShuffleRequest().initSample(size);
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), size <= 12);
  }
}

TEST(OverlayCodec, RefusesMessageOfNewerSchema) {
  capnp::MallocMessageBuilder builder;
  builder.initRoot<wire::Message>().initPing();
  std::string bytes = dunlin::testing::packed(builder);
  ASSERT_TRUE(decode(bytes_of(bytes)).has_value());
  // The discriminant is the first thing after the root pointer.
  auto* words = builder.getSegmentsForOutput()[0].asBytes().begin();
  const_cast<kj::byte*>(words)[sizeof(capnp::word)] = 200;
  EXPECT_FALSE(decode(bytes_of(dunlin::testing::packed(builder))).has_value());
}

// A few bytes that unpack to many: refused by the size they claim, before any memory is taken.
TEST(OverlayCodec, RefusesZeroBomb) {
  const std::uint32_t words_max = kUnpackedMax / 8 - 1;  // Without the frame.
  EXPECT_TRUE(
      decode(bytes_of(dunlin::testing::zeros(words_max, words_max))).has_value());  // All defaults.
  EXPECT_FALSE(decode(bytes_of(dunlin::testing::zeros(words_max + 1, words_max + 1))).has_value());
  EXPECT_FALSE(decode(bytes_of(dunlin::testing::zeros(100'000, 100'000))).has_value());
  EXPECT_FALSE(decode(bytes_of(dunlin::testing::zeros(0xffffffff, 0))).has_value());
}

TEST(OverlayCodec, RefusesWhatNoDatagramHolds) {
  const std::string bytes(kPackedMax + 1, '\0');
  EXPECT_FALSE(decode(bytes_of(bytes)).has_value());
  EXPECT_FALSE(decode({}).has_value());
}

// An age only ever grows on its way: it is rounded up, and saturates.
TEST(OverlayCodec, RoundsAgesUp) {
  Pong pong;
  pong.self.age = Duration{1};
  EXPECT_EQ(std::get<Pong>(*decode(bytes_of(encoded(Message(pong))))).self.age,
      std::chrono::milliseconds(1));
  pong.self.age = Duration::max();
  EXPECT_EQ(std::get<Pong>(*decode(bytes_of(encoded(Message(pong))))).self.age,
      std::chrono::milliseconds(std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace
}  // namespace dunlin::overlay
