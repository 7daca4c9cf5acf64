// SPDX-License-Identifier: MIT
#include "sched/ledger/ledger.h"

#include <gtest/gtest.h>

#include "sched/ledger/audit.h"
#include "tests/support/books_commands.h"

namespace dunlin::sched {
namespace {

using testing::at_second;
using testing::command_of;
using testing::deposits_of;
using testing::ledger_with;
using testing::outcome_of;
using testing::saving;

books::Allocate grants_of(std::uint64_t period,
    std::uint64_t node,
    std::vector<books::Share> grants,
    std::int64_t until = 10,
    std::int64_t release = 12) {
  books::Allocate allocate;
  allocate.period = period;
  allocate.until = at_second(until);
  allocate.release = at_second(release);
  allocate.sheets.push_back({.node = PeerId{node}, .grants = std::move(grants)});
  return allocate;
}

TEST(Ledger, NothingBeforeItsLeaderHasClaimedIt) {
  Ledger ledger(CellId{7});
  EXPECT_EQ(outcome_of(ledger, books::Tick{}, 1), books::Outcome::unclaimed);
  EXPECT_EQ(outcome_of(ledger, books::Claim{}, 0), books::Outcome::stale_epoch);
  EXPECT_EQ(outcome_of(ledger, books::Claim{}, 3), books::Outcome::applied);
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = PeerId{1}, .tickets = 1000}, 3),
      books::Outcome::applied);
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = PeerId{2}, .tickets = 1000}, 4),
      books::Outcome::unclaimed);
}

TEST(Ledger, LowerEpochIsRefusedAndChangesNothing) {
  Ledger ledger = ledger_with({7}, 1);
  EXPECT_EQ(outcome_of(ledger, books::Claim{}, 5), books::Outcome::applied);
  const auto before = ledger.state();
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = PeerId{2}, .tickets = 1}, 4, 50),
      books::Outcome::stale_epoch);
  EXPECT_EQ(outcome_of(ledger, books::Claim{}, 4, 50), books::Outcome::stale_epoch);
  EXPECT_EQ(ledger.state(), before);
}

TEST(Ledger, TimeIsThatOfCommandsAndNeverGoesBack) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, books::Tick{}, 1, 20);
  outcome_of(ledger, books::Tick{}, 1, 10);
  EXPECT_EQ(ledger.state().now, at_second(20));
}

TEST(Ledger, NodeBringsItsTicketsOnce) {
  Ledger ledger = ledger_with({7}, 1);
  EXPECT_EQ(ledger.pool(PeerId{1}), 1000);
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = PeerId{1}, .tickets = 1000}),
      books::Outcome::known_node);
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = {}, .tickets = 5}), books::Outcome::malformed);
  EXPECT_EQ(
      outcome_of(ledger, books::Mint{.node = PeerId{2}, .tickets = -5}), books::Outcome::malformed);
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = PeerId{2}, .tickets = kTicketsMax + 1}),
      books::Outcome::malformed);
  EXPECT_EQ(
      outcome_of(ledger, books::Mint{.node = PeerId{2}, .tickets = 0}), books::Outcome::applied);
  EXPECT_EQ(audit_of(ledger.state()).minted, 1000);
}

TEST(Ledger, NodeNeverGrantsMoreThanItHas) {
  Ledger ledger = ledger_with({7}, 1);
  EXPECT_EQ(
      outcome_of(ledger, grants_of(1, 1, {{1, 600}, {2, 401}})), books::Outcome::over_committed);
  EXPECT_EQ(outcome_of(ledger, grants_of(1, 1, {{1, 600}, {2, 400}})), books::Outcome::applied);
  EXPECT_EQ(ledger.pool(PeerId{1}), 0);
  // A new sheet replaces the old one, though its term is not over.
  EXPECT_EQ(outcome_of(ledger, grants_of(2, 1, {{2, 700}})), books::Outcome::applied);
  EXPECT_EQ(ledger.pool(PeerId{1}), 300);
}

TEST(Ledger, SheetsMustMakeSense) {
  Ledger ledger = ledger_with({7}, 2);
  EXPECT_EQ(outcome_of(ledger, grants_of(1, 3, {})), books::Outcome::unknown_node);
  EXPECT_EQ(outcome_of(ledger, grants_of(1, 1, {{1, 0}})), books::Outcome::malformed);
  EXPECT_EQ(outcome_of(ledger, grants_of(1, 1, {{1, -1}})), books::Outcome::malformed);
  EXPECT_EQ(outcome_of(ledger, grants_of(1, 1, {{1, 5}, {1, 5}})), books::Outcome::malformed);
  EXPECT_EQ(outcome_of(ledger, grants_of(1, 1, {}, 12, 10)), books::Outcome::malformed);
  auto twice = grants_of(1, 1, {});
  twice.sheets.push_back(twice.sheets[0]);
  EXPECT_EQ(outcome_of(ledger, twice), books::Outcome::malformed);
  EXPECT_EQ(outcome_of(ledger, grants_of(5, 1, {})), books::Outcome::applied);
  EXPECT_EQ(outcome_of(ledger, grants_of(5, 1, {{1, 5}})), books::Outcome::old_period);
}

TEST(Ledger, GrantsEndAtTheirRelease) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, grants_of(1, 1, {{1, 600}}, 10, 12));
  outcome_of(ledger, books::Tick{}, 1, 11);
  EXPECT_EQ(ledger.pool(PeerId{1}), 400);
  outcome_of(ledger, books::Tick{}, 1, 12);
  EXPECT_EQ(ledger.pool(PeerId{1}), 1000);
}

TEST(Ledger, WorkerMayReturnTheGrantsOfItsPeriod) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, grants_of(3, 1, {{1, 600}}));
  EXPECT_EQ(outcome_of(ledger, books::Return{.node = PeerId{1}, .period = 2}),
      books::Outcome::old_period);
  EXPECT_EQ(
      outcome_of(ledger, books::Return{.node = PeerId{1}, .period = 3}), books::Outcome::applied);
  EXPECT_EQ(ledger.pool(PeerId{1}), 1000);
  EXPECT_EQ(outcome_of(ledger, books::Return{.node = PeerId{9}, .period = 3}),
      books::Outcome::unknown_node);
}

TEST(Ledger, LeaverIsBurnedWhenItsGrantsAreOver) {
  Ledger ledger = ledger_with({7}, 2);
  outcome_of(ledger, grants_of(1, 1, {{1, 600}}, 10, 12));
  EXPECT_EQ(outcome_of(ledger, books::Burn{.node = PeerId{1}, .returned = false}),
      books::Outcome::applied);
  ASSERT_NE(ledger.node(PeerId{1}), nullptr);
  EXPECT_EQ(outcome_of(ledger, grants_of(2, 1, {{1, 1}})), books::Outcome::unknown_node);
  outcome_of(ledger, books::Tick{}, 1, 12);
  EXPECT_EQ(ledger.node(PeerId{1}), nullptr);
  EXPECT_EQ(audit_of(ledger.state()).minted, 1000);
  // Back again, it is a newcomer.
  EXPECT_EQ(
      outcome_of(ledger, books::Mint{.node = PeerId{1}, .tickets = 500}), books::Outcome::applied);
}

TEST(Ledger, LeaverThatReturnedItsGrantsIsBurnedAtOnce) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, grants_of(1, 1, {{1, 600}}));
  EXPECT_EQ(outcome_of(ledger, books::Burn{.node = PeerId{1}, .returned = true}),
      books::Outcome::applied);
  EXPECT_EQ(ledger.node(PeerId{1}), nullptr);
  EXPECT_EQ(outcome_of(ledger, books::Burn{.node = PeerId{1}, .returned = true}),
      books::Outcome::unknown_node);
}

TEST(Ledger, LocalReserveOfALeaverGoesToTheBank) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, deposits_of(1, {saving(1, 4, 100, 50, true), saving(1, 4, 30, 60)}));
  EXPECT_EQ(ledger.local_reserve(4, PeerId{1}), 100);
  EXPECT_EQ(ledger.balance(4), 30);
  outcome_of(ledger, books::Burn{.node = PeerId{1}, .returned = true});
  EXPECT_EQ(ledger.local_reserve(4, PeerId{1}), 0);
  EXPECT_EQ(ledger.balance(4), 130);
  outcome_of(ledger, books::Tick{}, 1, 50);
  EXPECT_EQ(ledger.balance(4), 30);
}

TEST(Ledger, DepositsOfANodeAreAtMostWhatItHas) {
  Ledger ledger = ledger_with({7}, 1);
  EXPECT_EQ(outcome_of(ledger, deposits_of(1, {saving(1, 1, 600), saving(1, 2, 401)})),
      books::Outcome::over_committed);
  EXPECT_EQ(ledger.balance(1), 0);  // All or nothing.
  EXPECT_EQ(outcome_of(ledger, deposits_of(1, {saving(1, 1, 600), saving(1, 2, 400)})),
      books::Outcome::applied);
  EXPECT_EQ(ledger.balance(1), 600);
  EXPECT_EQ(outcome_of(ledger, deposits_of(2, {saving(8, 1, 1)})), books::Outcome::unknown_node);
}

TEST(Ledger, DrawsAreAtMostTheBalance) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, deposits_of(1, {saving(1, 1, 600)}));
  books::Allocate draws = deposits_of(2, {});
  draws.draws = {
      {.class_id = 1, .tickets = 400, .node = {}}, {.class_id = 1, .tickets = 201, .node = {}}};
  EXPECT_EQ(outcome_of(ledger, draws), books::Outcome::insufficient);
  draws.draws[1].tickets = 200;
  EXPECT_EQ(outcome_of(ledger, draws), books::Outcome::applied);
  EXPECT_EQ(ledger.balance(1), 0);
  EXPECT_EQ(ledger.state().totals.redeemed, 600);
}

TEST(Ledger, ExpiredSavingsAreDestroyed) {
  Ledger ledger = ledger_with({7}, 1);
  outcome_of(ledger, deposits_of(1, {saving(1, 1, 100, 20), saving(1, 1, 50, 30)}));
  outcome_of(ledger, books::Tick{}, 1, 20);
  EXPECT_EQ(ledger.balance(1), 50);
  EXPECT_EQ(ledger.state().totals.expired, 100);
  outcome_of(ledger, books::Tick{}, 1, 30);
  EXPECT_TRUE(ledger.state().accounts.empty());
}

TEST(Ledger, CommandOfAClientIsDoneOnce) {
  Ledger ledger = ledger_with({7}, 0);
  auto mint = command_of(books::Mint{.node = PeerId{1}, .tickets = 10});
  mint.client = 5;
  mint.sequence = 1;
  EXPECT_FALSE(ledger.apply(mint).repeated);
  const Applied again = ledger.apply(mint);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.outcome, books::Outcome::applied);  // Not known_node: what came of it then.
  mint.sequence = 2;
  EXPECT_EQ(ledger.apply(mint).outcome, books::Outcome::known_node);
  // Refused for its epoch it is not counted as done: the next leader may do it.
  auto late = command_of(books::Mint{.node = PeerId{2}, .tickets = 10});
  late.client = 5;
  late.sequence = 3;
  outcome_of(ledger, books::Claim{}, 2);
  EXPECT_EQ(ledger.apply(late).outcome, books::Outcome::stale_epoch);
  late.epoch = 2;
  EXPECT_EQ(ledger.apply(late).outcome, books::Outcome::applied);
}

TEST(Ledger, RemembersNoMoreThanTheWindowOfAClient) {
  Ledger ledger = ledger_with({7}, 0);
  auto tick = command_of(books::Tick{});
  tick.client = 5;
  for (std::uint64_t i = 1; i <= books::Client::kAnswersMax; ++i) {
    tick.sequence = i;
    EXPECT_EQ(ledger.apply(tick).outcome, books::Outcome::applied);
  }
  tick.sequence = books::Client::kAnswersMax + 1;
  EXPECT_EQ(ledger.apply(tick).outcome, books::Outcome::ahead);
  tick.acknowledged = 10;
  EXPECT_EQ(ledger.apply(tick).outcome, books::Outcome::applied);
  EXPECT_EQ(ledger.state().clients[0].answers.size(), books::Client::kAnswersMax + 1 - 10);
  tick.sequence = 10;
  EXPECT_EQ(ledger.apply(tick).outcome, books::Outcome::forgotten);
}

TEST(Ledger, RoomForANewClientIsMadeByTheOneNotHeardOfLongest) {
  Ledger ledger = ledger_with({7}, 0);
  auto tick = command_of(books::Tick{});
  tick.sequence = 1;
  for (std::uint64_t i = 1; i <= books::State::kClientsMax; ++i) {
    tick.client = i;
    ledger.apply(tick);
  }
  tick.client = 1;
  EXPECT_TRUE(ledger.apply(tick).repeated);
  tick.client = 5000;
  EXPECT_FALSE(ledger.apply(tick).repeated);
  EXPECT_EQ(ledger.state().clients.size(), books::State::kClientsMax);
  EXPECT_EQ(ledger.state().clients[0].client, 1u);
  EXPECT_EQ(ledger.state().clients[1].client, 3u);
}

TEST(Ledger, ListsAreBounded) {
  Ledger ledger = ledger_with({7}, books::State::kNodesMax);
  EXPECT_EQ(outcome_of(ledger, books::Mint{.node = PeerId{9999}, .tickets = 1}),
      books::Outcome::too_many);
  for (std::uint64_t period = 1; period <= 16; ++period) {
    books::Allocate allocate = deposits_of(period, {});
    for (ClassId class_id = 0; class_id < 256; ++class_id) {
      allocate.deposits.push_back(
          saving(class_id % 100 + 1, static_cast<ClassId>(period) * 256 + class_id, 1));
    }
    EXPECT_EQ(outcome_of(ledger, allocate), books::Outcome::applied);
  }
  EXPECT_EQ(ledger.state().accounts.size(), books::State::kAccountsMax);
  EXPECT_EQ(outcome_of(ledger, deposits_of(17, {saving(1, 0, 1)})), books::Outcome::too_many);
  EXPECT_EQ(outcome_of(ledger, deposits_of(17, {saving(1, 256, 1)})), books::Outcome::applied);
  // As full as can be, it still fits into a snapshot.
  const auto again = Ledger::load(ledger.save(), CellId{7});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->state(), ledger.state());
}

}  // namespace
}  // namespace dunlin::sched
