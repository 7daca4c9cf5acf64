// SPDX-License-Identifier: MIT
#include "node/task/task_slots.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class TaskSlotsTest : public ::testing::Test {
 protected:
  TaskSlotsTest() { uv_loop_init(&loop_); }
  ~TaskSlotsTest() override {
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  test::Scratch scratch_;
  uv_loop_t loop_;
};

TEST_F(TaskSlotsTest, LeavesTheSlotsOfTasksThatRunAlone) {
  for (const char* name : {"/0", "/1", "/2", "/5"}) {
    fs::create_directories(scratch_.path() + name + "/left");
  }
  {
    TaskSlots slots(
        loop_, scratch_.path(), {1, 2}, [](const std::string& text) { FAIL() << text; });
    EXPECT_FALSE(fs::exists(scratch_.path() + "/0"));
    EXPECT_FALSE(fs::exists(scratch_.path() + "/5"));
    EXPECT_TRUE(fs::exists(scratch_.path() + "/1/left"));
    EXPECT_EQ(slots.take(), 0u);
    EXPECT_EQ(slots.take(), 3u) << "1 and 2 are taken";
    EXPECT_TRUE(slots.release(1, true));
    EXPECT_EQ(slots.take(), 1u);
    EXPECT_FALSE(fs::exists(scratch_.path() + "/1/left"));
  }
}

}  // namespace
}  // namespace dunlin::node
