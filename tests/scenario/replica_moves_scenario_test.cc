// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <set>

#include "sched/cell/hosted_replica.h"
#include "sched/logs/log_part.h"
#include "tests/scenario/replicas.h"

// Three nodes were cut off and had a cell of their own. When they see the others again it makes way
// for the larger one, and the books of that one go on with the log of their jobs.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::TaskState;

class ReplicaMoves : public Replicas {
 protected:
  static constexpr std::size_t kFew = 3;

  /// Nodes 0 to 2 are apart from the others.
  void apart() {
    world.filter([](std::size_t from, std::size_t to, const AnyMessage&) {
      return (from < kFew) == (to < kFew) ? 1u : 0u;
    });
  }
  void together() { world.filter(nullptr); }
  /// A job of node 0 with a standby among the few, and one of node 5 among the many.
  void settle_apart(sched::Duration length) {
    apart();
    id = world.submit(0, replicated(4, length)).value();
    other = world.submit(5, replicated(4, length)).value();
    ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1 && standbys(5) == 1; }, 120s))
        << describe();
    few = part_of(0)->facts().cell;
    many = part_of(5)->facts().cell;
    ASSERT_NE(few, many);
  }
  const sched::logs::LogPart* part_of(std::size_t node) {
    const sched::PeerLogs* const logs = world.up(node) ? world.peer(node).logs() : nullptr;
    if (logs == nullptr) return nullptr;
    for (const auto& part : logs->parts().all()) {
      if (part->facts().origin == World::endpoint_of(0).id || node >= kFew) return part.get();
    }
    return nullptr;
  }
  /// The log is in the books of the larger cell, and that node knows so.
  bool has_moved(std::size_t node) {
    const auto* const part = part_of(node);
    return part != nullptr && part->facts().cell == many;
  }
  void dies_for_good(std::size_t node) {
    world.crash(node);
    world.erase_disk(node);
  }

  JobId id;
  JobId other;
  sched::CellId few;
  sched::CellId many;
};

TEST_F(ReplicaMoves, AStandbyTakesOverByTheBooksOfAnotherCell) {
  settle_apart(400s);
  const std::size_t standby = standby_of(0);
  together();
  ASSERT_TRUE(world.run_until([&] { return has_moved(0); }, 300s)) << describe();
  ASSERT_TRUE(world.run_until([&] { return has_moved(standby); }, 30s)) << describe();
  EXPECT_EQ(world.logs(standby).at(part_of(standby)->facts().log).facts.cell, many);
  dies_for_good(0);
  ASSERT_TRUE(world.run_until([&] { return sched::find_job(world.peer(standby), id); }, 60s))
      << describe();
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 4u);
  EXPECT_EQ(world.failure(), "");
}

// It dies in the moment in which its books are frozen, before the others have the log.
TEST_F(ReplicaMoves, AHomeMayDieWhileItsLogMoves) {
  settle_apart(600s);
  const std::size_t standby = standby_of(0);
  const auto frozen = [&] {
    for (std::size_t node = 0; node < kFew; ++node) {
      if (world.peer(node).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(node).cells()->hosted()) {
        for (const auto& log : hosted->books().roster().logs) {
          if (log.moved_to) return true;
        }
      }
    }
    return false;
  };
  together();
  ASSERT_TRUE(world.run_until(frozen, 300s)) << describe();
  dies_for_good(0);
  ASSERT_TRUE(world.run_until([&] { return sched::find_job(world.peer(standby), id); }, 60s))
      << describe();
  EXPECT_TRUE(finishes(id, 900s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 4u);
  EXPECT_EQ(world.failure(), "");
}

// Home and standby heard nothing of any books while their cell ended, and for longer than its books
// answer.
TEST_F(ReplicaMoves, ReplicasThatHearOfTheirBooksTooLateFindThem) {
  settle_apart(4000s);
  const std::size_t standby = standby_of(0);
  world.filter([](std::size_t, std::size_t, const AnyMessage& message) {
    const auto* const words = std::get_if<sched::cell::Message>(&message);
    const auto* const answer =
        words == nullptr ? nullptr : std::get_if<sched::cell::LogAnswer>(words);
    return answer == nullptr || answer->asker ? 1u : 0u;
  });
  const auto kept = [&] {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (world.peer(node).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(node).cells()->hosted()) {
        if (hosted->cell() == few) return true;
      }
    }
    return false;
  };
  ASSERT_TRUE(world.run_until([&] { return !kept(); }, 2000s)) << describe();
  EXPECT_EQ(part_of(0)->facts().cell, few);
  together();
  ASSERT_TRUE(world.run_until([&] { return has_moved(0) && has_moved(standby); }, 60s))
      << describe();
  dies_for_good(0);
  EXPECT_TRUE(world.run_until([&] { return sched::find_job(world.peer(standby), id); }, 60s))
      << describe();
  EXPECT_EQ(world.failure(), "");
}

// Without a standby its home takes the log to the books of its next cell.
TEST_F(ReplicaMoves, ALogWhoseHomeIsAloneIsOpenedAnew) {
  world.filter([](std::size_t from, std::size_t to, const AnyMessage& message) {
    const bool near = (from < kFew) == (to < kFew);
    return near && said<sched::LogAppend>(message) == nullptr ? 1u : 0u;
  });
  id = world.submit(0, replicated(4, 400s)).value();
  other = world.submit(5, replicated(4, 400s)).value();
  const auto opened = [&](std::size_t node) {
    return part_of(node) != nullptr && part_of(node)->books().opened();
  };
  ASSERT_TRUE(world.run_until([&] { return opened(0) && opened(5); }, 120s)) << describe();
  few = part_of(0)->facts().cell;
  many = part_of(5)->facts().cell;
  ASSERT_NE(few, many);
  // It gets no standby before its cell has ended.
  world.filter([](std::size_t, std::size_t, const AnyMessage& message) {
    return said<sched::LogAppend>(message) == nullptr ? 1u : 0u;
  });
  ASSERT_TRUE(world.run_until([&] { return has_moved(0); }, 300s)) << describe();
  together();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 60s)) << describe();
  dies_for_good(0);
  EXPECT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << describe();
  EXPECT_EQ(world.failure(), "");
}

// The log that it has stays where it is: its standbys may take it over. New jobs go to another one,
// which the books of the few may have.
TEST_F(ReplicaMoves, ANodeCutOffFromItsBooksBeginsALogInOthers) {
  id = world.submit(0, replicated(2, 1000s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s)) << describe();
  std::set<std::size_t> side{0};
  for (std::size_t node = 1; node < world.size() && side.size() < kFew; ++node) {
    const auto* const cells = world.peer(node).cells();
    if (cells != nullptr && cells->hosted().empty() && node != standby_of(0)) side.insert(node);
  }
  ASSERT_EQ(side.size(), kFew);
  world.filter([side](std::size_t from, std::size_t to, const AnyMessage&) {
    return side.contains(from) == side.contains(to) ? 1u : 0u;
  });
  world.run_for(90s);
  const JobId late = world.submit(0, replicated(2, 1s)).value();
  EXPECT_TRUE(world.run_until([&] { return is_acknowledged(late); }, 60s)) << describe();
  EXPECT_TRUE(finishes(late, 60s)) << describe();
  together();
  EXPECT_TRUE(finishes(id, 3000s)) << describe();
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
