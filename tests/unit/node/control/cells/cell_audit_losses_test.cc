// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "node/control/cells/cell_audit.h"

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr sched::CellId kLost{5};
const sched::CellId kLostRoot = sched::cell_id(1, 9 << 8);

CellReport report_of(sched::CellId cell, std::uint64_t manager) {
  CellReport made{.cell = cell, .epoch = 1};
  made.manager = {manager};
  return made;
}

TEST(CellLosses, FindsWhoeverKnowsTheLostCell) {
  CellReport sender = report_of({1}, 11);
  sender.partners.push_back(
      {.cell = kLost, .outgoing = {{.number = 3, .tickets = 100}, {.number = 4, .tickets = 20}}});
  CellReport told = report_of({2}, 12);
  told.partners.push_back({.cell = kLost, .lost = true});
  CellReport root = report_of(kLostRoot, 19);
  root.missing.push_back({.cell = kLost});
  const CellTraces traces =
      traces_of({{{1}, sender}, {{2}, told}, {{3}, report_of({3}, 13)}, {kLostRoot, root}}, kLost);
  EXPECT_FALSE(traces.manager);
  EXPECT_THAT(traces.open,
      ElementsAre(::testing::Pair(sched::CellId{1}, overlay::PeerId{11}),
          ::testing::Pair(kLostRoot, overlay::PeerId{19})));
  EXPECT_THAT(traces.done, ElementsAre(::testing::Pair(sched::CellId{2}, overlay::PeerId{12})));
  EXPECT_EQ(traces.under_way, 120);
}

TEST(CellLosses, TheOneAboveKnowsItAsAMemberForAWhile) {
  CellReport root = report_of(kLostRoot, 19);
  root.members.push_back({.member = kLost});
  // A node may have the number of a cell.
  CellReport other = report_of({1}, 11);
  other.members.push_back({.member = kLost});
  const CellTraces traces = traces_of({{{1}, other}, {kLostRoot, root}}, kLost);
  EXPECT_THAT(traces.open, ElementsAre(::testing::Pair(kLostRoot, overlay::PeerId{19})));
}

TEST(CellLosses, WhoAnswersIsNotLostAndBooksThatAreClosedNeedNotKnow) {
  CellReport closed = report_of({1}, 11);
  closed.closed = true;
  closed.partners.push_back({.cell = kLost});
  const CellTraces traces = traces_of({{{1}, closed}, {kLost, report_of(kLost, 15)}}, kLost);
  EXPECT_TRUE(traces.manager);
  EXPECT_THAT(traces.open, IsEmpty());
}

/// The findings of an auditor that reads these twice.
CellAuditor audited(const CellReports& reports) {
  CellAuditor auditor;
  for (int i = 0; i < 2; ++i) auditor.add(reports);
  return auditor;
}

// The cell above knows a cell that has no keeper of its books any more.
TEST(CellLosses, AnAuditNamesACellThatIsMissing) {
  CellReport root = report_of(kLostRoot, 19);
  root.missing.push_back(
      {.cell = kLost, .tickets = 6000, .saved = 250, .age = std::chrono::seconds(90)});
  const auto verdict = audited({{{1}, report_of({1}, 11)}, {kLostRoot, root}}).verdict();
  ASSERT_THAT(verdict.undecided, SizeIs(1));
  EXPECT_THAT(verdict.undecided.front(), HasSubstr("0000000000000005"));
  EXPECT_THAT(verdict.undecided.front(), HasSubstr("6000 tickets of capacity and 250"));
  EXPECT_THAT(verdict.undecided.front(), HasSubstr("write-off"));
  // Found in another part of the tree, it is not missing.
  const CellReports found = {{kLost, report_of(kLost, 11)}, {kLostRoot, root}};
  EXPECT_TRUE(audited(found).verdict().conserved());
}

TEST(CellLosses, AnAuditNamesWhatWasWrittenOffAndDoesNotCountIt) {
  CellReport one = report_of({1}, 11);
  one.sums = {.minted = 4000, .created = 0, .pools = 4000};
  one.partners.push_back({.cell = kLost, .lost = true, .sent = 300, .received = 100});
  // It came back, and has not heard of it yet.
  CellReport back = report_of(kLost, 15);
  back.sums = {.minted = 2000, .created = 0, .pools = 2000};
  back.partners.push_back({.cell = {1}, .outgoing = {{.number = 1, .tickets = 7}}});
  const CellAuditor auditor = audited({{{1}, one}, {kLost, back}});
  EXPECT_TRUE(auditor.verdict().conserved());
  ASSERT_THAT(auditor.written_off(), SizeIs(1));
  EXPECT_EQ(auditor.written_off().front().cell, kLost);
  EXPECT_EQ(auditor.written_off().front().sent, 300);
  EXPECT_EQ(auditor.sums().minted, 4000);
}

}  // namespace
}  // namespace dunlin::node
