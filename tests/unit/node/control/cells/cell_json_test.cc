// SPDX-License-Identifier: MIT
#include "node/control/cells/cell_json.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using sched::CellId;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const CellId kOne = sched::cell_id(0, 0x1000);
const CellId kTwo = sched::cell_id(0, 0x2000);
const CellId kRoot = sched::cell_id(1, 0x3000);

std::string name_of(overlay::PeerId node) {
  return "n" + std::to_string(node.value);
}

/// Two cells below one; gold and tin at 3 : 1.
CellReports cluster() {
  CellReports reports;
  for (const CellId id : {kOne, kTwo, kRoot}) {
    CellReport report{.cell = id, .epoch = 2};
    report.parent = id == kRoot ? CellId{} : kRoot;
    report.version = 1;
    report.tickets = 4000;
    report.size = 2;
    report.shares = {{.class_id = 1, .name = "tin", .weight = 1, .granted = 900, .used = 800},
        {.class_id = 2, .name = "gold", .weight = 3, .granted = 3100, .balance = 50}};
    reports[id] = report;
  }
  return reports;
}

TEST(CellJson, AddsUpTheCellsOfNodes) {
  const auto lines = share_lines(cluster());
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].name, "gold");
  EXPECT_EQ(lines[0].desired, 6000);
  EXPECT_EQ(lines[0].granted, 6200);
  EXPECT_EQ(lines[0].balance, 100);
  EXPECT_EQ(lines[1].desired, 2000);
  EXPECT_EQ(lines[1].used, 1600);
}

TEST(CellJson, BalancesReachAsFarBackAsAllManagersRemember) {
  CellReports reports = cluster();
  EXPECT_EQ(balance_lines(reports).size(), 0u) << "managers of an earlier build";
  reports.at(kOne).balances = {
      {.class_id = 1, .values = {1, 2, 3}}, {.class_id = 2, .values = {-1, -2, -3}}};
  reports.at(kTwo).balances = {
      {.class_id = 1, .values = {20, 30}}, {.class_id = 2, .values = {0, 0}}};
  reports.at(kRoot).balances = {{.class_id = 1, .values = {500}}};
  const auto lines = balance_lines(reports);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].name, "gold");
  EXPECT_EQ(lines[0].values, (std::vector<sched::Tickets>{-2, -3}));
  EXPECT_EQ(lines[1].values, (std::vector<sched::Tickets>{22, 33}));
  EXPECT_EQ(balance_lines(reports, kOne).at(1).values.size(), 3u);
  const Json told = balances_json(lines);
  EXPECT_EQ(told["step_ns"], 60'000'000'000);
  EXPECT_EQ(told["classes"][0], Json::parse(R"({"name":"gold","values":[-2,-3]})"));
}

TEST(CellJson, OfOneCellOrThoseBelowIt) {
  EXPECT_EQ(share_lines(cluster(), kOne).at(0).desired, 3000);
  EXPECT_EQ(share_lines(cluster(), kRoot).at(0).desired, 6000);
}

TEST(CellJson, NewestTableSaysWhoThereIs) {
  CellReports reports = cluster();
  reports.at(kTwo).version = 2;
  reports.at(kTwo).shares.erase(reports.at(kTwo).shares.begin());
  ASSERT_THAT(share_lines(reports), SizeIs(1));
  EXPECT_EQ(share_lines(reports)[0].desired, 8000);
}

TEST(CellJson, FindsACellByTheBeginningOfItsId) {
  const CellReports reports = cluster();
  EXPECT_EQ(find_cell(reports, "1").value(), kRoot);
  EXPECT_EQ(find_cell(reports, "0").error().kind, ErrorKind::usage);
  EXPECT_EQ(find_cell(reports, "f").error().kind, ErrorKind::not_found);
}

TEST(CellJson, ParentsStandBeforeTheirChildren) {
  const Json cells = cells_json(cluster(), name_of);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0]["level"], 1);
  EXPECT_TRUE(cells[0]["parent"].is_null());
  EXPECT_EQ(cells[1]["parent"], cells[0]["cell"]);
}

// A stranger may say anything: no cell is lost, and none told of for ever.
TEST(CellJson, CirclesOfParentsEnd) {
  CellReports reports = cluster();
  reports.at(kRoot).parent = kRoot;
  EXPECT_EQ(cells_json(reports, name_of).size(), 3u);
  reports.at(kRoot).parent = kOne;
  EXPECT_EQ(cells_json(reports, name_of).size(), 3u);
}

TEST(CellJson, ConservedIsSaidOfWhatWasReadTwiceAndWhole) {
  CellAuditor auditor;
  EXPECT_EQ(audit_json(auditor, {})["conserved"], false) << "nothing was read";
  auditor.add(cluster());
  EXPECT_EQ(audit_json(auditor, {})["conserved"], false) << "once";
  auditor.add(cluster());
  EXPECT_EQ(audit_json(auditor, {})["conserved"], true);
  const Json partly = audit_json(auditor, {{CellId{7}, "its manager does not answer"}});
  EXPECT_EQ(partly["conserved"], false);
  EXPECT_THAT(partly["silent"].dump(), HasSubstr("does not answer"));
}

}  // namespace
}  // namespace dunlin::node
