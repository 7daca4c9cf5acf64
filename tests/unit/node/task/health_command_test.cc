// SPDX-License-Identifier: MIT
#include "node/task/health_command.h"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

class HealthCommandTest : public ::testing::Test {
 protected:
  HealthCommandTest() { uv_loop_init(&loop); }
  ~HealthCommandTest() override {
    command.reset();
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
  }
  /// The verdicts of the first `count` runs of `text`.
  std::vector<std::string> judge(const std::string& text, std::size_t count = 1) {
    verdicts.clear();
    command = std::make_unique<HealthCommand>(loop,
        HealthCommand::Options{.command = text, .period = 1ms, .timeout = timeout},
        [this](const std::string& why) { verdicts.push_back(why); });
    while (verdicts.size() < count) uv_run(&loop, UV_RUN_ONCE);
    command.reset();
    verdicts.resize(count);
    return verdicts;
  }
  std::string why(const std::string& text) { return judge(text)[0]; }

  uv_loop_t loop;
  std::unique_ptr<HealthCommand> command;
  std::vector<std::string> verdicts;
  overlay::Duration timeout = 20s;
};

TEST_F(HealthCommandTest, StatusZeroIsWellWhateverItSays) {
  EXPECT_EQ(why("true"), "");
  EXPECT_EQ(why("echo all is well"), "");
}

TEST_F(HealthCommandTest, TheFirstLineOfItsOutputSaysWhy) {
  EXPECT_EQ(why("echo /scratch is full; echo and more; exit 1"), "/scratch is full");
  EXPECT_EQ(why("echo on stderr >&2; exit 7"), "on stderr");
}

TEST_F(HealthCommandTest, WithoutOutputTheEndSaysWhy) {
  EXPECT_EQ(why("exit 3"), "the health command ended with status 3");
  EXPECT_EQ(why("kill -KILL $$"), "the health command ended by signal 9");
}

TEST_F(HealthCommandTest, OneThatTakesTooLongIsKilledWithAllThatItStarted) {
  timeout = 200ms;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(why("echo wait; sleep 60 & sleep 60"), "the health command took longer than 200ms");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST_F(HealthCommandTest, MuchOutputStopsNothing) {
  EXPECT_EQ(why("yes | head -c 3000000; exit 1"), "y");
  EXPECT_EQ(why("head -c 100000 /dev/zero | tr '\\0' x; exit 1").size(), 255u);
}

TEST_F(HealthCommandTest, RunsAgainAndAgain) {
  const std::vector<std::string> expected(3, "no");
  EXPECT_EQ(judge("echo no; exit 1", 3), expected);
}

TEST_F(HealthCommandTest, EndsWithItsOwner) {
  command = std::make_unique<HealthCommand>(loop,
      HealthCommand::Options{.command = "sleep 60", .period = 1ms, .timeout = 60s},
      [this](const std::string& said) { verdicts.push_back(said); });
  for (int i = 0; i < 5; ++i) uv_run(&loop, UV_RUN_NOWAIT);
  command.reset();
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_TRUE(verdicts.empty());
}

}  // namespace
}  // namespace dunlin::node
