// SPDX-License-Identifier: MIT
#include "node/control/masters/masters_report.h"

#include <gmock/gmock.h>

#include "node/ids.h"
#include "tests/support/solo.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

std::string name_of(overlay::PeerId node) {
  return "n" + std::to_string(node.value);
}

TEST(MastersReport, ALocalMasterTellsOfItsRowsAndOfWhoIsAttached) {
  const sched::federation::FederationParams params;
  sched::federation::LocalMaster master(params, {5}, 3);
  const overlay::Endpoint members[] = {{{1}, {}}, {{2}, {}}};
  master.set_members(members);
  test::SchedRecorder out;
  overlay::Rng rng{1};
  overlay::Time now{};
  master.receive({now, rng, out}, {{9}, {}}, sched::Attach{.incarnation = 1}, nullptr);
  for (const overlay::Endpoint& member : members) {
    now += 1s;
    master.receive({now, rng, out}, member,
        sched::MemberRow{.cell = {5},
            .epoch = 3,
            .version = 1,
            .free = {.cpu = 1500, .memory = 1024, .custom = {}},
            .kind = {{}}});
  }
  const ReportedLocalMaster told = reported(master, now);
  EXPECT_EQ(told.rows, 2u);
  EXPECT_EQ(told.free_cpu, 3000u);
  EXPECT_EQ(told.free_memory, 2048u);
  EXPECT_EQ(told.age, 1s);
  ASSERT_THAT(told.masters, SizeIs(1));
  EXPECT_EQ(told.masters[0].node, overlay::PeerId{9});
  EXPECT_EQ(told.masters[0].partition, 2u);
}

TEST(MastersReport, AddsUpWhatCellsSayOfAGlobalMaster) {
  CellReports reports;
  for (std::uint64_t cell = 1; cell <= 3; ++cell) {
    CellReport& report = reports[{cell}];
    report.cell = {cell};
    if (cell == 3) continue;  // Nobody is attached there.
    report.local_master = {{.rows = 4, .masters = {}}};
    report.local_master[0].masters = {
        {.node = {9}, .partition = 2, .launched = 10, .internal = 1, .external = 2, .refused = 1}};
    report.local_master[0].masters[0].preempting = 5;
    report.local_master[0].masters[0].preempted = cell;
    report.local_master[0].masters[0].borrowed = 2;
    report.local_master[0].masters[0].borrowed_cpu = 750;
  }
  reports[{2}].local_master[0].masters.push_back({.node = {8}});
  EXPECT_THAT(local_masters_json(reports, name_of), SizeIs(2));
  const Json masters = global_masters_json(reports, name_of);
  ASSERT_THAT(masters, SizeIs(2));
  EXPECT_EQ(masters[0]["name"], "n8");
  EXPECT_TRUE(masters[0]["inconsistency"].is_null());
  EXPECT_EQ(masters[1]["cells"], 2);
  EXPECT_EQ(masters[1]["partition"], 4);
  EXPECT_EQ(masters[1]["launched"], 20);
  EXPECT_EQ(masters[1]["preempting"], 10);
  EXPECT_EQ(masters[1]["preempted"], 3);
  EXPECT_EQ(masters[1]["borrowed"]["nodes"], 4);
  EXPECT_EQ(masters[1]["borrowed"]["cpu_milli"], 1500);
  EXPECT_DOUBLE_EQ(masters[1]["inconsistency"].get<double>(), .3);
}

}  // namespace
}  // namespace dunlin::node
