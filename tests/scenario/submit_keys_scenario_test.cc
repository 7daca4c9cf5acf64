// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/logs/log_part.h"
#include "tests/scenario/replicas.h"

// A submission that is said twice is one job, also if another node took the job over meanwhile.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

class SubmitKeys : public Replicas {
 protected:
  static sched::Job keyed(std::uint64_t key) {
    sched::Job made = replicated(2, 20s);
    made.key = {.high = 7, .low = key};
    return made;
  }
  /// The log of node 0 before it was taken over.
  const sched::logs::LogPart* old_log() {
    for (const auto& part : world.peer(0).logs()->parts()) {
      if (part->facts().origin == World::id_of(0) && part->frontend() == nullptr) return part.get();
    }
    return nullptr;
  }
};

TEST_F(SubmitKeys, RunNothingTwiceAtTheNodeWhereTheJobWas) {
  const JobId id = moved_away(keyed(1));
  const auto again = world.submit(0, keyed(1));
  if (old_log()->has_moved_for_sure()) {
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(*again, id);
    sched::Job another = keyed(1);
    another.owner = "berta";
    EXPECT_EQ(world.submit(0, another).error().kind, ErrorKind::refused);
  } else {
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, ErrorKind::timeout);
  }
  const auto other = world.submit(0, keyed(2));
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_NE(*other, id) << "another key is another job, at once";
  EXPECT_EQ(world.failure(), "");
}

TEST_F(SubmitKeys, ComeWithTheLogToTheNextHome) {
  const JobId id = moved_away(keyed(1));
  for (std::size_t node = 1; node < world.size(); ++node) {
    if (sched::find_job(world.peer(node), id) == nullptr) continue;
    const auto again = world.submit(node, keyed(1));
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(*again, id);
  }
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
