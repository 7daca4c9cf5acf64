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
  using Replicas::Replicas;
  SubmitKeys() = default;
  static sched::Job keyed(std::uint64_t key) {
    sched::Job made = replicated(2, 20s);
    made.key = {.high = 7, .low = key};
    return made;
  }
  /// The log of node 0 before it was taken over.
  const sched::logs::LogPart* old_log() {
    for (const auto& part : world.peer(0).logs()->parts().all()) {
      if (part->facts().origin == World::id_of(0) && part->frontend() == nullptr) return part.get();
    }
    return nullptr;
  }
};

TEST_F(SubmitKeys, RunNothingTwiceAtTheNodeWhereTheJobWas) {
  const JobId id = moved_away(keyed(1));
  const auto again = world.submit(0, keyed(1));
  if (old_log()->moved().is_sure()) {
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(*again, id);
    sched::Job another = keyed(1);
    another.owner = "berta";
    EXPECT_EQ(world.submit(0, another).error().kind, ErrorKind::conflict);
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

/// Jobs are history for a minute. Their keys outlive them.
class ForgottenKeys : public SubmitKeys {
 protected:
  ForgottenKeys() : SubmitKeys(options()) {}
  static WorldOptions options() {
    WorldOptions options{.seed = 11};
    options.params.frontend.history_age = 1min;
    return options;
  }
  static sched::Job short_one(std::uint64_t key, std::uint8_t replicas) {
    sched::Job made = replicated(2, 1s, replicas);
    made.key = {.high = 7, .low = key};
    return made;
  }
  bool has_logs(std::size_t node) const {
    const sched::PeerLogs* const logs = world.peer(node).logs();
    return logs != nullptr && !logs->parts().all().empty();
  }
  /// Said again there it is no other job.
  void expect_same(std::size_t node, const sched::Job& wants, const JobId& id) {
    const std::uint64_t before = started();
    const auto again = world.submit(node, wants);
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(*again, id);
    world.run_for(5s);
    EXPECT_EQ(started(), before) << "and nothing runs";
  }
};

TEST_F(ForgottenKeys, RunNothingTwiceWithoutALog) {
  const JobId id = world.submit(0, short_one(1, 0)).value();
  ASSERT_TRUE(finishes(id, 60s));
  // The newest one is never forgotten.
  ASSERT_TRUE(finishes(world.submit(0, short_one(2, 0)).value(), 60s));
  ASSERT_TRUE(world.run_until([&] { return find(id) == nullptr; }, 180s));
  expect_same(0, short_one(1, 0), id);
  world.crash(0);
  world.restart(0);
  world.run_for(10s);
  expect_same(0, short_one(1, 0), id);
  EXPECT_EQ(world.failure(), "");
}

// A log ends with the last of its jobs. They ran again then.
TEST_F(ForgottenKeys, RunNothingTwiceAfterTheirLogHasEnded) {
  const JobId id = world.submit(0, short_one(1, 1)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  ASSERT_TRUE(finishes(id, 60s));
  expect_same(0, short_one(1, 1), id);
  ASSERT_TRUE(world.run_until([&] { return !has_logs(0); }, 300s)) << describe();
  expect_same(0, short_one(1, 1), id);
  world.crash(0);
  world.restart(0);
  world.run_for(10s);
  expect_same(0, short_one(1, 1), id);
  EXPECT_EQ(world.failure(), "");
}

// Another node drove the job, and forgot it. Where it was submitted none may know if it ran: then
// that is said, and it does not run again.
TEST_F(ForgottenKeys, RunNothingTwiceAfterATakeover) {
  const JobId id = moved_away(keyed(1));
  std::size_t driver = 0;
  for (std::size_t node = 1; node < world.size(); ++node) {
    if (sched::find_job(world.peer(node), id) != nullptr) driver = node;
  }
  ASSERT_NE(driver, 0u);
  ASSERT_TRUE(finishes(id, 120s));
  for (int look = 0; look < 30; ++look) {
    if (look % 10 == 5) {
      world.crash(0);
      world.restart(0);
    }
    world.run_for(10s);
    const std::uint64_t before = started();
    const auto again = world.submit(0, keyed(1));
    if (again) {
      EXPECT_EQ(*again, id) << "look " << look;
    } else {
      EXPECT_EQ(again.error().kind, ErrorKind::timeout) << "look " << look;
    }
    world.run_for(2s);
    EXPECT_EQ(started(), before) << "look " << look;
  }
  EXPECT_FALSE(has_logs(driver)) << "the job is history";
  expect_same(driver, keyed(1), id);
  EXPECT_EQ(world.failure(), "");
}

// As the guide says: a key is that of one node. Without standbys no other has heard of it.
TEST_F(SubmitKeys, OfAJobWithoutStandbysStayAtItsNode) {
  sched::Job wants = keyed(1);
  wants.replicas = 0;
  const JobId id = world.submit(0, wants).value();
  const auto elsewhere = world.submit(1, wants);
  ASSERT_TRUE(elsewhere) << elsewhere.error().text;
  EXPECT_NE(*elsewhere, id);
  world.crash(0);
  world.restart(0);
  const auto again = world.submit(0, wants);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, id);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
