// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/class_crowds.h"

#include <gtest/gtest.h>
#include <vector>

#include "sched/ledger/class_name.h"
#include "sched/worker/discipline/fifo.h"
#include "tests/support/loose_parts.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;
using test::reserve_of;

/// First come, first served. Class 1 has three quarters of the node, class 2 one quarter.
class ClassCrowdsTest : public ::testing::Test {
 protected:
  ClassCrowdsTest() { shares.set_tickets(kNow, {{1, 3000}, {2, 1000}}); }
  static Reserve of_class(ClassId class_id, Duration task_time = 1s) {
    Reserve reserve = reserve_of(1, task_time);
    reserve.class_id = class_id;
    return reserve;
  }
  /// Reservations of these classes, which came one after the other.
  void wait(const std::vector<ClassId>& classes, Duration task_time = 1s) {
    for (const ClassId class_id : classes) {
      const auto second = std::chrono::seconds(waiting.size());
      waiting.push_back(arriving(of_class(class_id, task_time), kNow + second));
    }
  }
  ClassQueue queue() const { return {waiting, shares, fifo, kNow + 60s}; }

  FifoDiscipline fifo{5s};
  ClassShares shares{kNow};
  std::vector<QueuedReservation> waiting;
};

TEST_F(ClassCrowdsTest, TheLastOfTheClassThatIsFurthestBeyondItsPartLeaves) {
  wait({2, 1, 2, 1, 1});
  EXPECT_EQ(crowded_element(queue(), of_class(1)), 2u)
      << "2 of a quarter are more than 4 of three quarters";
  wait({1, 1, 1});
  EXPECT_FALSE(crowded_element(queue(), of_class(1))) << "now its own class is the largest";
}

TEST_F(ClassCrowdsTest, NobodyLeavesForItsOwnClassAlone) {
  wait({1, 1});
  EXPECT_FALSE(crowded_element(queue(), of_class(1)));
  EXPECT_EQ(crowded_element(queue(), of_class(2)), std::nullopt)
      << "one of a quarter is more than two of three quarters";
  wait({1, 1});
  EXPECT_EQ(crowded_element(queue(), of_class(2)), 3u);
}

TEST_F(ClassCrowdsTest, AheadAreTheOwnClassAndTheTurnsOfOthersMeanwhile) {
  wait({1, 1, 1, 1, 1, 1, 1, 1, 2, 2});
  EXPECT_EQ(ahead_by_class(queue(), 0), 0u) << "a third of a turn is none";
  EXPECT_EQ(ahead_by_class(queue(), 5), 5u + 2u);
  EXPECT_EQ(ahead_by_class(queue(), 8), 3u) << "three turns of class 1 for each of class 2";
  EXPECT_EQ(ahead_by_class(queue(), 9), 1u + 6u);
}

TEST_F(ClassCrowdsTest, AheadAreNoMoreOfAClassThanWait) {
  wait({1, 2, 2, 2, 2});
  EXPECT_EQ(ahead_by_class(queue(), 4), 3u + 1u);
}

TEST_F(ClassCrowdsTest, ThoseInNoTableCrowdTheDefaultClass) {
  shares.set_tickets(kNow, {{2, 1000}, {class_id_of(""), 1000}});
  wait({77, 78, 2});
  EXPECT_EQ(crowded_element(queue(), of_class(2)), std::nullopt);
  wait({79});
  EXPECT_EQ(crowded_element(queue(), of_class(2)), 3u);
}

TEST_F(ClassCrowdsTest, WorkAheadIsThatOfTheOwnClassAtItsPartOfTheNode) {
  wait({1, 2, 2}, 8s);
  const double half = 4e9 * 1000;  // Half a task of 8 s of a CPU.
  const auto newcomer = [&](ClassId class_id, Duration when) {
    return work_ahead_by_class(queue(), arriving(of_class(class_id), kNow + when));
  };
  EXPECT_DOUBLE_EQ(newcomer(1, 10s), half / .75);
  EXPECT_DOUBLE_EQ(newcomer(2, 10s), 3 * half) << "no more than all there is";
  EXPECT_DOUBLE_EQ(newcomer(2, 1500ms), 2 * half) << "all but the last, which came later";
  EXPECT_DOUBLE_EQ(newcomer(1, -1s), 0) << "nothing of its class is before it";
}

}  // namespace
}  // namespace dunlin::sched
