// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/discipline.h"

#include <gtest/gtest.h>
#include <typeinfo>

#include "sched/worker/discipline/edf.h"
#include "sched/worker/discipline/fifo.h"
#include "sched/worker/discipline/priority.h"
#include "sched/worker/discipline/shortest.h"
#include "sched/worker/discipline/tetris.h"
#include "tests/support/loose_parts.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::reserve_of;

std::unique_ptr<const Discipline> named(DisciplineName name) {
  WorkerParams params;
  params.discipline = name;
  params.overtake = 5s;
  return make_discipline(params);
}

constexpr DisciplineName kAll[] = {DisciplineName::fifo, DisciplineName::priority,
    DisciplineName::shortest, DisciplineName::edf, DisciplineName::tetris};

TEST(Discipline, IsMadeByItsName) {
  EXPECT_EQ(std::size(kAll), std::size(overlay::kWords<DisciplineName>)) << "add new ones here";
  const auto fifo = named(DisciplineName::fifo);
  const auto priority = named(DisciplineName::priority);
  const auto shortest = named(DisciplineName::shortest);
  const auto edf = named(DisciplineName::edf);
  const auto tetris = named(DisciplineName::tetris);
  EXPECT_NE(dynamic_cast<const TetrisDiscipline*>(tetris.get()), nullptr);
  EXPECT_EQ(shortest->packer(), nullptr);
  EXPECT_NE(dynamic_cast<const EdfDiscipline*>(edf.get()), nullptr);
  EXPECT_NE(dynamic_cast<const FifoDiscipline*>(fifo.get()), nullptr);
  EXPECT_NE(dynamic_cast<const PriorityDiscipline*>(priority.get()), nullptr);
  EXPECT_NE(dynamic_cast<const ShortestDiscipline*>(shortest.get()), nullptr);
}

// Whatever it ranks by, of any two reservations exactly one goes first, and none before itself.
TEST(Discipline, OrdersAnyTwoReservations) {
  std::vector<QueuedReservation> waiting;
  for (std::uint32_t i = 0; i < 48; ++i) {
    Reserve reserve = reserve_of(1 + i % 3, i % 2 == 0 ? 1s : 2s);
    reserve.probe = i;
    reserve.group = static_cast<std::uint16_t>(i / 24);
    reserve.priority = static_cast<std::int16_t>(50 + i % 5);
    if (i % 3 != 0) reserve.deadline = std::chrono::seconds(10 + i % 4);
    waiting.push_back(arriving(reserve, Time{100s + std::chrono::seconds(i % 4)}));
  }
  for (const DisciplineName name : kAll) {
    const auto discipline = named(name);
    for (QueuedReservation& each : waiting) discipline->weigh(each);
    for (std::size_t a = 0; a < waiting.size(); ++a) {
      for (std::size_t b = 0; b < waiting.size(); ++b) {
        const bool before = discipline->before(waiting[a], waiting[b], Time{130s});
        const bool after = discipline->before(waiting[b], waiting[a], Time{130s});
        EXPECT_EQ(before != after, a != b) << static_cast<int>(name) << ": " << a << ", " << b;
      }
    }
  }
}

TEST(Discipline, AllLetOthersOvertakeForAWhileAndEvictNothing) {
  const std::vector<QueuedReservation> waiting = {arriving(reserve_of(1), Time{100s})};
  for (const DisciplineName name : kAll) {
    const auto discipline = named(name);
    // Packing passes over more often: see TetrisTest.
    const sched::Duration overtake = name == DisciplineName::tetris ? 20s : 5s;
    EXPECT_FALSE(discipline->keeps_room_for(waiting[0], Time{100s} + overtake));
    EXPECT_TRUE(discipline->keeps_room_for(waiting[0], Time{100s} + overtake + 1ns));
    EXPECT_FALSE(discipline->eviction_candidate(reserve_of(2), waiting, Time{200s}));
  }
}

}  // namespace
}  // namespace dunlin::sched
