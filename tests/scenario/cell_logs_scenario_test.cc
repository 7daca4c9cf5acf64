// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>

#include "sched/ledger/log_commands.h"
#include "tests/scenario/cells.h"

// The books of a cell say which replica of a log of jobs is its home. They go on saying it when the
// manager dies, when the home is evicted, and when the cell would rather merge with another.
namespace dunlin::test {
namespace {

namespace books = sched::books;
using sched::cell::LogWish;

constexpr std::uint64_t kLog = 77;

class CellLogs : public ::testing::Test {
 protected:
  books::LogMember member(std::size_t node) {
    return {.replica = 1000 + node, .contact = sched::contact_of(world.endpoint(node))};
  }
  /// Asks the manager until the entry is as `wanted(entry)` says, as a replica does. False if it
  /// never is.
  bool ask_until(std::size_t node,
      const LogWish& wish,
      auto&& wanted,
      sched::Duration limit = std::chrono::seconds(60)) {
    return world.run_until(
        [&] {
          const auto chiefs = world.managers();
          if (!chiefs.contains(cell)) return false;
          const sched::Endpoint chief = world.endpoint(chiefs.at(cell));
          world.act(node, [&](const sched::CellTurn& turn, sched::CellNode&) {
            turn.out.send(chief, sched::cell::LogRequest{.cell = cell, .wish = wish});
            return true;
          });
          const auto* entry = this->entry();
          return entry != nullptr && wanted(*entry);
        },
        limit);
  }
  const books::LogEntry* entry() {
    const auto* books = world.books(cell);
    return books == nullptr ? nullptr : books::find_log(books->roster().logs, kLog);
  }
  /// Node 1 opens a log in the one cell that there is, and makes node 2 its standby.
  void open() {
    ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
    cell = only_cell(world).first;
    ASSERT_TRUE(ask_until(1, books::OpenLog{.log = kLog, .home = member(1)},
        [](const auto& entry) { return entry.epoch == 1; }));
    const books::ChangeLogSet grow{
        .log = kLog, .epoch = 1, .version = 1, .set = {member(1), member(2)}};
    ASSERT_TRUE(ask_until(1, grow, [](const auto& entry) { return entry.set.size() == 2; }));
  }

  CellWorld world{options_of(5, 8)};
  sched::CellId cell;
};

TEST_F(CellLogs, AHomeThatDiesForGoodIsReplacedByItsStandby) {
  open();
  world.kill(1);
  world.lose_disk(1);
  const auto dead_since = world.now();
  const books::TakeOverLog claim{.log = kLog, .epoch = 1, .claimant = member(2)};
  ASSERT_TRUE(ask_until(2, claim, [](const auto& entry) { return entry.epoch == 2; }));
  EXPECT_LE(world.now() - dead_since, 10s) << "the manager misses it, or is a new one";
  EXPECT_EQ(entry()->home, member(2).replica);
  world.run_for(60s);
  ASSERT_NE(entry(), nullptr) << "the old home is evicted by now, the entry is not";
  EXPECT_EQ(entry()->set.size(), 2u) << "only the new home may say which are in sync";
  EXPECT_EQ(world.violation(), "");
}

// It would have another set soon, if the standby alone did not hear it. A node that came back with
// another disk reports, too, and drives no log: so the manager does not wait for long.
TEST_F(CellLogs, AHomeThatItsManagerHearsIsNotDeposedAtOnce) {
  open();
  const books::TakeOverLog claim{.log = kLog, .epoch = 1, .claimant = member(2)};
  const auto deposed = [](const auto& entry) { return entry.epoch == 2; };
  EXPECT_FALSE(ask_until(2, claim, deposed, 4s));
  EXPECT_TRUE(ask_until(2, claim, deposed, 4s));
  EXPECT_EQ(world.violation(), "");
}

TEST_F(CellLogs, TheNextManagerKnowsThem) {
  open();
  const auto chief = only_cell(world).second;
  world.kill(chief);
  const books::ChangeLogSet shrink{.log = kLog, .epoch = 1, .version = 2, .set = {member(1)}};
  // Whichever of the two was the manager, the other one goes on.
  const LogWish wish =
      chief == 1 ? LogWish(books::TakeOverLog{kLog, 1, member(2)}) : LogWish(shrink);
  EXPECT_TRUE(ask_until(chief == 1 ? 2 : 1, wish, [](const auto& entry) {
    return entry.version == 3;
  })) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

}  // namespace
}  // namespace dunlin::test
