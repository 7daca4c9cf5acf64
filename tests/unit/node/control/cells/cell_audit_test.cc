// SPDX-License-Identifier: MIT
#include "node/control/cells/cell_audit.h"

#include <gmock/gmock.h>

#include "node/control/cells/cell_answer.h"
#include "overlay/rng.h"
#include "sched/ledger/audit.h"
#include "sched/ledger/ledger.h"
#include "sched/ledger/savings.h"

namespace dunlin::node {
namespace {

using sched::CellId;
using sched::Ledger;
using sched::Tickets;
using sched::books::Outcome;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr sched::ClassId kGold = 7;
constexpr overlay::Time kLater{std::chrono::hours(1)};

/// A cell of one node, with a ledger that answers as a manager would.
class Cell {
 public:
  explicit Cell(CellId id) : ledger_(id) {
    act(sched::books::Claim{});
    act(sched::books::Mint{.node = overlay::PeerId{1}, .tickets = 1'000'000});
  }

  Outcome act(sched::books::Action action) {
    sched::books::Command command;
    command.epoch = 1;
    command.action = std::move(action);
    return ledger_.apply(command).outcome;
  }
  void save(Tickets tickets) {
    sched::books::Allocate allocate;
    allocate.period = ++period_;
    allocate.until = kLater;
    allocate.release = kLater;
    allocate.deposits.push_back({.node = overlay::PeerId{1},
        .class_id = kGold,
        .tickets = tickets,
        .expires = kLater,
        .local = false});
    ASSERT_EQ(act(allocate), Outcome::applied);
  }
  CellId id() const { return ledger_.state().cell; }
  const Ledger& ledger() const { return ledger_; }

  CellReport report() const {
    const auto& state = ledger_.state();
    const sched::Audit audit = sched::audit_of(state);
    CellReport report{.cell = id(), .epoch = 1};
    report.sums = {.minted = audit.minted,
        .created = audit.created,
        .pools = audit.pools,
        .granted = audit.granted,
        .available = audit.available,
        .in_flight = audit.in_flight,
        .sent = audit.sent,
        .received = audit.received,
        .broken = {}};
    for (const auto& partner : state.partners) {
      ReportedPartner told{.cell = partner.cell,
          .lost = partner.lost,
          .number_last = partner.number_last,
          .sent = partner.sent,
          .received = partner.received,
          .settled_below = partner.settled_below};
      for (const auto& each : partner.outgoing) {
        told.outgoing.push_back(
            {.number = each.number, .tickets = sched::books::sum_of(each.deposits)});
      }
      for (const auto& each : partner.incoming) {
        told.incoming.push_back(
            {.number = each.number, .accepted = each.accepted, .tickets = each.tickets});
      }
      report.partners.push_back(told);
    }
    return report;
  }

 private:
  Ledger ledger_;
  std::uint64_t period_ = 0;
};

/// Two cells and what happens between them.
class CellAuditTest : public ::testing::Test {
 protected:
  CellAuditTest() {
    one.save(100'000);
    two.save(100'000);
  }

  std::uint64_t reserve(Cell& from, Cell& to, Tickets tickets) {
    const auto number = from.ledger().next_number(to.id());
    const auto outcome = from.act(sched::books::HoldSavings{
        .to = to.id(), .number = number, .class_id = kGold, .tickets = tickets});
    return outcome == Outcome::applied ? number : 0;
  }
  Outcome accept(Cell& from, Cell& to, std::uint64_t number, Tickets tickets) {
    return to.act(sched::books::Accept{.from = from.id(),
        .number = number,
        .class_id = kGold,
        .tickets = tickets,
        .life = std::chrono::minutes(1),
        .settled_below = from.ledger().settled_below(to.id())});
  }
  void settle(Cell& from, Cell& to, std::uint64_t number) {
    EXPECT_EQ(from.act(sched::books::Settle{.to = to.id(), .number = number}), Outcome::applied);
  }
  CellReports reading() const { return {{CellId{1}, one.report()}, {CellId{2}, two.report()}}; }

  Cell one{CellId{1}};
  Cell two{CellId{2}};
  CellAuditor auditor;
};

TEST_F(CellAuditTest, OneReadingIsEnoughForCellsThatSentNothing) {
  auditor.add(reading());
  EXPECT_TRUE(auditor.verdict().conserved());
}

TEST_F(CellAuditTest, WhatWasSentIsFound) {
  settle(one, two, (accept(one, two, reserve(one, two, 300), 300), 1));
  auditor.add(reading());
  EXPECT_FALSE(auditor.verdict().conserved()) << "one reading tells nothing of two cells";
  auditor.add(reading());
  EXPECT_TRUE(auditor.verdict().conserved());
}

TEST_F(CellAuditTest, WhatMovesBetweenReadingsIsNoAlarm) {
  const auto first = reserve(one, two, 300);
  auditor.add(reading());
  accept(one, two, first, 300);
  const auto second = reserve(one, two, 50);
  accept(one, two, second, 50);
  auditor.add(reading());
  EXPECT_TRUE(auditor.verdict().conserved());
}

TEST_F(CellAuditTest, WhatWasForgottenInBetweenIsReadAgain) {
  const auto first = reserve(one, two, 300);
  auditor.add(reading());
  accept(one, two, first, 300);
  settle(one, two, first);
  const auto second = reserve(one, two, 50);
  accept(one, two, second, 50);  // Says that the first is done: the receiver forgets it.
  auditor.add(reading());
  EXPECT_THAT(auditor.verdict().off, IsEmpty());
  EXPECT_THAT(auditor.verdict().undecided, SizeIs(1));
  auditor.add(reading());
  EXPECT_TRUE(auditor.verdict().conserved());
}

TEST_F(CellAuditTest, LostTicketsAreOff) {
  const auto number = reserve(one, two, 300);
  settle(one, two, number);  // Nobody accepted it.
  auditor.add(reading());
  auditor.add(reading());
  ASSERT_THAT(auditor.verdict().off, SizeIs(1));
  EXPECT_THAT(auditor.verdict().off[0], HasSubstr("accepted 0 tickets"));
  EXPECT_THAT(auditor.verdict().off[0], HasSubstr("sent it 300"));
}

TEST_F(CellAuditTest, DoubledTicketsAreOff) {
  const auto number = reserve(one, two, 300);
  accept(one, two, number, 300);
  EXPECT_EQ(one.act(sched::books::Undo{.to = {2}, .number = number}), Outcome::applied);
  auditor.add(reading());
  auditor.add(reading());
  EXPECT_THAT(auditor.verdict().off, SizeIs(1));
}

TEST_F(CellAuditTest, AnotherAmountIsOff) {
  const auto number = reserve(one, two, 300);
  accept(one, two, number, 301);
  auditor.add(reading());
  auditor.add(reading());
  ASSERT_THAT(auditor.verdict().off, SizeIs(1));
  EXPECT_THAT(auditor.verdict().off[0], HasSubstr("301"));
}

TEST_F(CellAuditTest, BooksThatDoNotAddUpAreOff) {
  CellReports wrong = reading();
  ++wrong.at(CellId{1}).sums.pools;
  auditor.add(wrong);
  EXPECT_THAT(auditor.verdict().off, SizeIs(1));
  wrong = reading();
  wrong.at(CellId{2}).sums.broken = "a node grants more than it has";
  auditor.add(wrong);
  ASSERT_THAT(auditor.verdict().off, SizeIs(1));
  EXPECT_THAT(auditor.verdict().off[0], HasSubstr("grants more"));
}

TEST_F(CellAuditTest, WhatIsUnderWayToACellThatWasNotFoundIsNotKnown) {
  reserve(one, two, 300);
  CellReports half = reading();
  half.erase(CellId{2});
  auditor.add(half);
  auditor.add(half);
  EXPECT_THAT(auditor.verdict().off, IsEmpty());
  ASSERT_THAT(auditor.verdict().undecided, SizeIs(1));
  EXPECT_THAT(auditor.verdict().undecided[0], HasSubstr("300 tickets are under way"));
}

TEST_F(CellAuditTest, OldManagersAreNotBelieved) {
  // The report of the replaced manager about its cell was true before the transfer.
  const CellReport old = two.report();
  const auto number = reserve(one, two, 300);
  accept(one, two, number, 300);
  settle(one, two, number);
  CellReports first = reading();
  first.at(CellId{2}).epoch = 2;
  CellReports second = reading();
  second.at(CellId{2}) = old;
  auditor.add(first);
  auditor.add(second);
  EXPECT_THAT(auditor.verdict().off, IsEmpty());
  EXPECT_FALSE(auditor.verdict().conserved());
}

TEST_F(CellAuditTest, WrittenOffCellsAreLeftOut) {
  reserve(one, two, 300);
  EXPECT_EQ(one.act(sched::books::WriteOff{.cell = {2}, .issue = {}, .expires = kLater}),
      Outcome::applied);
  auditor.add(reading());
  auditor.add(reading());
  EXPECT_TRUE(auditor.verdict().conserved());
}

// Whatever two cells do between any two commands, readings at any time raise no alarm, and the last
// two find all in order.
TEST_F(CellAuditTest, NeverAlarmsWhileCellsGoOn) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Cell a(CellId{1});
    Cell b(CellId{2});
    a.save(100'000);
    b.save(100'000);
    overlay::Rng rng(seed);
    CellAuditor running;
    for (int step = 0; step < 120; ++step) {
      Cell& from = rng.below(2) == 0 ? a : b;
      Cell& to = &from == &a ? b : a;
      const auto& partners = from.ledger().state().partners;
      const auto at = std::ranges::find(partners, to.id(), &sched::books::Partner::cell);
      const bool open = at != partners.end() && !at->outgoing.empty();
      const auto pick = open
          ? at->outgoing[rng.below(static_cast<std::uint32_t>(at->outgoing.size()))]
          : sched::books::Outgoing{};
      switch (rng.below(open ? 4 : 1)) {
        case 0:
          reserve(from, to, 1 + rng.below(100));
          break;
        case 1:
          accept(from, to, pick.number, sched::books::sum_of(pick.deposits));
          break;
        case 2:
          to.act(sched::books::Refuse{.from = from.id(),
              .number = pick.number,
              .settled_below = from.ledger().settled_below(to.id())});
          break;
        default:
          if (const auto verdict = to.ledger().verdict(from.id(), pick.number)) {
            if (*verdict) {
              from.act(sched::books::Settle{.to = to.id(), .number = pick.number});
            } else {
              from.act(sched::books::Undo{.to = to.id(), .number = pick.number});
            }
          }
          break;
      }
      if (rng.below(8) != 0) continue;
      // Each cell is read at another moment of the reading.
      running.add({{CellId{1}, a.report()}, {CellId{2}, b.report()}});
      ASSERT_THAT(running.verdict().off, IsEmpty()) << "seed " << seed << " step " << step;
    }
    running.add({{CellId{1}, a.report()}, {CellId{2}, b.report()}});
    running.add({{CellId{1}, a.report()}, {CellId{2}, b.report()}});
    ASSERT_TRUE(running.verdict().conserved()) << "seed " << seed;
  }
}

TEST_F(CellAuditTest, AddsUpCellsOfNodesOnly) {
  CellReports all = reading();
  CellReport root;
  root.cell = sched::cell_id(1, 1);
  root.sums.minted = 2'000'000;
  all[root.cell] = root;
  EXPECT_EQ(add_up(all).minted, 2'000'000);
  EXPECT_EQ(add_up(all).available, 200'000);
}

}  // namespace
}  // namespace dunlin::node
