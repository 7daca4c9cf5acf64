// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>

#include "sched/replica/job_copies.h"
#include "sched/replica/record_writer.h"
#include "tests/support/codec/codec_properties.h"
#include "tests/support/hexadecimal.h"

// The bytes of records, as other builds read and write them. They change only if the schema gives a
// field another place, which would be an error: so a refactoring of what writes them shows here.
// If this fails after a change that adds a field with a value, the job below should not say it.
namespace dunlin::sched::replica {
namespace {

// In hexadecimal.
constexpr std::string_view kGoldenJob =
    "4f000000101850010100005006081d020b02010f15cd5b073ee02992d209010101020000111c0311253211"
    "252a11252a00001121220001010701030384031f747261696e0f616e6e610f676f6c640f6d61696c670000"
    "0010215001010101500506510246031eb864d9450e9435771102021001111403111d12511c030111391f11"
    "4d22000001070103038403016113f401400001110117510401010101110122076770755104010200001105"
    "1a110532036f731f6c696e75780f7370656323000000100b50010101024003110803111114111132010701"
    "030384031103033f6f6e6574776f2c000000101750010101015005061101320003111403111d12511c0301"
    "000111210b01070103038403016203e8030003";

// As builds wrote the same job that knew no comment, labels, time to begin and rerun.
constexpr std::string_view kGoldenBefore =
    "4b000000101550010100005005061d020b02010f15cd5b073ee02992d20901010102111403111d32111d2a"
    "111d2a0000111922010701030384031f747261696e0f616e6e610f676f6c640f6d61696c67000000102150"
    "01010101500506510246031eb864d9450e9435771102021001111403111d12511c030111391f114d220000"
    "01070103038403016113f4014000011101175104010101011101220767707551040102000011051a110532"
    "036f731f6c696e75780f7370656323000000100b5001010102400311080311111411113201070103038403"
    "1103033f6f6e6574776f2c000000101750010101015005061101320003111403111d12511c030100011121"
    "0b01070103038403016203e8030003";

Job golden_job() {
  Job job{.id = {.home = {7}, .number = 3, .lineage = 900},
      .name = "train",
      .groups = {},
      .submitted_at = 123456789,
      .owner = "anna",
      .service_class = "gold",
      .deadline = std::chrono::hours(3),
      .past_deadline = PastDeadline::cancel,
      .key = {1, 2},
      .held = true,
      .replicas = 2,
      .replicas_required = 1,
      .after_jobs = {},
      .on_preempt = OnPreempt::checkpoint,
      .end_command = "mail"};
  job.groups.push_back({.name = "a",
      .count = 2,
      .demand = {.cpu = 500, .memory = 64, .custom = {{"gpu", 1}}},
      .cpu_unsaid = true,
      .constraints = {{.key = "os", .comparison = Comparison::equal, .value = "linux"}},
      .priority = 70,
      .retries = 3,
      .at_once = 2,
      .time_limit = std::chrono::minutes(5),
      .duration = std::chrono::seconds(2),
      .spec = "spec",
      .entries = {}});
  job.groups.back().entries.push_back("one");
  job.groups.back().entries.push_back("two");
  job.groups.push_back({.name = "b", .demand = {.cpu = 1000}, .after = {0}, .entries = {}});
  return job;
}

TEST(RecordGolden, AJobHasTheBytesThatItAlwaysHad) {
  RecordWriter writer;
  writer.put_job(golden_job());
  std::string bytes;
  for (const std::string& batch : writer.take()) bytes += batch;
  EXPECT_EQ(test::hexadecimal(bytes), kGoldenJob);
}

TEST(RecordGolden, WhatABuildBeforeWroteIsTheSameJob) {
  JobCopies copies;
  ASSERT_TRUE(copies.apply(dunlin::testing::bytes_of_hex(kGoldenBefore)));
  ASSERT_EQ(copies.jobs().size(), 1u);
  EXPECT_EQ(copies.jobs()[0].job, golden_job());
}

}  // namespace
}  // namespace dunlin::sched::replica
