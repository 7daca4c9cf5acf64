// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/scenario/replicas.h"

// A submission that is said twice is one job, also if another node took the job over meanwhile.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

class SubmitKeys : public Replicas {
 protected:
  static sched::Job keyed(std::uint64_t key, sched::Duration length = 1s) {
    sched::Job made = replicated(2, length);
    made.key = {.high = 7, .low = key};
    return made;
  }
};

TEST_F(SubmitKeys, OutliveATakeoverAtTheNodeWhereTheJobWasAndAtTheNextHome) {
  const JobId id = world.submit(0, keyed(1)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  ASSERT_TRUE(finishes(id, 60s));
  world.crash(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "no takeover";
  const auto begun = started();
  world.restart(0);
  world.run_for(10s);
  ASSERT_EQ(sched::find_job(world.peer(0), id), nullptr);
  const auto again = world.submit(0, keyed(1));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, id);
  EXPECT_EQ(started(), begun) << "nothing runs twice";
  sched::Job another = keyed(1);
  another.owner = "berta";
  EXPECT_EQ(world.submit(0, another).error().kind, ErrorKind::refused);
  for (std::size_t node = 1; node < world.size(); ++node) {
    if (sched::find_job(world.peer(node), id) == nullptr) continue;
    EXPECT_EQ(*world.submit(node, keyed(1)), id) << "the key came with the log";
  }
  const auto other = world.submit(0, keyed(2));
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_NE(*other, id);
  EXPECT_EQ(world.failure(), "");
}

// The home is back, and does not hear of its log: what it has of it may not be all.
TEST_F(SubmitKeys, AreNotKnownBeforeTheCopyIsWhole) {
  const JobId id = world.submit(0, keyed(1, 30s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  world.crash(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "no takeover";
  bool cut = true;
  world.filter([&](std::size_t, std::size_t to, const AnyMessage& message) {
    return cut && to == 0 && said<sched::LogAppend>(message) ? 0u : 1u;
  });
  world.restart(0);
  world.run_for(10s);
  ASSERT_EQ(sched::find_job(world.peer(0), id), nullptr);
  EXPECT_EQ(world.submit(0, keyed(1)).error().kind, ErrorKind::timeout);
  EXPECT_TRUE(world.submit(0, replicated(1, 1s))) << "without a key there is nothing to know";
  cut = false;
  world.run_for(10s);
  EXPECT_EQ(*world.submit(0, keyed(1)), id);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
