// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Of three nodes one has a small disk: no task fails for it, and output alone makes it no sick
// node.
namespace dunlin::node {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FullNode : public AgentWorld {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: a small disk of our own needs root";
    before_ = ::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
    const std::string disk = home + "/b";
    fs::create_directory(disk);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, size_.c_str()) != 0) {
      GTEST_SKIP() << "NOT TESTED: no small disk can be mounted here";
    }
    add("a");
    add("b");
    add("c");
    wait_for_nodes(*agents[0], 3);
  }
  void TearDown() override {
    agents.clear();
    if (before_ < 0) return;
    ::umount2((home + "/b").c_str(), MNT_DETACH);
    const std::string back = fs::current_path();
    EXPECT_EQ(::setns(before_, CLONE_NEWNS), 0) << "later tests would miss their programs";
    EXPECT_EQ(::chdir(back.c_str()), 0);
    ::close(before_);
  }
  Json node_b() {
    const Json nodes = agents[0]->client().ok(request("nodes"))["nodes"];
    for (const Json& node : nodes) {
      if (node["name"] == "b") return node;
    }
    return Json::object();
  }
  bool becomes(const std::string& state) {
    return eventually([&] { return node_b().value("state", "") == state; });
  }

  std::string size_ = "size=3m,mode=0700";  ///< Of the small disk.
  int before_ = -1;
};

/// With 64 MB, of which 3.4 are to stay free.
class SmallNode : public FullNode {
 protected:
  SmallNode() { size_ = "size=64m,mode=0700"; }
  /// Takes room, as users' own files do, until so many bytes are free.
  void leave_free(std::uint64_t bytes) const {
    struct statvfs found{};
    ASSERT_EQ(::statvfs((home + "/b").c_str(), &found), 0);
    const std::uint64_t free = std::uint64_t{found.f_bavail} * found.f_frsize;
    std::ofstream(home + "/b/of-users") << std::string(free - bytes, 'x');
  }
};

// What tasks print may make a node with so small a disk sick for a moment. It was so for as long as
// a user might still look at that.
TEST_F(FullNode, FailsNoneOf200TasksAndIsWellAgain) {
  const std::uint32_t job = submit(*agents[0], "head -c 100000 /dev/zero && sleep 0.05", 200);
  const Json counts = finish(*agents[0], job);
  EXPECT_EQ(counts.value("done", 0), 200) << counts;
  EXPECT_EQ(counts.value("failed", 0), 0) << run_dunlin(
      agents[0]->socket(), {"job", std::to_string(job), "--attempts", "--state=failed"})
                                                 .out;
  EXPECT_TRUE(becomes("up")) << node_b();
}

TEST_F(SmallNode, IsNotMadeSickByWhatMembersPrint) {
  const std::uint32_t much = submit(*agents[0], "head -c 20000000 /dev/zero", 24);
  const std::uint32_t endless = submit(*agents[0], "head -c 200000000 /dev/zero; sleep 1", 3);
  const std::uint32_t both = submit(*agents[0], "head -c 900000 /dev/zero | tee /dev/stderr", 30);
  for (const std::uint32_t job : {much, endless, both}) {
    const Json counts = finish(*agents[0], job);
    EXPECT_EQ(counts.value("failed", 0), 0) << counts;
  }
  EXPECT_EQ(agents[1]->client().ok(request("status"))["counters"]["event_health_changed"], 0);
  EXPECT_THAT(agents[1]->log(), HasSubstr("output_given_up"));
}

// There is room for the node, but less than what output leaves free where it can.
TEST_F(SmallNode, PrintsSlowlyWhereOthersTakeTheRoom) {
  leave_free(4'000'000);
  const Json counts = finish(*agents[0], submit(*agents[0], "head -c 200000 /dev/zero", 60));
  EXPECT_EQ(counts.value("done", 0), 60) << counts;
  const Json rows = agents[0]->client().ok(request("tasks", {{"number", 1}}))["tasks"];
  for (const Json& task : rows) EXPECT_EQ(task["attempt"], 1) << "no node lost it: " << task;
}

TEST_F(FullNode, IsSickWhileOthersFillItsDiskAndWellAgainByItself) {
  const std::string ballast = home + "/b/ballast";
  {
    std::ofstream file(ballast, std::ios::binary);
    const std::string block(4096, 'x');
    while (file.write(block.data(), 4096).flush()) {
    }
  }
  ASSERT_TRUE(becomes("sick")) << node_b();
  // Found by the room that is left, or by a commit that failed before that was looked at.
  EXPECT_THAT(node_b().value("sick", ""),
      AnyOf(HasSubstr("disk full: " + home + "/b"),
          HasSubstr("cannot write to the disk of " + home + "/b: No space left")));
  const Json counts = finish(*agents[0], submit(*agents[0], "head -c 100000 /dev/zero", 20));
  EXPECT_EQ(counts.value("done", 0), 20) << counts;
  fs::remove(ballast);
  EXPECT_TRUE(becomes("up")) << node_b();
}

}  // namespace
}  // namespace dunlin::node
