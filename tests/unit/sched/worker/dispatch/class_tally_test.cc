// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/class_tally.h"

#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "sched/ledger/class_name.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;
using sched::ClassTally;
using sched::Reserve;
using sched::Tickets;

/// A node of four CPUs; 4000 tickets are all of it.
class ClassTallyTest : public Solo {
 protected:
  static Reserve of_class(ClassId class_id, std::uint32_t number, sched::Duration time = 1s) {
    Reserve reserve = reserve_of(number, time);
    reserve.class_id = class_id;
    return reserve;
  }
  ClassTally& tally() {
    if (!made) made.emplace(now, parts.all);
    return *made;
  }
  void set_tickets(const std::vector<std::pair<ClassId, Tickets>>& tickets) {
    tally().set_tickets(now, tickets);
  }
  std::uint64_t held(ClassId class_id) { return tally().shares().stride().held(class_id); }

  LooseParts parts{4000};
  std::optional<ClassTally> made;
};

TEST_F(ClassTallyTest, CountsWhatIsHeldAlready) {
  parts.run(turn(), of_class(1, 1));
  auto now_turn = turn();
  parts.requests.ask(now_turn, sched::arriving(of_class(2, 2), now), 2);
  const ClassId others = sched::class_id_of("");
  EXPECT_EQ(held(others), 750'000u) << "as long as there are no classes";
  parts.run(turn(), of_class(1, 3));
  EXPECT_EQ(held(others), 1'000'000u) << "and what comes later";
}

TEST_F(ClassTallyTest, WhatIsHeldChangesItsClassWhenClassesComeOrGo) {
  parts.run(turn(), of_class(1, 1));
  parts.run(turn(), of_class(2, 2));
  set_tickets({{2, 1000}, {1, 3000}});
  EXPECT_EQ(held(1), 250'000u);
  EXPECT_EQ(held(2), 250'000u);
  set_tickets({{1, 2000}, {2, 2000}});
  EXPECT_EQ(held(1), 250'000u) << "new tickets of the same classes change nothing";
  set_tickets({{1, 2000}});
  EXPECT_EQ(held(1), 250'000u);
  EXPECT_EQ(held(sched::class_id_of("")), 250'000u);
  auto now_turn = turn();
  parts.running.end(now_turn, {.job = of_class(2, 2).job, .report = {.index = 0, .attempt = 1}});
  EXPECT_EQ(held(sched::class_id_of("")), 0u);
}

TEST_F(ClassTallyTest, UsesAreWhatWasHeldWhatWaitsAndCpuTime) {
  set_tickets({{1, 2000}, {2, 2000}});
  parts.run(turn(), of_class(1, 1));
  Reserve waiting = of_class(2, 2);
  waiting.tasks_max = 3;
  parts.wait(now, waiting);
  now += 10s;
  tally().ran(1, 5s);
  const auto uses = tally().take_uses(now, 4000);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].used, 1000);
  EXPECT_EQ(uses[0].need, 0);
  EXPECT_EQ(uses[0].cpu, 500);
  EXPECT_EQ(uses[1].used, 0);
  EXPECT_EQ(uses[1].need, 3000);
}

TEST_F(ClassTallyTest, APendingRequestNeedsWhatItsGroupHasBeyond) {
  set_tickets({{1, 4000}});
  Reserve reserve = of_class(1, 1);
  reserve.tasks_max = 3;
  auto now_turn = turn();
  parts.requests.ask(now_turn, sched::arriving(reserve, now), 1);
  now += 1s;
  EXPECT_EQ(tally().take_uses(now, 4000).at(0).need, 2000);
  auto later = turn();
  parts.requests.ask(later, sched::arriving(reserve, now), 2);
  now += 1s;
  EXPECT_EQ(tally().take_uses(now, 4000).at(0).need, 0) << "all three are asked for";
}

TEST_F(ClassTallyTest, ClassesContendThatAskOrWaitForWhatOthersHold) {
  sched::WorkerParams params;
  params.express_share = .5;
  params.express_limit = 10s;
  LooseParts node(2000, params);
  ClassTally here(now, node.all);
  here.set_tickets(now, std::vector<std::pair<ClassId, Tickets>>{{1, 1000}, {2, 1000}, {3, 1000}});
  node.slots.hold(now, footprint(of_class(3, 9, 20s)));
  node.wait(now, of_class(1, 1));
  node.wait(now, of_class(2, 2, 20s));
  here.contend(now);
  now += 60s;
  here.contend(now);
  EXPECT_LE(here.shares().stride().lead(1), 0) << "it waits, and falls behind";
  EXPECT_GE(here.outlook(now).lead(2), 0) << "only the express share is left: it is owed nothing";
}

TEST_F(ClassTallyTest, TheOutlookChargesForWhatIsHeldNow) {
  set_tickets({{1, 2000}, {2, 2000}});
  parts.run(turn(), of_class(1, 1, 500ms));
  parts.run(turn(), of_class(2, 2, 1h));
  const auto outlook = tally().outlook(now);
  EXPECT_GT(outlook.pass(2), outlook.pass(1)) << "it will hold its slot for longer";
  EXPECT_GT(outlook.pass(1), tally().shares().stride().pass(1));
}

TEST_F(ClassTallyTest, NobodyLooksFurtherAheadThanTwoSeconds) {
  EXPECT_EQ(ClassTally::outlook_of(500ms, 0s), 500ms);
  EXPECT_EQ(ClassTally::outlook_of(1h, 0s), 2s);
  EXPECT_EQ(ClassTally::outlook_of(0s, 0s), 2s) << "it was not told";
  EXPECT_EQ(ClassTally::outlook_of(500ms, 700ms), 700ms) << "longer than thought";
}

}  // namespace
}  // namespace dunlin::test
