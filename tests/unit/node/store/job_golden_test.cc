// SPDX-License-Identifier: MIT
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

#include "node/codec.h"
#include "node/store/job_blob.h"

// The bytes of stored jobs, and of what tasks run: builds before and after read them.
namespace dunlin::node {
namespace {

// GOLDEN: the bytes that the code before X::Terms wrote, in hexadecimal.
constexpr std::string_view kGoldenSpec = "";
constexpr std::string_view kGoldenBlob = "";

std::string digits_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

TEST(JobGolden, ASpecHasTheBytesThatItAlwaysHad) {
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
  std::string bytes;
  encode(spec, bytes);
  EXPECT_EQ(digits_of(bytes), kGoldenSpec);
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
  EXPECT_EQ(digits_of(encode_groups({group}, terms)), kGoldenBlob);
}

}  // namespace
}  // namespace dunlin::node
