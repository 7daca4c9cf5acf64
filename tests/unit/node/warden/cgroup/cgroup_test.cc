// SPDX-License-Identifier: MIT
#include "node/warden/cgroup/cgroup.h"

#include <gmock/gmock.h>

#include "node/kernel/kernel_file.h"
#include "node/warden/cgroup/cgroup_tree.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> notes;

// This test's own directory stands for /proc and for the mounts: plain files take what is written.
class Hierarchies : public ::testing::Test {
 protected:
  void describe(const std::string& mountinfo, const std::string& cgroup) {
    test::write_file(scratch_ / "proc/self/mountinfo", mountinfo);
    test::write_file(scratch_ / "proc/self/cgroup", cgroup);
  }
  std::vector<Hierarchy> found() const { return find_hierarchies(scratch_ / "proc"); }
  test::Scratch scratch_;
};

TEST_F(Hierarchies, FindsAHybrid) {
  describe(
      "25 20 0:22 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "26 20 0:23 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
      "27 20 0:24 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
      "28 20 0:25 / /tmp rw - tmpfs tmpfs rw\n",
      "4:memory:/agents/one\n2:cpu,cpuacct:/\n0::/user.slice\n");
  const auto all = found();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT(all[0].controllers, ElementsAre("cpu", "cpuacct"));
  EXPECT_EQ(all[0].own, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_TRUE(all[1].has("memory"));
  EXPECT_EQ(all[1].own, "/sys/fs/cgroup/memory/agents/one");
  EXPECT_TRUE(all[2].v2);
  EXPECT_EQ(all[2].own, "/sys/fs/cgroup/unified/user.slice");
}

TEST_F(Hierarchies, FindsItselfInAContainer) {
  // Only a part of the hierarchy is mounted, and the path is told from its root.
  describe("26 20 0:23 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
      "4:memory:/docker/abc/inner\n");
  EXPECT_EQ(found()[0].own, "/sys/fs/cgroup/memory/inner");
  describe("26 20 0:23 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
      "4:memory:/docker/abc\n");
  EXPECT_EQ(found()[0].own, "/sys/fs/cgroup/memory");
}

TEST_F(Hierarchies, SurvivesNonsense) {
  describe("nonsense\n1 2 3\n - cgroup\n25 20 0:22 / /x rw - cgroup\n", "::::\nx\n\n");
  EXPECT_TRUE(found().empty());
}

TEST_F(Hierarchies, SaysWhyThereAreNoLimits) {
  describe("27 20 0:24 / " + (scratch_ / "v2") + " rw - cgroup2 cgroup2 rw\n", "0::/\n");
  test::write_file(scratch_ / "v2/cgroup.controllers", "hugetlb\n");
  std::vector<std::string> said;
  auto limiter = Limiter::open({.proc = scratch_ / "proc"}, said);
  ASSERT_TRUE(limiter);
  EXPECT_EQ((*limiter)->word(), "rlimit");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("lacks cpu or memory"));
  auto demanded = Limiter::open({.wanted = "v2", .proc = scratch_ / "proc"}, said);
  ASSERT_FALSE(demanded);
  EXPECT_EQ(demanded.error().kind, ErrorKind::refused);
}

TEST_F(Hierarchies, RefusesALabelThatIsNoName) {
  for (const char* label : {"", "a/b", "..", "a b"}) {
    EXPECT_FALSE(Limiter::open({.label = label}, notes)) << label;
  }
}

TEST(KernelFile, ReadsNumbers) {
  EXPECT_EQ(leading_number("42\n"), 42u);
  EXPECT_EQ(leading_number("max"), std::nullopt);
  const auto events = "low 0\noom 3\noom_kill 2\n";
  EXPECT_EQ(keyed_number(events, "oom_kill"), 2u);
  EXPECT_EQ(keyed_number(events, "oom"), 3u);
  EXPECT_EQ(keyed_number(events, "kill"), std::nullopt);
  EXPECT_EQ(keyed_number("", "x"), std::nullopt);
  EXPECT_THAT(parse_pids("1\n22\n333\n"), ElementsAre(1, 22, 333));
  EXPECT_TRUE(parse_pids("").empty());
}

/// The real v1 cgroups of this machine, where they are writable.
class V1 : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Limiter::open(options_, notes);
    if (!opened) GTEST_SKIP() << "SKIPPED: " << opened.error().text;
    limiter_ = std::move(*opened);
  }
  std::string file(std::string_view controller, const std::string& name) const {
    for (const auto& hierarchy : find_hierarchies("/proc")) {
      if (!hierarchy.v2 && hierarchy.has(controller)) {
        return hierarchy.own + "/dunlin-" + options_.label + "/" + name;
      }
    }
    return {};
  }
  LimiterOptions options_{
      .label = "unit-" + std::to_string(::getpid()), .wanted = "v1", .cpu_quota = true};
  std::unique_ptr<Limiter> limiter_;
};

TEST_F(V1, WritesLimitsAndReusesTheSlot) {
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 1500, .memory = 64}));
  EXPECT_EQ(test::file_text(file("memory", "slot-3/memory.limit_in_bytes")), "67108864\n");
  EXPECT_EQ(test::file_text(file("cpu", "slot-3/cpu.shares")), "1536\n");
  EXPECT_EQ(test::file_text(file("cpu", "slot-3/cpu.cfs_quota_us")), "150000\n");
  limiter_->finish(3, false);
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 500}));
  EXPECT_EQ(test::file_text(file("cpu", "slot-3/cpu.shares")), "512\n");
  EXPECT_GT(
      leading_number(test::file_text(file("memory", "slot-3/memory.limit_in_bytes"))), 1ull << 60);
}

TEST_F(V1, ItsTasksTogetherWeighWhatTheyDemand) {
  const auto shares = [&] { return test::file_text(file("cpu", "cpu.shares")); };
  EXPECT_EQ(shares(), "1024\n");
  ASSERT_TRUE(limiter_->prepare(0, {.cpu = 2000}));
  ASSERT_TRUE(limiter_->prepare(1, {.cpu = 6000}));
  EXPECT_EQ(shares(), "8192\n");
  limiter_->finish(1, false);
  EXPECT_EQ(shares(), "2048\n");
}

TEST_F(V1, LimitsAndCountsTheDiskOfATask) {
  const auto disk = disk_below(std::filesystem::temp_directory_path());
  if (!disk) GTEST_SKIP() << "SKIPPED: " << disk.error().text;
  limiter_.reset();
  options_.disk = *disk;
  options_.counts_disks = true;
  auto opened = Limiter::open(options_, notes);
  ASSERT_TRUE(opened);
  limiter_ = std::move(*opened);
  if (!limiter_->limits_disk()) GTEST_SKIP() << "SKIPPED: no writable cgroup blkio here";
  const auto limit = [&](const char* way) {
    return test::file_text(file("blkio", std::string("slot-3/blkio.throttle.") + way));
  };
  const std::string number = std::to_string(disk->major) + ":" + std::to_string(disk->minor);
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 1000, .disk_read = 1024, .disk_write = 2048}));
  EXPECT_EQ(limit("read_bps_device"), number + " 1048576\n");
  EXPECT_EQ(limit("write_bps_device"), number + " 2097152\n");
  const Reading reading = limiter_->read(3);
  EXPECT_EQ(reading.group_disk, DiskBytes{});
  EXPECT_TRUE(reading.memory);
  limiter_->finish(3, false);
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 1000}));
  EXPECT_EQ(limit("read_bps_device"), "") << "the next task has no limit";
  EXPECT_EQ(limit("write_bps_device"), "");
}

TEST_F(V1, ATaskThatDemandsRatesOfTheNetworkJoinsACgroupOfVersion2) {
  EXPECT_FALSE(limiter_->limits_net()) << "nobody asked for it";
  limiter_.reset();
  options_.limits_net = true;
  auto opened = Limiter::open(options_, notes);
  ASSERT_TRUE(opened);
  limiter_ = std::move(*opened);
  if (!limiter_->limits_net()) GTEST_SKIP() << "SKIPPED: no programs at cgroups v2 here";
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 1000}));
  const auto before = limiter_->join_files(3);
  EXPECT_FALSE(limiter_->net(3));
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 1000, .net_out = 100}));
  const auto joins = limiter_->join_files(3);
  ASSERT_EQ(joins.size(), before.size() + 1);
  EXPECT_THAT(joins.back(), HasSubstr("/slot-3/cgroup.procs"));
  EXPECT_EQ(limiter_->net(3), NetBytes{});
  EXPECT_TRUE(limiter_->read(3).group_net);
  const auto slot = std::filesystem::path(joins.back()).parent_path();
  EXPECT_TRUE(std::filesystem::exists(slot));
  ASSERT_TRUE(limiter_->prepare(3, {.cpu = 1000}));
  EXPECT_EQ(limiter_->join_files(3), before) << "the next task does not";
  EXPECT_FALSE(limiter_->net(3));
  limiter_.reset();
  EXPECT_FALSE(std::filesystem::exists(slot.parent_path())) << "nothing is left";
}

TEST_F(V1, HealsASlotThatSomebodyRemoved) {
  ASSERT_TRUE(limiter_->prepare(0, {.cpu = 1000, .memory = 64}));
  ASSERT_EQ(::rmdir(file("memory", "slot-0").c_str()), 0);
  EXPECT_TRUE(limiter_->prepare(0, {.cpu = 1000, .memory = 65}));
}

TEST_F(V1, LeavesNothingBehind) {
  ASSERT_TRUE(limiter_->prepare(7, {.cpu = 1000}));
  const auto base = file("cpu", "slot-7");
  ASSERT_TRUE(std::filesystem::exists(base));
  limiter_.reset();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(base).parent_path()));
}

}  // namespace
}  // namespace dunlin::node
