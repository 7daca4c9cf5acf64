// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include "tests/node/agent_world.h"

// What other programs do to a machine, and what tasks did before, as agents see it. Each agent has
// a disk of its own, a loop device in memory: to it nothing that tasks of others write is
// background.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint32_t kMegabyte = 1024;  ///< In KiB.

/// A small file system of its own in memory, on `directory`.
class OwnDisk {
 public:
  explicit OwnDisk(const std::string& directory)
      : image_("/dev/shm/dunlin-disk-" + std::to_string(::getpid()) + "-" +
            std::filesystem::path(directory).filename().string()),
        directory_(directory) {
    std::filesystem::create_directories(directory);
    mounted_ = run("truncate -s 160M " + image_) && run("mkfs.ext4 -q " + image_) &&
        run("mount -o loop " + image_ + " " + directory_);
    // An agent wants a directory of its own.
    if (mounted_) run("rmdir " + directory_ + "/lost+found; chmod 700 " + directory_);
  }
  ~OwnDisk() {
    if (mounted_) run("umount -l " + directory_);
    std::remove(image_.c_str());
  }
  OwnDisk(const OwnDisk&) = delete;
  OwnDisk& operator=(const OwnDisk&) = delete;

  bool mounted() const { return mounted_; }

 private:
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }

  std::string image_;
  std::string directory_;
  bool mounted_ = false;
};

/// Something that is no task: it writes some 50 MB/s past the cache until it goes.
class Writer {
 public:
  explicit Writer(const std::string& path)
      : thread_([this, path] {
          const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_DIRECT, 0600);
          void* block = nullptr;
          if (file < 0 || ::posix_memalign(&block, 4096, kBlock) != 0) return;
          for (off_t i = 0; !stop_; i = (i + 1) % 16) {
            if (::pwrite(file, block, kBlock, i * static_cast<off_t>(kBlock)) < 0) break;
            std::this_thread::sleep_for(20ms);
          }
          std::free(block);
          ::close(file);
        }) {}
  ~Writer() {
    stop_ = true;
    thread_.join();
  }

 private:
  static constexpr std::size_t kBlock = 1 << 20;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class TrackerLive : public AgentWorld {
 protected:
  /// False if no file system can be mounted on this machine.
  bool start(const std::vector<std::string>& names, std::vector<std::string> flags) {
    flags.insert(flags.end(),
        {"--disk-write=100M/s", "--disk-read=100M/s", "--tracker.period=500ms",
            "--tracker.ramp_up=3s"});
    for (const std::string& name : names) {
      disks.push_back(std::make_unique<OwnDisk>(home + "/" + name));
      if (!disks.back()->mounted()) return false;
    }
    for (const std::string& name : names) add(name, flags);
    wait_for_nodes(*agents[0], names.size());
    return true;
  }
  /// The rate of writing in an object of the protocol; KiB/s.
  static std::uint32_t written(const Json& resources) {
    if (!resources.is_object()) return 0;
    return resources.value("rates", Json::object()).value("disk_write", 0u);
  }
  std::uint32_t free_rate(const std::string& name) {
    const Json told = agents[0]->client().ok(request("nodes"));
    for (const Json& node : told["nodes"]) {
      if (node["name"] == name && node.contains("free")) return written(node["free"]);
    }
    return 0;
  }
  /// Seconds until it holds.
  static double time_until(const std::function<bool()>& holds) {
    const auto began = steady_clock::now();
    EXPECT_TRUE(eventually(holds));
    return std::chrono::duration<double>(steady_clock::now() - began).count();
  }

  std::vector<std::unique_ptr<OwnDisk>> disks;
};

TEST_F(TrackerLive, AWriterThatIsNoTaskLowersWhatANodeOffers) {
  if (!start({"n0", "n1"}, {})) GTEST_SKIP() << "SKIPPED: no file system can be mounted here";
  ASSERT_TRUE(eventually([&] { return free_rate("n0") == 100 * kMegabyte; }));
  {
    const Writer writer(home + "/n0/copy");
    const double lower = time_until([&] { return free_rate("n0") < 70 * kMegabyte; });
    EXPECT_LT(lower, 4) << "two periods of half a second, on a busy machine";
    EXPECT_EQ(free_rate("n1"), 100 * kMegabyte);
    const std::uint32_t job = submit(*agents[0], "true", 4,
        {{"demand", {{"cpu_milli", 100}, {"rates", {{"disk_write", 80 * kMegabyte}}}}}});
    EXPECT_EQ(finish(*agents[0], job)["done"], 4);
    const Json told = agents[0]->client().ok(request("tasks", {{"number", job}}));
    ASSERT_EQ(told["tasks"].size(), 4u);
    for (const Json& task : told["tasks"]) EXPECT_EQ(task["worker_name"], "n1");
    std::printf("offered less after %.1f s\n", lower);
  }
  const double back = time_until([&] { return free_rate("n0") == 100 * kMegabyte; });
  EXPECT_LT(back, 3 + 1 + 3) << "ramp_up and two periods, on a busy machine";
  std::printf("offered all again after %.1f s\n", back);
}

TEST_F(TrackerLive, TheSecondRunOfAJobBeginsWithWhatTheFirstOneTook) {
  if (!start({"n0"}, {"--frontend.estimate=rates"})) {
    GTEST_SKIP() << "SKIPPED: no file system can be mounted here";
  }
  const std::string script = "for i in 1 2 3 4 5; do dd if=/dev/zero of=" + home +
      "/n0/$DUNLIN_TASK_INDEX bs=1M count=2 oflag=direct; sleep .2; done";
  const Json named = {{"name", "nightly"}, {"demand", {{"memory_mib", 16}}}};
  const auto demand = [&](std::uint32_t job) {
    const Json told = agents[0]->client().ok(request("job", {{"number", job}}));
    return written(told["groups"][0]["demand"]);
  };
  const std::uint32_t first = submit(*agents[0], script, 2, named);
  EXPECT_TRUE(eventually([&] {
    const std::uint32_t guessed = demand(first);
    return guessed > 10 * kMegabyte && guessed < 13 * kMegabyte;
  })) << "nothing is known: an eighth of the disk, which gossip tells roughly";
  EXPECT_EQ(finish(*agents[0], first)["done"], 2);
  const Json profiles = agents[0]->client().ok(request("profiles"))["profiles"];
  ASSERT_EQ(profiles.size(), 1u);
  EXPECT_EQ(profiles[0]["job"], "test");
  EXPECT_EQ(profiles[0]["group"], "nightly");
  EXPECT_EQ(profiles[0]["tasks"], 2);
  const auto learned = written(profiles[0]["demand"]);
  EXPECT_GT(learned, 4 * kMegabyte) << "10 MB in a second or two";
  EXPECT_LT(learned, 60 * kMegabyte);

  agents[0]->kill9();
  agents[0]->start();
  agents[0]->wait_until_up();
  const std::uint32_t second = submit(*agents[0], "sleep 5", 1, named);
  EXPECT_TRUE(eventually([&] { return demand(second) == learned; })) << "also after a kill -9";
  agents[0]->client().ok(request("cancel", {{"number", second}}));
}

}  // namespace
}  // namespace dunlin::node
