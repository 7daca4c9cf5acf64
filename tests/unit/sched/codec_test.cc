// SPDX-License-Identifier: MIT
#include "sched/codec.h"

#include <gtest/gtest.h>

#include "sched/message.capnp.h"
#include "tests/support/codec/codec_properties.h"

namespace dunlin::sched {

namespace {

using dunlin::testing::bytes_of;
using dunlin::testing::encoded;

constexpr auto decode_message = [](std::span<const std::byte> bytes) { return decode(bytes); };

TEST(SchedCodec, RoundTripsEveryMessage) {
  dunlin::testing::expect_round_trips<Message>(decode_message, 100, 3'000);
}

TEST(SchedCodec, RoundTripsLargeMessages) {
  dunlin::testing::expect_round_trips<Message>(decode_message, 4, 900'000);
}

TEST(SchedCodec, RefusesEveryCut) {
  dunlin::testing::expect_cuts_refused<Message>(decode_message, 300);
}

TEST(SchedCodec, SurvivesDamage) {
  dunlin::testing::expect_damage_survived<Message>(decode_message, 1000, 100);
}

TEST(SchedCodec, RefusesListBeyondItsBound) {
  for (const unsigned size : {128u, 129u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initKill().initTasks(size);
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), size <= 128);
  }
}

TEST(SchedCodec, RefusesTextAndDataBeyondTheirBounds) {
  for (const unsigned size : {127u, 128u}) {
    capnp::MallocMessageBuilder builder;
    auto tasks = builder.initRoot<wire::Message>().initTasks();
    tasks.initName(size);
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), size <= 127);
  }
  for (const unsigned size : {1'310'720u, 1'310'721u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initTasks().initSpec(size);
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), size <= 1'310'720);
  }
}

TEST(SchedCodec, RefusesUnknownEnumerant) {
  const auto last = static_cast<std::uint16_t>(std::size(kBounceReasonWords) - 1);
  for (const std::uint16_t reason : {last, static_cast<std::uint16_t>(last + 1)}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initBounced().setReason(
        static_cast<wire::BounceReason>(reason));
    EXPECT_EQ(decode(bytes_of(dunlin::testing::packed(builder))).has_value(), reason == last);
  }
}

TEST(SchedCodec, RefusesNegativeDuration) {
  Done done;
  done.reports.push_back({.wall = Duration{5}});
  EXPECT_TRUE(decode(bytes_of(encoded(Message(done)))).has_value());
  done.reports.front().wall = Duration{-5};
  EXPECT_FALSE(decode(bytes_of(encoded(Message(done)))).has_value());
}

TEST(SchedCodec, RefusesZeroBomb) {
  const std::uint32_t words_max = kUnpackedMax / 8 - 1;  // Without the frame.
  EXPECT_TRUE(decode(bytes_of(dunlin::testing::zeros(words_max, words_max))).has_value());
  EXPECT_FALSE(decode(bytes_of(dunlin::testing::zeros(words_max + 1, words_max + 1))).has_value());
  EXPECT_FALSE(decode(bytes_of(dunlin::testing::zeros(words_max, 1))).has_value());
}

// To send more than the schema allows is our bug, and stops us rather than the receiver.
TEST(SchedCodecDeathTest, EncodesNothingBeyondABound) {
  std::string out;
  EXPECT_DEATH(encode(Message(Kill{.job = {}, .tasks = std::vector<Attempt>(129)}), out),
      "longer than its schema allows");
  Tasks tasks;
  tasks.tasks.resize(64, {.index = 0, .attempt = 1, .entry = std::string(65'536, 'x')});
  EXPECT_DEATH(encode(Message(tasks), out), "larger than its layer allows");
}

/// Bytes that the packed encoding makes more of than any: whole words beside such with two zeros.
std::string hard_to_pack(std::size_t size) {
  std::string bytes(size, '\x7f');
  for (std::size_t i = 8; i + 8 <= size; i += 16) bytes[i] = bytes[i + 1] = '\0';
  return bytes;
}

// The work and the lines of an answer, and a record of a log that has the same work.
TEST(SchedCodec, TheLargestWorkFitsIntoMessages) {
  Tasks tasks{.spec = hard_to_pack(Tasks::kSpecMax)};
  tasks.tasks.resize(5, {.index = 7, .attempt = 1, .entry = hard_to_pack(65'536)});
  EXPECT_TRUE(decode(bytes_of(encoded(Message(tasks)))) == Message(tasks));
  LogAppend append{.log = 1};
  append.batches.push_back({.epoch = 1, .records = hard_to_pack(LogBatch::kRecordsMax)});
  EXPECT_TRUE(decode(bytes_of(encoded(Message(append)))) == Message(append));
}

// A reservation that walks is the commonest message: it fits a datagram with room to spare.
TEST(SchedCodec, ReserveFitsDatagram) {
  Reserve reserve{.job = {.home = {0x1122334455667788}, .number = 12},
      .group = 1,
      .probe = 1234,
      .frontend = Address::v4(0x0a000001, 7700),
      .demand = {.cpu = 1000, .memory = 512, .custom = {{"gpu", 1}}},
      .constraints = {{.key = "os", .comparison = Comparison::equal, .value = "linux"}},
      .priority = 50,
      .tasks_max = 16,
      .walk = {.rule = HopRule::mixed, .hops_left = 5}};
  while (!reserve.walk.visited.full()) reserve.walk.visited.push_back(0x1122334455667788);
  EXPECT_LE(encoded(Message(reserve)).size(), 300u);
}

/// As agents send them when they have much to tell: twelve ends, each of a task that did a lot.
Done full_done(const TaskUse& use) {
  Done done{.job = {.home = {0x1122334455667788}, .number = 12, .lineage = 0x8877665544332211},
      .reports = {},
      .load = {.cpu_free = 64'000, .memory_free = 1 << 18}};
  for (std::uint32_t index = 1000; index < 1012; ++index) {
    done.reports.push_back({.index = index,
        .attempt = 1,
        .wall = Duration{3'600'123'456'789 + index},
        .cpu = Duration{7'200'123'456'789 + index},
        .memory_peak = 3'456'789'012u + index,
        .out_bytes = 123'456 + index,
        .err_bytes = 1234,
        .started_at = 1'790'000'000'123'456'789 + index,
        .use = use});
  }
  return done;
}

constexpr TaskUse kMuchUsed{.cpu_peak = 63'999,
    .disk_read = 1'234'567'890'123,
    .disk_written = 234'567'890'123,
    .net_received = 34'567'890'123,
    .net_sent = 4'567'890'123,
    .disk_read_peak = 1'234'567,
    .disk_write_peak = 1'234'568,
    .net_in_peak = 1'234'569,
    .net_out_peak = 1'234'570,
    .has_disk = true,
    .has_net = true};

TEST(SchedCodec, TwelveReportsFitADatagram) {
  EXPECT_LE(encoded(Message(full_done(kMuchUsed))).size(), 1200u);
}

// What was not measured takes no room: no more than a null pointer, which packs to less than a
// byte.
TEST(SchedCodec, AReportWithoutUseIsAsShortAsBefore) {
  const std::size_t without = encoded(Message(full_done({}))).size();
  const std::size_t with_least = encoded(Message(full_done({.cpu_peak = 1}))).size();
  EXPECT_LE(without + 12 * 8, with_least) << "it is left out";
  capnp::MallocMessageBuilder builder;
  builder.initRoot<wire::Message>().initDone().initReports(1);
  const auto back = decode(bytes_of(dunlin::testing::packed(builder)));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<Done>(*back).reports.at(0).use, TaskUse{});
}

}  // namespace
}  // namespace dunlin::sched
