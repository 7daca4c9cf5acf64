// SPDX-License-Identifier: MIT
#include "sched/cell/cell_member.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/support/memory_raft_store.h"
#include "tests/support/solo.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using cell::Standing;

constexpr PeerId kMember{42};
const CellId kCell = cell_id(0, 0x770);

/// A node without tasks or neighbours.
class Idle final : public Workload, public GossipTargets {
 public:
  std::vector<books::Use> take(Time, Tickets) override { return {}; }
  std::optional<Endpoint> draw(Rng&) override { return std::nullopt; }
};

class CellMemberTest : public ::testing::Test, private overlay::Port<cell::Message> {
 protected:
  CellTurn turn() { return {now, rng, *this, store, idle, idle, events}; }
  void wake() {
    member.wake(turn(), hints, [&] {
      ++reports;
      return cell::MemberReport{.tickets = 4000, .uses = uses};
    });
  }
  const cell::MemberReport& last() { return std::get<cell::MemberReport>(sent.back().second); }
  cell::Lease lease(Epoch epoch, std::uint64_t period, Standing standing = Standing::member) {
    return {.cell = kCell,
        .epoch = epoch,
        .member = kMember,
        .standing = standing,
        .sequence = last().sequence,
        .grant_life = 10s,
        .period = period,
        .grants = {{.class_id = 1, .tickets = 1000 + static_cast<Tickets>(period)}}};
  }
  void hear(CellId cell, std::uint32_t size, std::uint32_t room) {
    cell::Hint hint;
    hint.cell = cell;
    hint.stamp = 1;
    hint.size = size;
    hint.room = room;
    hint.manager = {.node = PeerId{cell.value}, .address = Address::v4(1, 1)};
    hints.hear(now, 1h, hint);
  }
  void join() {
    hear(kCell, 3, 5);
    wake();
    ASSERT_EQ(member.state(), CellMember::State::joining);
    now += 10ms;
    ASSERT_TRUE(member.receive(turn(), lease(2, 1)));
    ASSERT_TRUE(member.is_member());
  }

  CellParams params;
  Time now{1h};
  Rng rng{1};
  test::MemoryRaftStore store;
  Idle idle;
  test::EventRecorder events;
  CellHints hints;
  CellMember member{params, 0, kMember};
  std::vector<std::pair<Endpoint, cell::Message>> sent;
  int reports = 0;
  std::vector<books::Use> uses;

 private:
  void send(const Endpoint& to, const cell::Message& message) override {
    sent.emplace_back(to, message);
  }
};

TEST_F(CellMemberTest, AsksTheFullestCellWithRoom) {
  hear(cell_id(0, 0x100), 2, 5);
  hear(cell_id(0, 0x200), 4, 3);
  hear(cell_id(0, 0x300), 7, 0);
  hear(cell_id(1, 0x400), 6, 1);
  wake();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(last().cell, cell_id(0, 0x200));
  EXPECT_EQ(last().member, kMember);
}

TEST_F(CellMemberTest, AFullCellIsNotAskedAgainSoon) {
  hear(kCell, 4, 1);
  hear(cell_id(0, 0x200), 1, 1);
  wake();
  EXPECT_EQ(last().cell, kCell);
  member.receive(turn(), lease(1, 0, Standing::full));
  // Nor is another one at once: thousands may be turned away together.
  wake();
  EXPECT_EQ(last().cell, kCell);
  now += params.retry;
  wake();
  EXPECT_EQ(last().cell, cell_id(0, 0x200));
}

TEST_F(CellMemberTest, LosesPatienceWhereThereIsNoCell) {
  wake();
  EXPECT_FALSE(member.establishes());
  const Time began = now;
  while (!member.establishes() && now < began + 1h) {
    now = member.deadline();
    wake();
  }
  EXPECT_GE(now, began + params.patience);
  EXPECT_LE(now, began + 2 * params.patience + 20 * params.retry);
  EXPECT_TRUE(sent.empty());
}

// Without this, thousands of nodes that begin at once would each found a cell of their own.
TEST_F(CellMemberTest, OfThoseWhoSeekAFewFoundACell) {
  std::size_t at_once = 0;
  std::size_t at_last = 0;
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    member = CellMember(params, 0, PeerId{id});
    now = Time{1h};
    wake();
    now += 2 * params.patience;
    wake();
    at_once += member.establishes() ? 1u : 0u;
    for (int i = 0; i < 20 && !member.establishes(); ++i) {
      now += params.retry;
      wake();
    }
    at_last += member.establishes() ? 1u : 0u;
  }
  EXPECT_GE(at_once, 1000u / params.cell_size);
  EXPECT_LE(at_once, 4000u / params.cell_size);
  EXPECT_EQ(at_last, 1000u);
}

TEST_F(CellMemberTest, OfCellsTheOneOfTheLowestIdFounds) {
  const auto founds = [&](CellId self) {
    CellMember above(params, 1, self);
    const auto renew = [] { return cell::MemberReport{}; };
    now = Time{1h};
    above.wake(turn(), hints, renew);
    now += 2 * params.patience;
    above.wake(turn(), hints, renew);
    return above.establishes();
  };
  hear(cell_id(0, 0x100), 3, 5);
  hear(cell_id(0, 0x200), 3, 5);
  int lower = 0;
  int higher = 0;
  for (int i = 0; i < 20; ++i) {
    lower += founds(cell_id(0, 0x100)) ? 1 : 0;
    higher += founds(cell_id(0, 0x200)) ? 1 : 0;
  }
  EXPECT_EQ(lower, 20);
  EXPECT_LT(higher, 10);
}

TEST_F(CellMemberTest, WhoIsAlwaysTurnedAwayFoundsACell) {
  const Time began = now;
  for (std::uint64_t cell = 1; !member.establishes() && now < began + 1h; ++cell) {
    hear(cell_id(0, cell << 8), 4, 1);
    wake();
    if (member.state() == CellMember::State::joining) {
      auto no = lease(1, 0, Standing::full);
      no.cell = member.cell();
      member.receive(turn(), no);
    }
    now += params.retry;
  }
  EXPECT_LE(now, began + 2 * params.patience + 40 * params.retry);
}

TEST_F(CellMemberTest, IsLeasedForAsLongAsAManagerAnswers) {
  EXPECT_FALSE(member.leased(now));
  join();
  const Time sent_at = now - 10ms;
  EXPECT_TRUE(member.leased(now));
  EXPECT_TRUE(member.leased(sent_at + params.lease - 1ns));
  EXPECT_FALSE(member.leased(sent_at + params.lease)) << "though it is a member still";
  member.leave(now);
  EXPECT_FALSE(member.leased(now));
}

TEST_F(CellMemberTest, GrantsHoldForTheirTermFromWhenTheReportWasSent) {
  join();
  const Time sent_at = now - 10ms;
  ASSERT_EQ(member.grants(now).size(), 1u);
  EXPECT_EQ(member.until(), sent_at + 10s);
  EXPECT_EQ(member.grants(sent_at + 10s - 1ns).size(), 1u);
  EXPECT_TRUE(member.grants(sent_at + 10s).empty());
}

// A class that is not granted anything may want its share at once, unless it waited and was
// refused.
TEST_F(CellMemberTest, AClassThatWaitsAndIsGrantedNothingIsRefused) {
  uses = {{.class_id = 1, .used = 10, .need = 10}, {.class_id = 2, .used = 10, .need = 10},
      {.class_id = 3, .used = 10, .need = 0}};
  join();
  const auto grants = member.grants(now);
  ASSERT_EQ(grants.size(), 2u);
  EXPECT_EQ(grants[0].tickets, 1001);
  EXPECT_EQ(grants[1].class_id, 2u);
  EXPECT_EQ(grants[1].tickets, 0);
}

TEST_F(CellMemberTest, RefusesLowerEpochsAndOlderPeriods) {
  join();
  EXPECT_TRUE(member.receive(turn(), lease(3, 5)));
  EXPECT_FALSE(member.receive(turn(), lease(2, 9)));
  EXPECT_EQ(member.refused(), 1u);
  EXPECT_FALSE(member.receive(turn(), lease(3, 4)));
  EXPECT_EQ(member.grants(now)[0].tickets, 1005);
  EXPECT_EQ(member.epoch(), 3u);
}

TEST_F(CellMemberTest, IgnoresLeasesOfOthersAndForReportsItNeverSent) {
  join();
  auto other = lease(3, 7);
  other.member = PeerId{43};
  EXPECT_FALSE(member.receive(turn(), other));
  other = lease(3, 7);
  other.cell = cell_id(0, 0x999);
  EXPECT_FALSE(member.receive(turn(), other));
  other = lease(3, 7);
  other.sequence = 12345;
  EXPECT_FALSE(member.receive(turn(), other));
  EXPECT_EQ(member.grants(now)[0].tickets, 1001);
}

TEST_F(CellMemberTest, AReportThatIsNotAnsweredIsSentAgainAsItWas) {
  join();
  now = member.deadline();
  wake();
  EXPECT_EQ(reports, 2);
  now = member.deadline();
  wake();
  EXPECT_EQ(reports, 2);
  EXPECT_EQ(sent.size(), 3u);
}

TEST_F(CellMemberTest, AsksTheOtherContactsIfTheManagerIsSilent) {
  join();
  auto contacts = lease(2, 2);
  contacts.contacts = {{.node = PeerId{1}, .address = {}}, {.node = PeerId{2}, .address = {}}};
  member.receive(turn(), contacts);
  now = member.deadline();
  wake();
  EXPECT_EQ(sent.back().first.id, PeerId{1});
  now = member.deadline();
  wake();
  EXPECT_EQ(sent.back().first.id, PeerId{2});
}

TEST_F(CellMemberTest, LeavesADissolvedCellBeforeItJoinsAnother) {
  join();
  member.receive(turn(), lease(2, 2, Standing::dissolved));
  EXPECT_EQ(member.state(), CellMember::State::leaving);
  EXPECT_TRUE(member.grants(now).empty());
  wake();
  EXPECT_TRUE(last().leaving);
  hear(cell_id(0, 0x200), 1, 1);
  member.receive(turn(), lease(2, 0, Standing::gone));
  EXPECT_EQ(member.state(), CellMember::State::seeking);
  wake();
  EXPECT_EQ(last().cell, cell_id(0, 0x200));
  EXPECT_FALSE(last().leaving);
}

TEST_F(CellMemberTest, AnEvictedMemberAsksToBeOneAgain) {
  join();
  now = member.deadline();
  wake();
  member.receive(turn(), lease(2, 0, Standing::gone));
  EXPECT_EQ(member.state(), CellMember::State::joining);
  EXPECT_TRUE(member.grants(now).empty());
}

// A newcomer is not that patient. But this cell has it in its books, and counts on it: when the
// manager fell together with others, a vote may wait for them.
TEST_F(CellMemberTest, WaitsForAManagerOfTheCellItWasAMemberOf) {
  const books::Contact contact{.node = PeerId{7}, .address = Address::v4(7, 1)};
  const auto given_up_after = [&](CellMember::Joins joins) {
    const Time began = now;
    member.join(now, kCell, std::span(&contact, 1), joins);
    while (member.state() == CellMember::State::joining && now < began + 1h) {
      now = std::max(now, member.deadline());
      wake();
    }
    return now - began;
  };
  EXPECT_LT(given_up_after(CellMember::Joins::anew), params.lease);
  const Duration again = given_up_after(CellMember::Joins::again);
  EXPECT_GE(again, 3 * params.lease);
  EXPECT_LE(again, 3 * params.lease + params.retry);
}

TEST_F(CellMemberTest, GivesACellUpThatHasNoManagerForLong) {
  join();
  const Time end = now + 3 * params.lease + params.retry;
  while (now < end) {
    now = std::max(now, member.deadline());
    wake();
    if (member.state() == CellMember::State::seeking) break;
  }
  EXPECT_EQ(member.state(), CellMember::State::seeking);
}

}  // namespace
}  // namespace dunlin::sched
