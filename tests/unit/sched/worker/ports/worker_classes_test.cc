// SPDX-License-Identifier: MIT
#include "sched/worker/ports/worker_classes.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/support/solo.h"
#include "tests/unit/sched/worker/wired_parts.h"

namespace dunlin::test {
namespace {

using Given = std::vector<std::pair<sched::ClassId, sched::Tickets>>;

class WorkerClassesTest : public Solo {
 protected:
  WiredParts parts;
  sched::WorkerClasses& classes = parts.classes;
};

TEST_F(WorkerClassesTest, NothingIsCountedBeforeClassesMatter) {
  EXPECT_EQ(classes.shares(), nullptr);
  classes.set_tickets(now, Given{});
  classes.contend(now);
  classes.ran(1, sched::Duration{1});
  EXPECT_EQ(classes.shares(), nullptr);
}

TEST_F(WorkerClassesTest, TheDispatcherOfClassesIsInChargeWhileTheyHaveTickets) {
  sched::Dispatcher* const without = &classes.dispatcher();
  classes.set_tickets(now, Given{{1, 1000}, {2, 3000}});
  EXPECT_NE(&classes.dispatcher(), without);
  EXPECT_NE(classes.shares(), nullptr);
  classes.set_tickets(now, Given{});
  EXPECT_EQ(&classes.dispatcher(), without);
}

TEST_F(WorkerClassesTest, UsesAreCountedFromTheFirstQuestionOn) {
  (void)classes.take_uses(now, 10'000);
  EXPECT_NE(classes.shares(), nullptr) << "it counts from now on";
}

TEST_F(WorkerClassesTest, ADisciplineThatPacksHasADispatcherOfItsOwn) {
  sched::WorkerParams packs;
  packs.discipline = sched::DisciplineName::tetris;
  WiredParts packing(4000, packs);
  sched::Dispatcher* const without = &packing.classes.dispatcher();
  EXPECT_EQ(dynamic_cast<sched::FlatDispatcher*>(without), nullptr);
  packing.classes.set_tickets(now, Given{{1, 1000}});
  packing.classes.set_tickets(now, Given{});
  EXPECT_EQ(&packing.classes.dispatcher(), without);
}

}  // namespace
}  // namespace dunlin::test
