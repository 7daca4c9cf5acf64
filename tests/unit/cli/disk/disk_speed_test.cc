// SPDX-License-Identifier: MIT
#include "tools/dunlin/disk/disk_speed.h"

#include <filesystem>
#include <gmock/gmock.h>

#include "sched/resources.h"
#include "tests/support/scratch.h"

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(DiskSpeed, DeclaresTwoDigitsOfWhatWasMeasured) {
  EXPECT_EQ(rate_to_declare(0), "0K/s");
  EXPECT_EQ(rate_to_declare(999), "990K/s");
  EXPECT_EQ(rate_to_declare(10 * 1024), "10M/s");
  EXPECT_EQ(rate_to_declare(219 * 1024 + 1000), "210M/s");
  EXPECT_EQ(rate_to_declare(6999 * 1024), "6900M/s");
  for (const std::uint64_t rate : {1u, 512u, 10'239u, 10'240u, 123'456u, 9'999'999u}) {
    const auto read = sched::parse_rate(rate_to_declare(rate));
    ASSERT_TRUE(read) << rate;
    EXPECT_LE(*read, rate);
    EXPECT_GE(*read, rate * 8 / 10);
  }
}

TEST(DiskSpeed, NothingDoneIsNoRate) {
  EXPECT_EQ(DiskSpeed{}.rate(), 0u);
  EXPECT_EQ((DiskSpeed{.bytes = 1 << 20, .time = 500ms}).rate(), 2048u);
}

TEST(DiskSpeed, MeasuresWithinItsBoundsAndLeavesNothing) {
  const test::Scratch scratch;
  const auto speeds = measure_disk(scratch.path(), {.bytes_max = 32u << 20, .time_max = 2000ms});
  if (!speeds) GTEST_SKIP() << "SKIPPED: " << speeds.error().text;
  EXPECT_GT(speeds->write.rate(), 0u);
  EXPECT_GT(speeds->read.rate(), 0u);
  EXPECT_LE(speeds->write.bytes, 32u << 20);
  EXPECT_LE(speeds->read.bytes, speeds->write.bytes);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(DiskSpeed, SaysWhatIsWrong) {
  const auto missing = measure_disk("/no/such/directory", {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("/no/such/directory"));
  const auto proc = measure_disk("/proc", {});
  ASSERT_FALSE(proc);
  EXPECT_THAT(proc.error().text, HasSubstr("too little room"));
}

}  // namespace
}  // namespace dunlin::cli
