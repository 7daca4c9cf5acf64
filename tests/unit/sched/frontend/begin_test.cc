// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// A job whose user has it begin later starts no task before, through a restart of its frontend, and
// begins by itself.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Frontend;
using sched::TaskState;

class BeginTest : public Solo {
 protected:
  BeginTest() { know_nodes(8); }

  static sched::Job later() {
    sched::Job job = test::job(2);
    job.begin = 60s;
    return job;
  }
  sched::JobId submit(sched::Job job) {
    job.id = frontend.next_job(1);
    const sched::JobId id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    return id;
  }
  /// The tasks that node 7 gets of the job.
  std::size_t asked(const sched::JobId& job) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7),
        sched::GetTask{.job = job, .request = ++request_, .incarnation = 1, .room = 1});
    return out.all<sched::Tasks>().back().tasks.size();
  }
  /// Wakes the frontend whenever it wants, until `end`.
  void pass(sched::Time end) {
    while (now < end) {
      now = std::min(end, std::max(frontend.deadline(), now + 1ms));
      auto now_turn = turn();
      frontend.wake(now_turn, around());
    }
  }

  Frontend frontend{{.placement = sched::PlacementName::random}, node(99)};

 private:
  std::uint32_t request_ = 0;
};

TEST_F(BeginTest, NoTaskStartsBefore) {
  const sched::JobId job = submit(later());
  const sched::Time begins = now + 60s;
  EXPECT_EQ(frontend.deadline(), begins) << "there is nothing to do before";
  pass(begins - 1ms);
  EXPECT_TRUE(out.all<sched::Reserve>().empty());
  EXPECT_EQ(asked(job), 0u) << "whoever asks";
  EXPECT_TRUE(frontend.find(job)->waits_to_begin());
  out.clear();
  pass(begins);
  EXPECT_FALSE(frontend.find(job)->waits_to_begin());
  EXPECT_FALSE(out.all<sched::Reserve>().empty()) << "it begins by itself";
  EXPECT_EQ(asked(job), 1u);
}

TEST_F(BeginTest, AHoldIsAnotherMatter) {
  sched::Job job = later();
  job.held = true;
  const sched::JobId id = submit(std::move(job));
  pass(now + 61s);
  EXPECT_EQ(asked(id), 0u) << "its time has come, and it is on hold yet";
  auto now_turn = turn();
  ASSERT_TRUE(frontend.change(now_turn, around(), id, {.held = false, .terms = {}}));
  EXPECT_EQ(asked(id), 1u);
}

TEST_F(BeginTest, ACancelledJobBeginsNever) {
  const sched::JobId id = submit(later());
  auto now_turn = turn();
  ASSERT_TRUE(frontend.cancel(now_turn, id, {}));
  EXPECT_TRUE(frontend.find(id)->finished());
  pass(now + 120s);
  EXPECT_TRUE(out.all<sched::Reserve>().empty());
}

TEST_F(BeginTest, ItCountsFromTheSubmitThroughARestart) {
  for (const sched::Duration before : {20s, 200s}) {
    Frontend next{{.placement = sched::PlacementName::random}, node(99)};
    sched::StoredJob stored{.job = later(), .submitted = now - before};
    stored.job.id = {.home = {99}, .number = 1};
    auto now_turn = turn();
    next.restore(now_turn, {stored});
    const sched::JobState& job = next.jobs().begin()->second;
    EXPECT_EQ(job.waits_to_begin(), before < 60s);
    EXPECT_EQ(job.offered(0), before < 60s ? 0u : 2u);
    EXPECT_EQ(job.begins_at(), now - before + 60s);
  }
}

}  // namespace
}  // namespace dunlin::test
