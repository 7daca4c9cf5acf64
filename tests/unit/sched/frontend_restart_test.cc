// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <limits>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// What a frontend's next life knows of the one before: all that was stored, and nothing else.
namespace dunlin::test {
namespace {

using sched::Frontend;
using std::chrono::hours;
using std::chrono::seconds;

class FrontendRestart : public Solo {
 protected:
  FrontendRestart() { know_nodes(8); }

  static constexpr sched::PeerId kHome{99};
  static sched::StoredJob stored(std::optional<sched::Time> submitted) {
    sched::StoredJob job{.job = test::job(1), .submitted = submitted, .progress = {}, .tasks = {}};
    job.job.id = {.home = kHome, .number = 1};
    return job;
  }
  /// A frontend of node 99 that begins with `job`, and has sent its first reservations.
  Frontend restored(sched::StoredJob job) {
    Frontend frontend(params, node(kHome.value));
    auto first = turn();
    frontend.restore(first, {std::move(job)});
    now = frontend.deadline() + params.recovery_wait;
    auto next = turn();
    frontend.wake(next, around());
    return frontend;
  }
  sched::Duration age(const Frontend& frontend) const {
    return now - frontend.jobs().begin()->second.accepted();
  }
  sched::Duration waited() const { return out.all<sched::Reserve>().front().waited; }

  sched::FrontendParams params{.placement = sched::Placement::random};
};

TEST_F(FrontendRestart, JobsKeepTheirAge) {
  const Frontend frontend = restored(stored(now - seconds(60)));
  EXPECT_GT(age(frontend), seconds(60));
  EXPECT_EQ(waited(), sched::whole_milliseconds(age(frontend)));
}

// The machine booted 100 s ago, the job is a day old.
TEST_F(FrontendRestart, JobsMayBeOlderThanTheClock) {
  const Frontend frontend = restored(stored(now - hours(24)));
  EXPECT_GT(age(frontend), hours(24));
  EXPECT_GT(waited(), hours(24));
}

TEST_F(FrontendRestart, AgesSaturate) {
  for (const sched::Time submitted : {sched::Time::min(), now - hours(24 * 365 * 200)}) {
    out.clear();
    const Frontend frontend = restored(stored(submitted));
    EXPECT_GT(age(frontend), hours(24 * 365 * 99));
    EXPECT_EQ(waited(), std::chrono::milliseconds(std::numeric_limits<std::uint32_t>::max()))
        << "as it is on the wire";
  }
}

// The wall clock was set back while the agent was down.
TEST_F(FrontendRestart, NoJobIsSubmittedInTheFuture) {
  for (const sched::Time submitted : {now + hours(1), sched::Time::max()}) {
    out.clear();
    const sched::Time begin = now;
    const Frontend frontend = restored(stored(submitted));
    EXPECT_EQ(age(frontend), now - begin);
    EXPECT_EQ(waited(), sched::whole_milliseconds(now - begin));
  }
}

TEST_F(FrontendRestart, WithoutAWallClockJobsAreNew) {
  const sched::Time begin = now;
  const Frontend frontend = restored(stored(std::nullopt));
  EXPECT_EQ(age(frontend), now - begin);
}

}  // namespace
}  // namespace dunlin::test
