// SPDX-License-Identifier: MIT
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/node/replicas/replica_world.h"

// A standby with a full disk cannot keep what it is sent, and must not hold up the home.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class FullStandby : public ReplicaWorld {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: a small disk of our own needs root";
    before = ::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "NOT TESTED: no mount namespace can be made here";
    }
    for (const char* const name : {"n0", "n1", "n2"}) {
      const std::string disk = home + "/" + name;
      fs::create_directory(disk);
      if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8m,mode=0700") != 0) {
        GTEST_SKIP() << "NOT TESTED: no tmpfs can be mounted here";
      }
      add(name, arguments_of(1));
    }
    form_cell();
  }
  void TearDown() override {
    agents.clear();
    const std::string back = fs::current_path();
    EXPECT_EQ(::setns(before, CLONE_NEWNS), 0) << "later tests would miss their programs";
    EXPECT_EQ(::chdir(back.c_str()), 0);
    ::close(before);
  }
  /// The standby of a job of n0, by name; empty: it has none.
  std::string standby_of(std::uint32_t number) const {
    const Json standbys = job_at(n0(), number).value("standbys", Json::array());
    return standbys.size() == 1 ? standbys[0]["node_name"].get<std::string>() : "";
  }

  int before = -1;  ///< The mounts of the other tests.
};

TEST_F(FullStandby, IsLeftOutAndTheHomeGoesOn) {
  const auto running = submit(n0(), "sleep 0.3", 40);
  wait_for_standbys(running);
  const std::string full = standby_of(running);
  const std::string filler = home + "/" + full + "/filler";
  {
    std::ofstream file(filler);
    const std::string block(4096, 'x');
    while (file.write(block.data(), 4096).flush()) {
    }
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto submitted = submit(n0(), "true", 10);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s) << "the standby held up the word";
  EXPECT_EQ(finish(n0(), running)["done"], 40);
  EXPECT_EQ(finish(n0(), submitted)["done"], 10);
  const std::string other = full == "n1" ? "n2" : "n1";
  EXPECT_TRUE(eventually([&] { return standby_of(submitted) == other; }))
      << "'" << standby_of(submitted) << "' has what node " << full << " cannot keep";
  fs::remove(filler);
  const auto after = submit(n0(), "true", 10);
  EXPECT_EQ(finish(n0(), after)["done"], 10);
}

}  // namespace
}  // namespace dunlin::node
