// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/cell/codec.h"
#include "sched/cell/message.capnp.h"
#include "sched/raft/raft_store.h"
#include "tests/support/codec/codec_properties.h"

namespace dunlin::sched::cell {
namespace {

using dunlin::testing::bytes_of;
using dunlin::testing::encoded;
using raft::AppendEntries;
using raft::AppendEntriesResult;
using raft::Header;
using raft::InstallSnapshot;

constexpr auto decode_message = [](std::span<const std::byte> bytes) { return decode(bytes); };

TEST(CellCodec, RoundTripsEveryMessage) {
  dunlin::testing::expect_round_trips<Message>(decode_message, 100, 3'000);
}

TEST(CellCodec, RefusesEveryCut) {
  dunlin::testing::expect_cuts_refused<Message>(decode_message, 300);
}

TEST(CellCodec, SurvivesDamage) {
  dunlin::testing::expect_damage_survived<Message>(decode_message, 1000, 100);
}

TEST(CellCodec, RefusesListsBeyondTheirBounds) {
  for (const unsigned size : {512u, 513u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initAppendEntries().initEntries(size);
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), size <= 512);
  }
  for (const unsigned size : {196'608u, 196'609u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initInstallSnapshot().initData(size);
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), size <= 196'608);
  }
}

// As much as a group ever sends in one message, of bytes that packing makes longer.
TEST(CellCodec, CarriesTheLargestMessages) {
  std::string data;
  for (std::size_t i = 0; i < kRpcDataMax; ++i) data += i % 8 == 7 ? '\0' : '\x7f';
  InstallSnapshot piece{.header = {1, 2, 3, 4}, .index = 9, .term = 4, .data = data};
  for (std::uint64_t i = 1; i <= kMembersMax; ++i) {
    piece.members.push_back({.replica = ~i,
        .node = {~i},
        .address = {.high = ~i, .low = ~i, .port = 65535},
        .role = MemberRole::spare});
  }
  EXPECT_EQ(decode(bytes_of(encoded(Message(piece)))), Message(piece));

  AppendEntries append{.header = {~1u, ~2u, ~3u, ~4u}};
  for (std::size_t i = 0; i < AppendEntries::kEntriesMax; ++i) {
    append.entries.push_back({.term = ~std::uint64_t{i},
        .data = data.substr(0, kRpcDataMax / AppendEntries::kEntriesMax)});
  }
  EXPECT_EQ(decode(bytes_of(encoded(Message(append)))), Message(append));
}

// A heartbeat and its answer travel all day: they are small.
TEST(CellCodec, HeartbeatIsSmall) {
  const Header header{0x1122334455667788, 0x2122334455667788, 0x3122334455667788, 12};
  EXPECT_LE(encoded(Message(AppendEntries{header, 1000, 12, 1000, {}})).size(), 80u);
  EXPECT_LE(encoded(Message(AppendEntriesResult{header, 0, 1000})).size(), 80u);
}

}  // namespace
}  // namespace dunlin::sched::cell
