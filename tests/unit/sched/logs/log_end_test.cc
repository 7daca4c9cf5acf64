// SPDX-License-Identifier: MIT
#include "sched/logs/log_end.h"

#include <gtest/gtest.h>
#include <utility>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// When the home of a log asks the books to forget it.
namespace dunlin::test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class LogEndTest : public Solo {
 protected:
  sched::JobId submit() {
    sched::Job job = test::job(1);
    job.id = frontend.next_job(1);
    const sched::JobId id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    return id;
  }
  void cancel(const sched::JobId& job) {
    auto now_turn = turn();
    EXPECT_TRUE(frontend.cancel(now_turn, job, {}));
  }
  bool is_due() { return end.is_due(frontend, now, hours(1)); }

  sched::Frontend frontend{sched::FrontendParams{}, node(1)};
  sched::logs::LogEnd end;
};

TEST_F(LogEndTest, NotWhileAJobGoesOnOrIsNoHistoryYet) {
  const auto first = submit();
  const auto second = submit();
  cancel(first);
  now += hours(2);
  EXPECT_FALSE(is_due()) << "the second one goes on";
  cancel(second);
  now += hours(1);
  EXPECT_FALSE(is_due()) << "it ended an hour ago, and not before";
  EXPECT_FALSE(end.is_closing());
  now += seconds(1);
  EXPECT_TRUE(is_due());
  EXPECT_TRUE(end.is_closing());
}

TEST_F(LogEndTest, TheBooksAreAskedOnceASecondUntilTheyHaveAnswered) {
  cancel(submit());
  now += hours(2);
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(is_due());
  EXPECT_TRUE(end.is_closing()) << "asked or not";
  now += seconds(1);
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(end.is_over());
  end.set_over();
  EXPECT_TRUE(end.is_over());
}

TEST_F(LogEndTest, AJobThatComesOrAnotherHomeEndsTheClosing) {
  cancel(submit());
  now += hours(2);
  EXPECT_TRUE(is_due());
  submit();
  EXPECT_FALSE(is_due());
  EXPECT_FALSE(end.is_closing());
  end.stop_closing();
  EXPECT_FALSE(end.is_closing());
}

}  // namespace
}  // namespace dunlin::test
