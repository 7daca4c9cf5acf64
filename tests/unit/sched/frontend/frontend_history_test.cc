// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "sched/frontend/table/forget_history.h"
#include "tests/unit/sched/frontend/frontend_restart.h"

// When a frontend forgets jobs that have ended.
namespace dunlin::test {
namespace {

using sched::Frontend;
using std::chrono::hours;
using std::chrono::seconds;

// The wall clock was set by years, or it is that of the machine that takes the jobs over.
TEST_F(FrontendRestart, NoJobIsForgottenAtOnceForItsAgeByTheWallClock) {
  std::vector<sched::StoredJob> jobs;
  for (std::uint32_t number = 1; number <= 2; ++number) {
    sched::StoredJob job = stored(now - 40 * hours(24));
    job.job.id.number = number;
    job.tasks.push_back({.index = 0, .finished = true});
    job.progress.ended = sched::EndFacts{.after = seconds(5)};
    jobs.push_back(std::move(job));
  }
  Frontend frontend(params, node(kHome.value));
  auto first = turn();
  frontend.restore(first, std::move(jobs));
  const auto left_after = [&](sched::Duration time) {
    now += time;
    auto next = turn();
    frontend.wake(next, around());
    return frontend.jobs().size();
  };
  EXPECT_EQ(left_after(params.history_min - seconds(1)), 2u);
  EXPECT_EQ(left_after(seconds(20)), 1u) << "the newest stays";
}

// A pass is short, because other jobs wait meanwhile; so there is another one soon.
TEST_F(FrontendRestart, HistoryThatIsTooMuchGoesInPassesCloseTogether) {
  params.history_min = sched::Duration{0};
  params.history_max = 0;
  Frontend frontend(params, node(kHome.value));
  constexpr std::size_t kJobs = sched::kForgottenMax + 50;
  for (std::size_t i = 0; i < kJobs; ++i) {
    sched::Job job = test::job(1);
    job.id = frontend.next_job(1);
    const sched::JobId id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    ASSERT_TRUE(frontend.cancel(now_turn, id, {}));
  }
  now += seconds(10);
  auto first = turn();
  frontend.wake(first, around());
  EXPECT_EQ(frontend.jobs().size(), 50u);
  EXPECT_LE(frontend.deadline(), now + std::chrono::milliseconds(100));
  now = frontend.deadline();
  auto next = turn();
  frontend.wake(next, around());
  EXPECT_EQ(frontend.jobs().size(), 1u);
  EXPECT_GT(frontend.deadline(), now + seconds(1));
}

}  // namespace
}  // namespace dunlin::test
