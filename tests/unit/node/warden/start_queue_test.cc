// SPDX-License-Identifier: MIT
#include "node/warden/start_queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace dunlin::node::warden {
namespace {

class StartQueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<Launch> push(const std::string& user) {
    Start start;
    start.id = ++last_;
    start.user = user;
    start.words = {"true"};
    auto launch =
        std::make_shared<Launch>(std::move(start), std::vector<std::string>{}, Inherited{});
    queue.push(launch, now);
    return launch;
  }
  void push(const std::string& user, int count) {
    for (int i = 0; i < count; ++i) push(user);
  }
  /// The users of all launches that may run now; they are taken.
  std::vector<std::string> take_all() {
    std::vector<std::string> users;
    while (const auto launch = queue.take(now)) {
      users.push_back(launch->start().user);
      taken.push_back(launch);
    }
    return users;
  }
  static std::ptrdiff_t count(const std::vector<std::string>& users, const std::string& user) {
    return std::count(users.begin(), users.end(), user);
  }

  StartQueue queue;
  Clock::time_point now{};
  std::vector<std::shared_ptr<Launch>> taken;
  std::uint64_t last_ = 0;
};

TEST_F(StartQueueTest, TakesUsersInTurns) {
  push("member", 6);
  push("other", 2);
  EXPECT_EQ(take_all(),
      (std::vector<std::string>{
          "member", "other", "member", "other", "member", "member", "member", "member"}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(StartQueueTest, AUserAloneLeavesPlacesForOthers) {
  push("member", 100);
  EXPECT_EQ(take_all().size(), 24u);
  push("other", 20);
  const auto users = take_all();
  EXPECT_EQ(count(users, "other"), 8) << "and the rest waits, as the member's does";
  EXPECT_EQ(users.size(), 8u);
  EXPECT_FALSE(queue.next());
  queue.finish(*taken.back());
  ASSERT_TRUE(queue.next());
  EXPECT_EQ(take_all(), std::vector<std::string>{"other"});
}

TEST_F(StartQueueTest, TellsThatTheOneUserThatIsLeftMayHaveMoreSpawners) {
  push("member", 100);
  push("other");
  const auto users = take_all();
  ASSERT_EQ(count(users, "member"), 8);
  ASSERT_EQ(count(users, "other"), 1);
  const auto of_other = *std::ranges::find_if(
      taken, [](const auto& launch) { return launch->start().user == "other"; });
  std::size_t told = 0;
  for (const auto& launch : taken) {
    if (launch != of_other) told += queue.finish(*launch);
  }
  EXPECT_EQ(told, 0u) << "whoever finishes one of the member's takes its next";
  take_all();
  EXPECT_TRUE(queue.finish(*of_other));
  EXPECT_EQ(count(take_all(), "member"), 16);
}

TEST_F(StartQueueTest, AStartThatHangsGivesItsPlaceUp) {
  push("member", 80);
  for (int second = 1; second <= 4; ++second) {
    take_all();
    now += StartQueue::kHangs;
    EXPECT_TRUE(queue.look(now)) << second;
  }
  EXPECT_EQ(taken.size(), 80u) << "all of them hang, and hold nobody up";
  EXPECT_EQ(queue.spawners_max(), StartQueue::kPlaces + 80);
  push("other");
  const auto next = queue.next();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->first);
  EXPECT_EQ(take_all(), std::vector<std::string>{"other"});
  for (const auto& launch : taken) queue.finish(*launch);
  EXPECT_EQ(queue.spawners_max(), StartQueue::kPlaces);
  push("member");
  EXPECT_EQ(take_all().size(), 1u);
}

TEST_F(StartQueueTest, HasABoundOnThoseThatHang) {
  for (int second = 0; second < 40; ++second) {
    push("member", 32);
    take_all();
    now += StartQueue::kHangs;
    queue.look(now);
  }
  EXPECT_EQ(queue.spawners_max(), StartQueue::kPlaces + StartQueue::kHangingMax);
  push("other");
  EXPECT_EQ(count(take_all(), "other"), 1);
}

TEST_F(StartQueueTest, WithdrawsWhatWaitsAlone) {
  const auto first = push("member");
  const auto second = push("member");
  EXPECT_EQ(queue.take(now), first);
  EXPECT_FALSE(queue.withdraw(*first));
  EXPECT_TRUE(queue.withdraw(*second));
  EXPECT_EQ(queue.take(now), nullptr);
  queue.finish(*first);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace dunlin::node::warden
