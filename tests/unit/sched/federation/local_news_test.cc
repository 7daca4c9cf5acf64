// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "sched/federation/local/local_master.h"
#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using namespace std::chrono_literals;
using rows::at;
using ::testing::SizeIs;

constexpr CellId kNewsCell{5};
constexpr std::uint64_t kNewsEpoch = 3;

/// A local master with the members 1 to 3, of 4 CPUs each, and the global master 100.
class LocalNewsTest : public ::testing::Test {
 protected:
  LocalNewsTest() {
    const Endpoint members[] = {at(1), at(2), at(3)};
    master_.set_members(members);
    attach(100);
    for (std::uint64_t node = 1; node <= 3; ++node) row(node, 1, 4000);
    out_.clear();
  }

  MastersTurn turn() { return {now_, rng_, out_}; }
  void attach(std::uint64_t node) {
    const KnownView known{.cell = kNewsCell, .epoch = kNewsEpoch, .floor = 1};
    master_.receive(turn(), at(node), Attach{.incarnation = 1, .known = {known}}, &known);
  }
  void row(std::uint64_t node, std::uint64_t version, std::uint32_t cpu) {
    master_.receive(turn(), at(node),
        MemberRow{.cell = kNewsCell,
            .epoch = kNewsEpoch,
            .version = std::uint64_t{1} << 32 | version,
            .incarnation = 1,
            .free = {.cpu = cpu, .memory = 8192},
            .kind = {rows::kind({})}});
  }
  /// Global master 100 launches a task at node 2.
  void launch() {
    LaunchTasks launch{
        .known = {.cell = kNewsCell, .epoch = kNewsEpoch, .floor = 1}, .incarnation = 1};
    launch.reserve.job = launch.tasks.job = {.home = {100}, .number = 1};
    launch.reserve.demand = {.cpu = 3000, .memory = 1};
    launch.tasks.tasks = {{0, 1, {}}};
    launch.targets = {{1, {2}}};
    master_.receive(turn(), at(100), launch);
  }

  FederationParams params_;
  Time now_{};
  Rng rng_{1};
  test::SchedRecorder out_;
  LocalMaster master_{params_, kNewsCell, kNewsEpoch};
};

TEST_F(LocalNewsTest, TellsSoonWhatChangesAndSaysNothingTwice) {
  params_.news_within = 10ms;
  master_.wake(turn());
  attach(101);
  now_ += 1s;
  master_.wake(turn());
  out_.clear();
  row(2, 2, 1000);
  row(3, 2, 2000);
  EXPECT_EQ(master_.deadline(), now_ + params_.news_within);
  now_ = master_.deadline();
  master_.wake(turn());
  const auto views = out_.all<CellView>();
  ASSERT_THAT(views, SizeIs(2)) << "both global masters hear of it, at once";
  for (const CellView& view : views) EXPECT_THAT(view.rows, SizeIs(2));
  out_.clear();
  now_ += params_.news_within;
  master_.wake(turn());
  EXPECT_TRUE(out_.all<CellView>().empty());
}

TEST_F(LocalNewsTest, TellsNothingByItselfIfItShallNot) {
  params_.news_within = Duration{0};
  master_.wake(turn());
  now_ += 1s;
  master_.wake(turn());
  out_.clear();
  row(2, 2, 1000);
  now_ += 1s;
  master_.wake(turn());
  EXPECT_TRUE(out_.all<CellView>().empty());
}

TEST_F(LocalNewsTest, CountsWhatBecameOfLaunchesOfThoseThatLeft) {
  row(2, 2, 0);
  launch();  // Another one takes it.
  EXPECT_EQ(master_.launch_counts().internal + master_.launch_counts().external, 1);
  EXPECT_EQ(master_.launch_counts().refused, 0);
  master_.receive(turn(), at(100), Attach{.incarnation = 1, .leave = true}, nullptr);
  EXPECT_TRUE(master_.masters().empty());
  EXPECT_EQ(master_.launch_counts().launched, 1);
}

}  // namespace
}  // namespace dunlin::sched::federation
