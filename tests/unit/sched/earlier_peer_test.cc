// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/codec.h"
#include "sched/node_spec.h"
#include "sched/replica/codec_record.h"
#include "tests/support/codec/codec_properties.h"

// Messages and records as 0.5 wrote them, byte for byte: members that came since have the values
// that stand for their lack. See docs/guide/operators.md.
namespace dunlin::sched {
namespace {

using dunlin::testing::bytes_of_hex;

template <typename Kind>
std::optional<Kind> message_of(std::string_view hex) {
  const std::string bytes = bytes_of_hex(hex);
  const auto message = decode(std::as_bytes(std::span(bytes)));
  if (!message || !std::holds_alternative<Kind>(*message)) return std::nullopt;
  return std::get<Kind>(*message);
}

template <typename Kind>
std::optional<Kind> record_of(std::string_view hex) {
  const std::string bytes = bytes_of_hex(hex);
  const auto record = replica::decode_record(std::as_bytes(std::span(bytes)));
  if (!record || !std::holds_alternative<Kind>(*record)) return std::nullopt;
  return std::get<Kind>(*record);
}

constexpr JobId kJob{.home = {7}, .number = 3, .lineage = 5};

TEST(EarlierPeer, ItsFactsTellOfNoDrain) {
  const auto facts = message_of<Facts>(
      "1015500101010d5007090104010200010103000111213a000311113200023f6f73707265791f302e352e30");
  ASSERT_TRUE(facts);
  EXPECT_EQ(*facts,
      (Facts{.request = 4,
          .name = "osprey",
          .incarnation = 2,
          .version = "0.5.0",
          .capabilities = kTestifies | kReattaches}));
}

TEST(EarlierPeer, ItDrainsANodeWithoutAReason) {
  const auto drain = message_of<DrainRequest>("1005500101010e100201090101");
  ASSERT_TRUE(drain);
  EXPECT_EQ(*drain, (DrainRequest{.request = 9, .on = true, .terms = {}}));
}

TEST(EarlierPeer, ItsReservationsAreOfNoUser) {
  const auto reserve = message_of<Reserve>(
      "101f5001010000500f061101020001013200031802060005111403511c0301000301070103010513e80340"
      "0002");
  ASSERT_TRUE(reserve);
  EXPECT_EQ(reserve->job, kJob);
  EXPECT_EQ(reserve->demand.memory, 64u);
  EXPECT_EQ(reserve->guessed, 2u);
  EXPECT_EQ(reserve->user, 0u);
}

TEST(EarlierPeer, ItsStandbysKnowNoBooks) {
  const auto appended = message_of<LogAppended>("10085001010114100501081102010104011e0101");
  ASSERT_TRUE(appended);
  EXPECT_EQ(*appended,
      (LogAppended{.log = 8, .epoch = 2, .life = 1, .replica = 4, .position = 30, .leaves = true}));
}

TEST(EarlierPeer, ItsLogsAreRead) {
  const auto group = record_of<replica::PutGroup>(
      "1013500101010150050611043200021002111403111d2200011115220000010701030105076d61700f73706563");
  ASSERT_TRUE(group);
  EXPECT_EQ(*group,
      (replica::PutGroup{.job = kJob,
          .name = "map",
          .count = 4,
          .priority = 50,
          .spec = "spec",
          .memory_unsaid = true}));
  const auto progress =
      record_of<replica::PutProgress>("100d50010101035004021102040002110403110d120107010301050178");
  ASSERT_TRUE(progress);
  EXPECT_EQ(*progress,
      (replica::PutProgress{.job = kJob, .restarts = 2, .held = true, .end_detail = "x"}));
}

}  // namespace
}  // namespace dunlin::sched
