// SPDX-License-Identifier: MIT
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "node/task/output/output.h"
#include "tests/support/scratch.h"

// The output of tasks on a disk of 2 MB.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class FullOutput : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: a small disk of our own needs root";
    before_ = ::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", scratch_.path().c_str(), "tmpfs", 0, "size=2m,mode=0700") != 0) {
      GTEST_SKIP() << "NOT TESTED: no small disk can be mounted here";
    }
  }
  void TearDown() override {
    if (before_ < 0) return;
    ::umount2(scratch_.path().c_str(), MNT_DETACH);
    EXPECT_EQ(::setns(before_, CLONE_NEWNS), 0);
    ::close(before_);
  }
  OutputStore open() {
    auto store = OutputStore::open({.directory = scratch_.path() + "/o"});
    EXPECT_TRUE(store) << store.error().text;
    return std::move(*store);
  }
  static sched::TaskId task(std::uint32_t index) {
    return {.job = {.home = {0xfeed}, .number = 1}, .index = index};
  }
  /// Writes as a task would until no more goes in. Returns how much did.
  static std::uint64_t fill(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    std::uint64_t written = 0;
    for (ssize_t did = 0; (did = ::write(file, block.data(), block.size())) > 0;) {
      written += static_cast<std::uint64_t>(did);
    }
    EXPECT_EQ(errno, ENOSPC);
    ::close(file);
    return written;
  }

  test::Scratch scratch_;
  int before_ = -1;
};

TEST_F(FullOutput, WhatWasWrittenIsKeptAndItsEndMarked) {
  auto store = open();
  store.begin(task(0), 1, 0);
  const std::uint64_t written = fill(store.live_path(0, OutputStream::out));
  EXPECT_GT(written, 1u << 20);
  EXPECT_EQ(store.try_write(task(0), 1), ENOSPC);
  const auto kept = store.end(task(0), 1, written, 0);
  ASSERT_TRUE(kept) << kept.error().text;
  const OutputPiece piece = store.read(task(0), 1, OutputStream::out, 0, 64u << 20);
  EXPECT_EQ(piece.total, written);
  EXPECT_EQ(piece.data.size(), written);
  EXPECT_TRUE(piece.cut_off);
}

TEST_F(FullOutput, AShortOutputIsKeptToo) {
  auto store = open();
  store.begin(task(0), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << "a word";
  fill(scratch_.path() + "/other");
  EXPECT_EQ(store.try_write(task(0), 1), ENOSPC);
  ASSERT_TRUE(store.end(task(0), 1, 6, 0));
  EXPECT_EQ(store.read(task(0), 1, OutputStream::out, 0, 100).data, "a word");
}

TEST_F(FullOutput, ADiskWithRoomCutsNothingOff) {
  auto store = open();
  store.begin(task(0), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << "a word";
  EXPECT_EQ(store.try_write(task(0), 1), 0);
  EXPECT_EQ(store.try_write(task(7), 1), 0) << "it does not run here";
  ASSERT_TRUE(store.end(task(0), 1, 6, 0));
  const OutputPiece piece = store.read(task(0), 1, OutputStream::out, 0, 100);
  EXPECT_EQ(piece.data, "a word") << "a try leaves nothing";
  EXPECT_FALSE(piece.cut_off);
  EXPECT_EQ(store.give_up_old(), 0u) << "somebody may look at it yet";
}

// Another task may have made room since.
TEST_F(FullOutput, AWriteThatFailedAMomentAgoCutsOff) {
  auto store = open();
  store.begin(task(0), 1, 0);
  std::ofstream(store.live_path(0, OutputStream::out)) << "a word";
  EXPECT_EQ(store.try_write(task(0), 1, ENOSPC), ENOSPC);
  ASSERT_TRUE(store.end(task(0), 1, 6, 0));
  EXPECT_TRUE(store.read(task(0), 1, OutputStream::out, 0, 100).cut_off);
}

}  // namespace
}  // namespace dunlin::node
