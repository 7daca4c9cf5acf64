// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>

#include "node/codec.h"
#include "node/store/jobs/job_blob.h"
#include "tests/support/codec/codec_properties.h"
#include "tests/support/hexadecimal.h"

// The bytes of stored jobs, and of what tasks run: builds before and after read them.
namespace dunlin::node {
namespace {

// In hexadecimal.
constexpr std::string_view kGoldenSpec =
    "102450040c53020a185003307550400c0360ea112d1711451711553211552a000011513211512a00011149"
    "17000141080111054a110972ff2e2f72656e646572000000ff257b5441534b5f49001f4e4445587d410402"
    "1105321105121f4c4556454c01391f2f646174610f6e6f6e651f2f686f6d650f616e6e6111040200000210";
/// The same of a build that knew no scripts.
constexpr std::string_view kGoldenSpecWithoutScript =
    "102250040a53020a185003307550400c0360ea112517113d17114d32114d2a000011493211492a00011141"
    "1741080111054a110972ff2e2f72656e646572000000ff257b5441534b5f49001f4e4445587d4104021105"
    "321105121f4c4556454c01391f2f646174610f6e6f6e651f2f686f6d650f616e6e6111040200000210";
/// The same of a build that knew no signal before the time limit.
constexpr std::string_view kGoldenSpecBefore =
    "102150030a53020a18500330751040112517113d17114d32114d2a000011493211492a0001114117410801"
    "11054a110972ff2e2f72656e646572000000ff257b5441534b5f49001f4e4445587d410402110532110512"
    "1f4c4556454c01391f2f646174610f6e6f6e651f2f686f6d650f616e6e6111040200000210";
constexpr std::string_view kGoldenBlob =
    "10000100030000007765620070c9b28b000000010100000000000000020000000000000000000000000004"
    "0000006d61696c03060000006672616d657303000000f40100004000000001000000030000006770750100"
    "000000000000460003000600000072656e646572000000000000000000046bf41400000000c817a8040000"
    "00020000000107000000000000000000000000000000000000000000000001";

TaskSpec golden_spec() {
  TaskSpec spec;
  spec.command = {{"./render"}, {"%{TASK_INDEX}"}};
  spec.environment = {{"LEVEL", "9"}};
  spec.directory = "/data";
  spec.stdout_path = "none";
  spec.submit_directory = "/home";
  spec.owner = "anna";
  spec.rows = 24;
  spec.columns = 80;
  spec.checkpoint_signal = 10;
  spec.checkpoint_time = std::chrono::seconds(30);
  spec.literal = true;
  spec.umask = 64;
  spec.limits = {{.resource = 0, .max = 4096}};
  return spec;
}

TEST(JobGolden, ASpecHasTheBytesThatItAlwaysHad) {
  TaskSpec spec = golden_spec();
  spec.limit_signal = 12;
  spec.limit_signal_time = std::chrono::minutes(1);
  std::string bytes;
  encode(spec, bytes);
  EXPECT_EQ(test::hexadecimal(bytes), kGoldenSpec);
}

TEST(JobGolden, ASpecOfABuildWithoutScriptsIsRead) {
  const std::string bytes = dunlin::testing::bytes_of_hex(kGoldenSpecWithoutScript);
  const auto spec = decode_task_spec(dunlin::testing::bytes_of(bytes));
  ASSERT_TRUE(spec);
  TaskSpec expected = golden_spec();
  expected.limit_signal = 12;
  expected.limit_signal_time = std::chrono::minutes(1);
  EXPECT_EQ(*spec, expected);
}

TEST(JobGolden, ASpecWithoutASignalBeforeItsLimitIsRead) {
  const std::string bytes = dunlin::testing::bytes_of_hex(kGoldenSpecBefore);
  const auto spec = decode_task_spec(dunlin::testing::bytes_of(bytes));
  ASSERT_TRUE(spec);
  EXPECT_EQ(*spec, golden_spec());
}

TEST(JobGolden, AStoredJobHasTheBytesThatItAlwaysHad) {
  sched::TaskGroup group{.name = "frames",
      .count = 3,
      .demand = {.cpu = 500, .memory = 64, .custom = {{"gpu", 1}}, .disk_read = 7},
      .cpu_unsaid = true,
      .priority = 70,
      .retries = 3,
      .at_once = 2,
      .gang = true,
      .time_limit = std::chrono::seconds(90),
      .duration = std::chrono::seconds(20),
      .spec = "render",
      .entries = {}};
  const JobTerms terms{.service_class = "web",
      .deadline = std::chrono::minutes(10),
      .past_deadline = sched::PastDeadline::cancel,
      .key = {.high = 1, .low = 2},
      .after_jobs = {},
      .end_command = "mail",
      .on_preempt = sched::OnPreempt::suspend};
  EXPECT_EQ(test::hexadecimal(encode_groups({group}, terms)), kGoldenBlob);
}

}  // namespace
}  // namespace dunlin::node
