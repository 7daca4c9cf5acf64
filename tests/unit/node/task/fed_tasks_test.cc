// SPDX-License-Identifier: MIT
#include "node/task/fed_tasks.h"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <uv.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

/// Tasks whose numbers at the warden are one more than their indices.
class FedTasksTest : public ::testing::Test {
 protected:
  using Past = FedTasks::Past;

  FedTasksTest() {
    uv_loop_init(&loop);
    tasks = std::make_unique<FedTasks>(loop, "kestrel",
        FedTasks::Calls{.find = [](const sched::TaskId& task,
                                    sched::AttemptNumber) { return std::uint64_t{task.index} + 1; },
            .feed = [](const warden::Feed&) {},
            .resize = [](const warden::Resize&) {},
            .end = [this](std::uint64_t id) { ended.insert(id); }},
        kWithin);
  }
  ~FedTasksTest() override {
    tasks.reset();
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
  }
  static sched::TaskId task(std::uint32_t index) { return {.job = {}, .index = index}; }
  /// Until no timer is left that could end a task.
  void run() { uv_run(&loop, UV_RUN_DEFAULT); }

  static constexpr auto kWithin = 30ms;
  uv_loop_t loop;
  std::set<std::uint64_t> ended;
  std::unique_ptr<FedTasks> tasks;
};

TEST_F(FedTasksTest, EndsATaskWhoseClientDoesNotCome) {
  tasks->expect(1, Past::none);
  run();
  EXPECT_EQ(ended, (std::set<std::uint64_t>{1}));
}

// The first one has a client for long by now, so no time is set for it.
TEST_F(FedTasksTest, EndsOneThatComesLongAfterAnother) {
  tasks->expect(1, Past::none);
  ASSERT_TRUE(tasks->attach(task(0), 1));
  run();
  tasks->expect(2, Past::none);
  run();
  EXPECT_EQ(ended, (std::set<std::uint64_t>{2}));
}

TEST_F(FedTasksTest, ATaskOfAnEarlierAgentGoesOnIfItWasGivenAll) {
  tasks->expect(1, Past::lost);
  tasks->expect(2, Past::lost);
  tasks->on_fed({.id = 1, .taken = 6, .closed = true});
  tasks->on_fed({.id = 2, .taken = 6, .closed = false});
  EXPECT_EQ(tasks->attach(task(0), 1).error().text, "task 0 was given all of its input already");
  run();
  EXPECT_EQ(ended, (std::set<std::uint64_t>{2})) << "it may wait for more, which nobody has";
}

}  // namespace
}  // namespace dunlin::node
