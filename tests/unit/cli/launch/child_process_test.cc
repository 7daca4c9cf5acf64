// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/child_process.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;

/// Its status, after it has ended; -1 if it does not within 10 s.
int status_at_end(ChildProcess& child) {
  for (int i = 0; i < 2000; ++i) {
    child.step();
    if (const auto status = child.status()) return *status;
    std::this_thread::sleep_for(5ms);
  }
  return -1;
}

std::unique_ptr<ChildProcess> shell_child(const std::string& script) {
  auto child = ChildProcess::start({"sh", "-c", script});
  EXPECT_TRUE(child);
  return child ? std::move(*child) : nullptr;
}

TEST(ChildProcess, IsFedAndHeard) {
  const auto child = shell_child("cat; echo wrong >&2; exit 3");
  const std::string large(1'000'000, 'x');
  child->feed("begin ", false);
  child->feed(large, true);
  EXPECT_EQ(status_at_end(*child), 3);
  EXPECT_EQ(child->err(), "wrong\n");
  // What is not to be kept is read all the same, so the child is not held up.
  EXPECT_EQ(child->out().substr(0, 8), "begin xx");
  EXPECT_EQ(child->out().size(), 256u * 1024);
}

TEST(ChildProcess, OneThatReadsNothingIsNoSignal) {
  const auto child = shell_child("exec <&-; exit 4");
  const std::string large(4'000'000, 'x');
  child->feed(large, true);
  EXPECT_EQ(status_at_end(*child), 4);
}

// A master of ssh lives on with the pipes of the ssh that made it.
TEST(ChildProcess, ItsEndIsNotThatOfItsPipes) {
  const auto begun = std::chrono::steady_clock::now();
  const auto child = shell_child("echo said; sleep 20 & exit 0");
  child->feed({}, true);
  EXPECT_EQ(status_at_end(*child), 0);
  EXPECT_EQ(child->out(), "said\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
}

TEST(ChildProcess, AKilledOneTellsTheSignal) {
  const auto child = shell_child("exec sleep 60");
  child->kill();
  EXPECT_EQ(status_at_end(*child), 128 + 9);
}

TEST(ChildProcess, AProgramThatIsMissingIsNamed) {
  const auto child = ChildProcess::start({"no-such-program-of-ours"});
  ASSERT_FALSE(child);
  EXPECT_NE(child.error().text.find("no-such-program-of-ours"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::cli
