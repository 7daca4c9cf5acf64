// SPDX-License-Identifier: MIT
#include "node/agent/plan_recorder.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/manager/cell_manager.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"
#include "tests/unit/node/store/store_fixture.h"

// What the manager of a cell writes down of its plans, of peers that run for real.
namespace dunlin::node::store_test {
namespace {

using namespace std::chrono_literals;

class PlanRecords : public Store {
 protected:
  PlanRecords() {
    test::WorldOptions options{.seed = 7};
    options.params.sharing.cell.cell_size = 4;
    world.emplace(options);
    world->add(3, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}});
    world->run_for(5s);
  }
  void set(const std::optional<sched::PlanParams>& rule) {
    const auto version = world->peer(0).classes().version + 1;
    ASSERT_TRUE(
        world->set_classes(0, {.version = version, .classes = {}, .plan = sched::plan_rule(rule)}));
    world->run_for(60s);
  }
  /// What the recorder of the node that manages all of them finds is in the database.
  void record() {
    const Clocks clocks{.now = world->now(), .wall_ns = 1'000'000'000'000};
    for (std::size_t i = 0; i < world->size(); ++i) {
      for (const auto& hosted : world->peer(i).cells()->hosted()) {
        if (hosted->manager && hosted->manager->planner().members() == world->size()) manager = i;
      }
    }
    recorder.look(world->peer(manager).cells(), clocks, store->plans());
    ASSERT_TRUE(store->commit());
  }
  std::string one(const std::string& query) {
    auto database = Database::open(scratch_ / "dunlin.sqlite");
    EXPECT_TRUE(database);
    auto statement = database->prepare(query.c_str());
    const auto row = statement.step();
    return row && *row ? std::string(statement.text(0)) : "";
  }

  std::optional<test::World> world;
  std::unique_ptr<SqliteStore> store = open();
  std::size_t manager = 0;
  PlanRecorder recorder;
};

TEST_F(PlanRecords, ThereAreNoneWithoutARule) {
  recorder.look(world->peer(0).cells(), {.now = world->now(), .wall_ns = 1}, store->plans());
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(one("select count(*) from plans"), "0");
  EXPECT_EQ(one("select count(*) from workers"), "0");
}

TEST_F(PlanRecords, EachPlanIsWrittenOnceWithTheSlotsOfTheLastOne) {
  set(sched::PlanParams{});
  ASSERT_TRUE(world->submit(1, test::job(20, test::lasting(1000s))));
  world->run_for(10s);
  record();
  const std::string plans = one("select count(*) from plans");
  EXPECT_NE(plans, "0");
  EXPECT_EQ(
      one("select sum(last) from (select max(number) as last from plans group by cell, epoch)"),
      plans)
      << "numbers count from one, in each epoch";
  EXPECT_EQ(one("select jobs || ' ' || slots from plans order by id desc"), "1 3");
  EXPECT_EQ(one("select sum(slots) from plan_slots where plan = (select max(id) from plans)"), "3");
  EXPECT_EQ(one("select count(*) from plans where made_at <= 1000000000000"), plans);
  EXPECT_EQ(one("select count(*) || ' ' || sum(busy) from workers where down = 0"), "3 3");
  record();
  EXPECT_EQ(one("select count(*) from plans"), plans);
}

TEST_F(PlanRecords, WithoutARuleTheCellIsNotManagedHereAnyMore) {
  set(sched::PlanParams{});
  record();
  ASSERT_EQ(one("select count(*) from workers where down = 0"), "3");
  set(std::nullopt);
  record();
  EXPECT_EQ(one("select count(*) from workers"), "0");
}

}  // namespace
}  // namespace dunlin::node::store_test
