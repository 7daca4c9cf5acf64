// SPDX-License-Identifier: MIT
#include "node/control/cells/report_walk.h"

#include <functional>
#include <gmock/gmock.h>

#include "sched/ledger/books_types.h"

namespace dunlin::node {
namespace {

using overlay::PeerId;
using overlay::Time;
using sched::CellId;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kStart{seconds(100)};
constexpr Time kEnd = kStart + seconds(5);

CellId cell(std::uint8_t level, std::uint64_t number) {
  return sched::cell_id(level, number << 8);
}
CellPlace place(CellId of, std::uint64_t node) {
  return {.cell = of, .node = PeerId{node}};
}
sched::ManagerPlace start(CellId of, std::uint64_t node) {
  return {of, {.id = PeerId{node}}};
}
CellReport cell_report(CellId of, CellId parent = {}, std::uint64_t epoch = 1) {
  CellReport made{.cell = of, .epoch = epoch};
  made.parent = parent;
  return made;
}
ReportedMember child(CellId of, std::uint64_t node) {
  return {.member = of, .node = PeerId{node}};
}

/// A tree of cells that answers questions at once, or not at all.
class ReportWalkTest : public ::testing::Test {
 protected:
  /// Asks every node that it must until the walk is over, and counts the nodes asked.
  void run() {
    for (int i = 0; i < 1000 && !walk.done(); ++i) {
      const auto asks = walk.next(now);
      peak = std::max(peak, asks.size());
      for (const auto& ask : asks) {
        ++asked[ask.to.id.value];
        answer_of(ask);
      }
      if (asks.empty() && !walk.done()) now = std::max(now, walk.due());
    }
    EXPECT_TRUE(walk.done());
  }
  void answer_of(const ReportWalk::Ask& ask) {
    const auto at = answers.find(ask.to.id.value);
    if (at == answers.end()) return;
    CellAnswer answer = at->second(ask.question);
    answer.request = ask.question.request;
    EXPECT_TRUE(walk.on_answer(ask.to.id, answer));
  }
  void says(std::uint64_t node, CellAnswer answer) {
    answers[node] = [answer](const CellQuestion&) { return answer; };
  }
  /// Cells 1 and 2 below cell 9, managed by the nodes of those numbers.
  void tree() {
    CellReport root = cell_report(kRoot);
    root.members = {child(kOne, 1), child(kTwo, 2)};
    says(1, {.cells = {cell_report(kOne, kRoot)}, .places = {place(kRoot, 9)}});
    says(2, {.cells = {cell_report(kTwo, kRoot)}, .places = {}});
    says(9, {.cells = {root}, .places = {}});
  }

  const CellId kOne = cell(0, 1);
  const CellId kTwo = cell(0, 2);
  const CellId kRoot = cell(1, 9);

  Time now = kStart;
  std::map<std::uint64_t, std::function<CellAnswer(const CellQuestion&)>> answers;
  std::map<std::uint64_t, int> asked;
  std::size_t peak = 0;
  ReportWalk walk{{}, 0, kEnd};
};

TEST_F(ReportWalkTest, OfNothingIsOverAtOnce) {
  EXPECT_THAT(walk.next(now), IsEmpty());
  EXPECT_TRUE(walk.done());
  EXPECT_THAT(walk.silent(), IsEmpty());
}

TEST_F(ReportWalkTest, GoesUpAndDownTheTree) {
  tree();
  walk.begin(std::vector{start(kOne, 1)}, true);
  run();
  EXPECT_EQ(walk.reports().size(), 3u);
  EXPECT_EQ(walk.reports().at(kTwo).manager, PeerId{2});
  EXPECT_THAT(walk.silent(), IsEmpty());
  EXPECT_THAT(
      asked, ElementsAre(::testing::Pair(1, 1), ::testing::Pair(2, 1), ::testing::Pair(9, 1)));
  EXPECT_EQ(now, kStart);
}

TEST_F(ReportWalkTest, SaysWhichCellIsSilent) {
  tree();
  answers.erase(2);
  walk.begin(std::vector{start(kOne, 1)}, true);
  run();
  EXPECT_THAT(walk.silent(), ElementsAre(::testing::Pair(kTwo, "its manager does not answer")));
  EXPECT_EQ(now, kEnd);
}

TEST_F(ReportWalkTest, FollowsToTheNewManager) {
  tree();
  answers.erase(2);
  // The root hears of the new manager a moment later.
  answers[9] = [this](const CellQuestion&) {
    CellReport root = cell_report(kRoot);
    root.members = {child(kOne, 1), child(kTwo, asked[9] < 2 ? 2 : 3)};
    return CellAnswer{.cells = {root}};
  };
  says(3, {.cells = {cell_report(kTwo, kRoot, 2)}});
  walk.begin(std::vector{start(kOne, 1)}, true);
  run();
  EXPECT_THAT(walk.silent(), IsEmpty());
  EXPECT_EQ(walk.reports().at(kTwo).manager, PeerId{3});
  EXPECT_LT(now, kEnd);
}

TEST_F(ReportWalkTest, GossipMayBeWrong) {
  // The named node says that it manages nothing of the kind: the cell is no more.
  says(4, {});
  walk.begin(std::vector{start(kOne, 4)});
  run();
  EXPECT_THAT(walk.silent(), IsEmpty());
  EXPECT_THAT(walk.reports(), IsEmpty());
}

TEST_F(ReportWalkTest, WhomGossipNamesAndNobodyHearsIsToldOf) {
  walk.begin(std::vector{start(kOne, 4)});
  run();
  EXPECT_EQ(walk.silent().count(kOne), 1u);
}

TEST_F(ReportWalkTest, TheHighestEpochWins) {
  says(1, {.cells = {cell_report(kOne, {}, 4)}});
  says(2, {.cells = {cell_report(kOne, {}, 7)}});
  walk.begin(std::vector{start(kOne, 1), start(kOne, 2)}, true);
  run();
  EXPECT_EQ(walk.reports().at(kOne).epoch, 7u);
  EXPECT_EQ(walk.reports().at(kOne).manager, PeerId{2});
}

TEST_F(ReportWalkTest, AnswersOfOthersDoNotCount) {
  walk.begin(std::vector{start(kOne, 1)}, true);
  const auto asks = walk.next(now);
  ASSERT_EQ(asks.size(), 1u);
  CellAnswer answer{.request = asks[0].question.request, .cells = {cell_report(kOne)}};
  EXPECT_FALSE(walk.on_answer(PeerId{2}, answer));
  ++answer.request;
  EXPECT_FALSE(walk.on_answer(PeerId{1}, answer));
  --answer.request;
  EXPECT_TRUE(walk.on_answer(PeerId{1}, answer));
  EXPECT_FALSE(walk.on_answer(PeerId{1}, answer)) << "once";
}

TEST_F(ReportWalkTest, LongReportsComeInPieces) {
  answers[1] = [this](const CellQuestion& question) {
    CellReport piece = cell_report(kOne);
    for (CellId id{1}; id.value <= 5; ++id.value) {
      if (id <= question.after) continue;
      if (piece.partners.size() == 2) {
        piece.more = true;
        break;
      }
      piece.partners.push_back({.cell = id});
    }
    return CellAnswer{.cells = {piece}};
  };
  walk.begin(std::vector{start(kOne, 1)}, true);
  run();
  EXPECT_EQ(walk.reports().at(kOne).partners.size(), 5u);
  EXPECT_FALSE(walk.reports().at(kOne).more);
  EXPECT_EQ(asked[1], 3);
}

// Design: 10,000 nodes. Only managers are asked, few at a time.
TEST_F(ReportWalkTest, AsksManyCellsFewAtATime) {
  CellReport root = cell_report(kRoot);
  for (std::uint64_t i = 1; i <= 250; ++i) {
    root.members.push_back(child(cell(0, 1000 + i), 1000 + i));
    says(1000 + i, {.cells = {cell_report(cell(0, 1000 + i), kRoot)}});
  }
  says(9, {.cells = {root}});
  walk.begin(std::vector{start(kRoot, 9)}, true);
  run();
  EXPECT_EQ(walk.reports().size(), 251u);
  EXPECT_LE(peak, sched::CellWalk::kInFlightMax);
  EXPECT_EQ(walk.asked(), 251u);
}

// More members, or more partners, than an answer holds: the rest is asked for, of each what lacks.
TEST_F(ReportWalkTest, AsksForTheRestOfALongReport) {
  constexpr std::uint64_t kMembers = CellReport::kMembersMax * 2 + 10;
  constexpr std::uint64_t kPartners = CellReport::kPartnersMax + 3;
  answers[1] = [this](const CellQuestion& question) {
    CellReport made = cell_report(kOne);
    for (std::uint64_t i = 1; i <= kMembers; ++i) {
      if (i <= question.members_after.value) continue;
      made.more_members = made.members.size() == CellReport::kMembersMax;
      if (made.more_members) break;
      made.members.push_back({.member = PeerId{i}});
    }
    for (std::uint64_t i = 1; i <= kPartners; ++i) {
      if (i <= question.after.value) continue;
      made.more = made.partners.size() == CellReport::kPartnersMax;
      if (made.more) break;
      made.partners.push_back({.cell = {i}});
    }
    return CellAnswer{.cells = {made}};
  };
  walk.begin(std::vector{start(kOne, 1)}, true);
  run();
  const CellReport& whole = walk.reports().at(kOne);
  ASSERT_EQ(whole.members.size(), kMembers);
  for (std::uint64_t i = 0; i < kMembers; ++i) EXPECT_EQ(whole.members[i].member, PeerId{i + 1});
  EXPECT_EQ(whole.partners.size(), kPartners);
  EXPECT_FALSE(whole.more || whole.more_members);
  EXPECT_EQ(asked[1], 3);
}

}  // namespace
}  // namespace dunlin::node
