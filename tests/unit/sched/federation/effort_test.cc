// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <utility>

#include "sched/federation/global/global_master.h"
#include "tests/unit/sched/federation/local_master_stage.h"

// What steps of masters count as looked at.
namespace dunlin::sched::federation {
namespace {

class EffortTest : public LocalMasterTest {
 protected:
  MastersTurn metered() { return {now_, rng_, out_, &effort_}; }
  Effort taken() { return std::exchange(effort_, {}); }

  Effort effort_;
};

TEST_F(EffortTest, ALocalMasterCountsTheRowsItVerifiesLooksAtAndTells) {
  master_.receive(metered(), rows::at(100), launch(1, 0, 2));
  EXPECT_EQ(taken().rows, 1u) << "the row of the member that was chosen";
  // It has no room for another one: one row is verified, and a match looks at others.
  master_.receive(metered(), rows::at(100), launch(2, 1, 2));
  const Effort repaired = taken();
  EXPECT_GE(repaired.rows, 2u);
  EXPECT_GE(repaired.words, 1u);
  const KnownView known{.cell = kCell, .epoch = kEpoch, .version = 0, .floor = 1};
  master_.receive(metered(), rows::at(101), Attach{.incarnation = 1, .known = {known}}, &known);
  EXPECT_EQ(taken().rows, 3u) << "all that it tells a newcomer";
}

TEST_F(EffortTest, ALocalMasterCountsTheRowOfAMemberAndWhatItsAnswerTells) {
  receive(launch(1, 0, 2));
  const std::uint64_t number = out_.only<StartTasks>().numbers.front();
  master_.receive(metered(), rows::at(2),
      MemberRow{.cell = kCell,
          .epoch = kEpoch,
          .version = std::uint64_t{1} << 32 | 2,
          .incarnation = 1,
          .free = {.cpu = 1000, .memory = 8192},
          .answers = {{number, true}}});
  const std::size_t told = out_.only<LaunchReply>().view.rows.size();
  EXPECT_EQ(taken().rows, 1 + told);
}

TEST_F(EffortTest, AGlobalMasterCountsTheRowsItHearsAndLooksAtAndTheWords) {
  GlobalMaster global(params_, PeerId{100}, 1);
  CellView news{.cell = {1}, .epoch = 1, .version = 1, .last = true};
  news.kinds = {rows::kind({})};
  news.rows = {rows::told(1, 100, 4000), rows::told(2, 200, 4000)};
  global.receive(metered(), rows::at(7), news);
  EXPECT_EQ(taken().rows, 2u);
  EXPECT_TRUE(global.match(metered(), {.cpu = 1}, {}));
  const Effort found = taken();
  EXPECT_EQ(found.rows, 1u);
  EXPECT_EQ(found.words, 1u);
  EXPECT_TRUE(global.match(turn(), {.cpu = 1}, {})) << "and nothing is counted without a meter";
  EXPECT_EQ(taken().rows, 0u);
}

}  // namespace
}  // namespace dunlin::sched::federation
