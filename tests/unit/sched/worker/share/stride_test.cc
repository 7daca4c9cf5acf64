// SPDX-License-Identifier: MIT
#include "sched/worker/share/stride.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace dunlin::sched {
namespace {

using std::chrono::seconds;

constexpr Time kStart{seconds(100)};

/// A node that runs one task at a time, each of which takes all of it.
struct Serial {
  /// Serves `count` tasks of a second, always of the class that is due of `waiting`; returns how
  /// many of each class.
  std::map<ClassId, int> serve(const std::vector<ClassId>& waiting, int count) {
    std::map<ClassId, int> served;
    for (int i = 0; i < count; ++i) {
      const ClassId class_id = due(waiting);
      run(class_id, kWholeNode, seconds(1));
      ++served[class_id];
    }
    return served;
  }
  ClassId due(const std::vector<ClassId>& waiting) {
    stride.contend(now, waiting);
    return *std::ranges::min_element(
        waiting, {}, [&](ClassId class_id) { return std::pair(stride.pass(class_id), class_id); });
  }
  void run(ClassId class_id, std::uint64_t part, Duration time) {
    stride.serve(class_id);
    stride.hold(now, class_id, part);
    now += time;
    stride.release(now, class_id, part);
  }
  void idle(Duration time) {
    stride.contend(now, {});
    now += time;
  }

  explicit Serial(std::vector<std::pair<ClassId, Tickets>> tickets) {
    stride.set_tickets(now, tickets);
  }
  Time now = kStart;
  Stride stride{kStart};
};

TEST(Stride, ServesInProportionToTickets) {
  Serial node({{1, 3000}, {2, 2000}, {3, 1000}});
  EXPECT_EQ(node.serve({1, 2, 3}, 600), (std::map<ClassId, int>{{1, 300}, {2, 200}, {3, 100}}));
}

TEST(Stride, IdleClassesHoldNobodyUp) {
  Serial node({{1, 9000}, {2, 1000}});
  EXPECT_EQ(node.serve({2}, 50), (std::map<ClassId, int>{{2, 50}}));
}

TEST(Stride, WhoComesBackFromIdleHasSavedNothingUp) {
  Serial node({{1, 1000}, {2, 1000}});
  node.serve({2}, 100);
  const auto served = node.serve({1, 2}, 20);
  EXPECT_NEAR(served.at(1), 10, 1);
  EXPECT_NEAR(served.at(2), 10, 1);
}

TEST(Stride, WhoWasAloneOwesNothing) {
  Serial node({{1, 1000}, {2, 1000}});
  node.serve({2}, 100);
  // Nothing of it waits any more, but it still holds the node.
  node.stride.contend(node.now, {});
  node.stride.hold(node.now, 2, kWholeNode);
  node.now += seconds(1000);
  node.stride.release(node.now, 2, kWholeNode);
  EXPECT_NEAR(node.serve({1, 2}, 20).at(2), 10, 1);
}

TEST(Stride, WhoHoldsTheNodeWhileOthersWaitOwesThem) {
  Serial node({{1, 1000}, {2, 1000}});
  node.due({1, 2});
  node.run(2, kWholeNode, seconds(10));
  EXPECT_EQ(node.serve({1, 2}, 11), (std::map<ClassId, int>{{1, 11}}));
  EXPECT_NEAR(node.serve({1, 2}, 20).at(2), 10, 1);
}

TEST(Stride, OneThatCannotRunHoldsNoNewcomersBack) {
  Serial node({{1, 1000}, {2, 1000}, {3, 1000}});
  // Class 1 waits for something that class 2 does not need.
  for (int i = 0; i < 3600; ++i) {
    node.due({1, 2});
    node.run(2, kWholeNode, seconds(1));
  }
  EXPECT_LE(node.due({1, 2, 3}), 1u);
  EXPECT_NEAR(node.serve({2, 3}, 20).at(3), 10, 1) << "3 begins where 2 is, not where 1 is";
}

TEST(Stride, WhatIsDueToOneThatCouldNotRunIsBounded) {
  Serial node({{1, 1000}, {2, 1000}});
  for (int i = 0; i < 3600; ++i) {
    node.due({1, 2});
    node.run(2, kWholeNode, seconds(1));
  }
  EXPECT_NEAR(node.serve({1, 2}, 70).at(1), 65, 1) << "a minute of the whole node, then half";
}

TEST(Stride, WithoutTicketsOneStillGetsAHundredth) {
  Serial node({{1, 5000}});
  EXPECT_NEAR(node.serve({1, 2}, 1010).at(2), 10, 1);
  // With no tickets at all, all are equal.
  Serial none({});
  EXPECT_EQ(none.serve({1, 2}, 10), (std::map<ClassId, int>{{1, 5}, {2, 5}}));
}

TEST(Stride, ChargesByTheDominantPartAndTime) {
  Serial node({{1, 1000}, {2, 1000}});
  std::map<ClassId, int> served;
  for (int i = 0; i < 120; ++i) {
    const ClassId class_id = node.due({1, 2});
    // Tasks of class 1 take a tenth of the node for 2 s, those of class 2 half of it for 1 s.
    node.run(class_id, class_id == 1 ? kWholeNode / 10 : kWholeNode / 2,
        class_id == 1 ? seconds(2) : seconds(1));
    ++served[class_id];
  }
  EXPECT_NEAR(served[1] / static_cast<double>(served[2]), 2.5, 0.1);
}

TEST(Stride, WhatIsExpectedCountsOnTheCopyAlone) {
  Serial node({{1, 1000}, {2, 3000}});
  node.due({1, 2});
  Stride ahead = node.stride;
  ahead.expect(1, kWholeNode / 2, seconds(3));
  ahead.expect(2, kWholeNode / 2, seconds(9));
  EXPECT_EQ(ahead.lead(1), ahead.lead(2));
  EXPECT_GT(ahead.lead(1), 0);
  EXPECT_EQ(node.stride.lead(1), 0);
}

TEST(Stride, ChangeOfTicketsTakesEffectAtOnce) {
  Serial node({{1, 100}, {2, 900}});
  node.due({1, 2});
  node.run(1, kWholeNode, seconds(1));
  const auto lead = node.stride.lead(1);
  EXPECT_GT(lead, 0);
  const std::vector<std::pair<ClassId, Tickets>> turned = {{1, 900}, {2, 100}};
  node.stride.set_tickets(node.now, turned);
  EXPECT_NEAR(static_cast<double>(node.stride.lead(1)), static_cast<double>(lead) / 9,
      1e-3 * static_cast<double>(lead));
  EXPECT_EQ(node.stride.tickets(1), 900);
  EXPECT_NEAR(node.serve({1, 2}, 100).at(1), 90, 2);
}

TEST(Stride, GrantsThatEndLeaveNoTickets) {
  Serial node({{1, 100}, {2, 900}});
  node.stride.set_tickets(node.now, {});
  EXPECT_EQ(node.stride.tickets(2), 0);
  EXPECT_EQ(node.serve({1, 2}, 10).at(1), 5);
}

TEST(Stride, RunsForEver) {
  Serial node({{1, 1}, {2, 3}});
  std::map<ClassId, int> served;
  for (int i = 0; i < 40'000; ++i) {
    const ClassId class_id = node.due({1, 2});
    node.run(class_id, kWholeNode, std::chrono::hours(10));
    ++served[class_id];
  }
  EXPECT_NEAR(served[2], 30'000, 10);
}

// A few microseconds of a small part of a large node are no longer lost in rounding.
TEST(Stride, SmallChargesAddUp) {
  Serial node({{1, 100'000}, {2, 156'000}});
  node.due({1, 2});
  node.stride.hold(node.now, 1, kWholeNode / 256);
  node.stride.hold(node.now, 2, kWholeNode / 256);
  for (int i = 0; i < 1'000'000; ++i) {
    node.now += std::chrono::microseconds(3);
    node.stride.contend(node.now, std::vector<ClassId>{1, 2});
  }
  Serial whole({{1, 100'000}, {2, 156'000}});
  whole.due({1, 2});
  whole.stride.hold(whole.now, 1, kWholeNode / 256);
  whole.stride.hold(whole.now, 2, kWholeNode / 256);
  whole.now += seconds(3);
  whole.stride.contend(whole.now, std::vector<ClassId>{1, 2});
  const auto expected = static_cast<double>(whole.stride.lead(1));
  EXPECT_NEAR(static_cast<double>(node.stride.lead(1)), expected, expected / 100);
}

TEST(DominantPart, IsThatOfTheScarcestResource) {
  const Resources total{.cpu = 8000, .memory = 1000, .custom = {{"gpu", 2}}};
  EXPECT_EQ(dominant_part({.cpu = 2000, .memory = 100, .custom = {}}, total), 250'000u);
  EXPECT_EQ(dominant_part({.cpu = 2000, .memory = 700, .custom = {}}, total), 700'000u);
  EXPECT_EQ(dominant_part({.cpu = 1, .memory = 0, .custom = {{"gpu", 1}}}, total), 500'000u);
  EXPECT_EQ(dominant_part({.cpu = 1, .memory = 0, .custom = {}}, total), 125u);
  EXPECT_EQ(dominant_part({}, total), 0u);
  EXPECT_GE(dominant_part({.cpu = 0, .memory = 0, .custom = {{"fpga", 1}}}, total), kWholeNode);
}

}  // namespace
}  // namespace dunlin::sched
