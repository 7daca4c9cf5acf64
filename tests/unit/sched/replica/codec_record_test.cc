// SPDX-License-Identifier: MIT
#include "sched/replica/codec_record.h"

#include <gtest/gtest.h>

#include "sched/message.h"
#include "sched/replica/record.capnp.h"
#include "tests/support/codec/codec_properties.h"

namespace dunlin::sched::replica {
namespace {

using dunlin::testing::encoded;

constexpr auto decode = [](std::span<const std::byte> bytes) { return decode_record(bytes); };

TEST(CodecRecord, EveryRecordComesBackAsItWas) {
  dunlin::testing::expect_round_trips<Record>(decode, 100, 3'000);
}

TEST(CodecRecord, CutAnywhereItIsRefused) {
  dunlin::testing::expect_cuts_refused<Record>(decode, 300);
}

TEST(CodecRecord, DamageIsRefusedOrAnotherRecord) {
  dunlin::testing::expect_damage_survived<Record>(decode, 1000, 100);
}

TEST(CodecRecord, TheLargestGroupAndLinesFit) {
  PutGroup group{.count = 1, .spec = std::string(PutGroup::kSpecMax, '\x7f'), .lines = 1};
  EXPECT_EQ(decode(dunlin::testing::bytes_of(encoded(Record(group)))), Record(group));
  const std::string largest = encoded(Record(group));
  EXPECT_LE(largest.size() + 4, LogBatch::kRecordsMax);
  EXPECT_LE(kRecordMax + 4, LogBatch::kRecordsMax);
  // What packs worst: whole words beside such with two zeros.
  for (std::size_t i = 8; i + 8 <= group.spec.size(); i += 16)
    group.spec[i] = group.spec[i + 1] = 0;
  EXPECT_TRUE(decode(dunlin::testing::bytes_of(encoded(Record(group)))) == Record(group));
  PutLines lines{.sizes = std::vector<std::uint32_t>(PutLines::kSizesMax, ~0u),
      .text = std::string(PutLines::kTextMax, '\x7f')};
  EXPECT_EQ(decode(dunlin::testing::bytes_of(encoded(Record(lines)))), Record(lines));
}

TEST(CodecRecord, ABatchIsItsRecordsInTheirOrder) {
  std::string batch;
  const std::vector<Record> records = {ForgetJob{.job = {.number = 1}},
      PutLoss{.job = {.number = 2}, .lost = {3, 4}}, PutProgress{.restarts = 5}};
  for (const Record& record : records) append(batch, record);
  EXPECT_EQ(decode_records(batch), records);
  EXPECT_EQ(decode_records(""), std::vector<Record>{});
  for (std::size_t cut = 1; cut < batch.size(); ++cut) {
    const auto read = decode_records(std::string_view(batch).substr(0, cut));
    EXPECT_TRUE(!read || read->size() < records.size());
  }
  EXPECT_FALSE(decode_records(batch + "\1"));
}

}  // namespace
}  // namespace dunlin::sched::replica
