// SPDX-License-Identifier: MIT
#include "tests/unit/sched/federation/local_master_stage.h"

// Launches that have tasks of other classes stopped: Megha, section IV-C.
namespace dunlin::sched::federation {
namespace {

using rows::at;
using ::testing::SizeIs;

/// Members 1 to 3 are full with tasks of class 1, which has a half of the cell, as class 2.
class LocalMasterShares : public LocalMasterTest {
 protected:
  LocalMasterShares() {
    master_.shares().set_shares({{1, 1}, {2, 1}});
    for (std::uint64_t node = 1; node <= 3; ++node) full(node, 2);
  }
  void full(std::uint64_t node,
      std::uint64_t version,
      std::vector<StartAnswer> answers = {},
      std::uint32_t of_class_1 = 4000) {
    master_.receive(turn(), at(node),
        MemberRow{.cell = kCell,
            .epoch = kEpoch,
            .version = std::uint64_t{1} << 32 | version,
            .incarnation = 1,
            .free = {.cpu = 0, .memory = 8192},
            .kind = {kind({})},
            .answers = std::move(answers),
            .uses = {{.class_id = 1,
                .frontend = {99},
                .used = of_class_1,
                .yields = {.cpu = of_class_1, .memory = 1}}}});
  }
  LaunchTasks over(std::uint64_t number, std::uint32_t index, std::uint32_t cpu = 2000) const {
    LaunchTasks made = launch(number, index, 0, cpu);
    made.preempts = true;
    made.over = 1;
    made.reserve.class_id = 2;
    return made;
  }
};

// Section IV-C: preemption requests are verified by the local master.
TEST_F(LocalMasterShares, OnlyAClassAboveItsShareLosesTasks) {
  for (std::uint32_t i = 0; i < 3; ++i) receive(over(i + 1, i));
  const auto starts = out_.all<StartTasks>();
  ASSERT_THAT(starts, SizeIs(3)) << "6 of 12 CPUs are what it has beyond";
  for (const StartTasks& start : starts) {
    EXPECT_TRUE(start.preempts);
    EXPECT_EQ(start.over, 1u);
  }
  out_.clear();
  receive(over(4, 3));
  EXPECT_EQ(verdict().fate, LaunchFate::refused);
  const LaunchCounts& counts = master_.masters().at({100}).counts;
  EXPECT_EQ(counts.preempting, 4u);
  EXPECT_EQ(counts.launched + counts.internal + counts.external, 0u) << "no member was chosen";
}

TEST_F(LocalMasterShares, AMemberThatHasNoneToStopIsPassedOver) {
  receive(over(1, 0));
  const auto first = out_.only<StartTasks>();
  const std::uint64_t node = out_.sent.back().first.id.value;
  out_.clear();
  full(node, 2, {{first.numbers[0], false}});
  const auto second = out_.only<StartTasks>();
  EXPECT_NE(out_.sent.back().first.id, PeerId{node});
  out_.clear();
  full(out_.sent.empty() ? node % 3 + 1 : node, 3);
  receive(over(2, 1));
  EXPECT_FALSE(out_.all<StartTasks>().empty()) << "there are others";
  EXPECT_EQ(second.over, 1u);
}

TEST_F(LocalMasterShares, WhereThereIsRoomNothingIsStopped) {
  row(2, 3, 4000);
  receive(over(1, 0));
  const StartTasks start = started_at(2);
  EXPECT_FALSE(start.preempts);
  row(2, 4, 2000, {{start.numbers[0], true}});
  EXPECT_EQ(master_.masters().at({100}).counts.preempted, 0u);
}

TEST_F(LocalMasterShares, CountsWhatWasStoppedAndTellsWhatClassesHold) {
  receive(over(1, 0));
  const auto start = out_.only<StartTasks>();
  const std::uint64_t node = out_.sent.back().first.id.value;
  out_.clear();
  full(node, 3, {{start.numbers[0], true}}, 2000);
  EXPECT_EQ(verdict().fate, LaunchFate::placed);
  EXPECT_EQ(master_.masters().at({100}).counts.preempted, 1u);
  const CellView view = out_.only<LaunchReply>().view;
  EXPECT_EQ(view.capacity.cpu, 12000u);
  ASSERT_THAT(view.uses, SizeIs(1));
  EXPECT_EQ(view.uses[0].used, 10000u);
}

}  // namespace
}  // namespace dunlin::sched::federation
