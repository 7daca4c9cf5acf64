// SPDX-License-Identifier: MIT
#include "sched/cell/cell_node.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "sched/cell/hosted_replica.h"
#include "tests/support/grouped_raft_store.h"
#include "tests/support/solo.h"

// One node, to which others speak: the answers of a manager to nodes that it has no room for, the
// moment when it lets its cell end, and the nodes that are not believed.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using cell::Standing;

/// A node that has no neighbours of its own, and tells of its tasks what it is told to.
class Hermit final : public Workload, public GossipTargets {
 public:
  std::vector<books::Use> uses;
  std::vector<books::Use> take(Time, Tickets) override { return uses; }
  std::optional<Endpoint> draw(Rng&) override { return std::nullopt; }
};

class CellNodeTest : public ::testing::Test, private overlay::Port<cell::Message> {
 protected:
  CellNodeTest() {
    params.cell.sharing = SharingMode::bank;
    params.cell.cell_size = 2;
  }

  CellTurn turn() { return {now, rng, *this, store, hermit, hermit, events}; }
  static Endpoint at(std::uint32_t number) {
    return {.id = {number}, .address = Address::v4(number, 7700)};
  }
  void receive(std::uint32_t from, const cell::Message& message) {
    node->receive(turn(), at(from), message);
    store.commit();
  }
  /// A message to itself arrives at once.
  void run(Duration duration) {
    const Time end = now + duration;
    while (node->deadline() <= end || !own.empty()) {
      if (own.empty()) {
        now = std::max(now, node->deadline());
        node->wake(turn());
      } else {
        const auto message = own.front();
        own.erase(own.begin());
        node->receive(turn(), at(kSelf), message);
      }
      store.commit();
    }
    now = end;
  }
  /// Founds a cell of its own.
  void found() {
    node.emplace(params, at(kSelf), 4000, now);
    run(2min);
    ASSERT_TRUE(node->member().is_member());
    home = node->member().cell();
    sent.clear();
  }
  const HostedReplica& hosted() { return *node->hosted(home); }
  cell::MemberReport renew(std::uint32_t member, std::uint64_t version = 0) {
    return {.cell = home,
        .member = PeerId{member},
        .sequence = ++sequence,
        .tickets = 4000,
        .version = version};
  }
  static cell::Hint hint(std::uint64_t number, std::uint32_t size, std::uint32_t room) {
    return {.cell = cell_id(0, number << 8),
        .epoch = 1,
        .stamp = 1,
        .manager = {.node = PeerId{number}, .address = Address::v4(1, 1)},
        .size = size,
        .room = room};
  }
  void hear(cell::Hint told) {
    told.stamp = ++stamp;
    receive(99, cell::Gossip{.hints = {told}, .reply = true});
  }
  template <typename Kind>
  std::vector<Kind> told(std::uint32_t to) const {
    std::vector<Kind> found;
    for (const auto& [where, message] : sent) {
      const auto* kind = std::get_if<Kind>(&message);
      if (kind != nullptr && where.id == PeerId{to}) found.push_back(*kind);
    }
    return found;
  }
  /// Runs for so many periods, in which `hints` are repeated. True if the cell is to end then.
  bool dissolves_within(int periods, std::vector<cell::Hint> hints) {
    for (int i = 0; i < periods && !hosted().books().roster().dissolving; ++i) {
      for (const cell::Hint& each : hints) hear(each);
      run(params.cell.period);
    }
    return hosted().books().roster().dissolving;
  }

  static constexpr std::uint32_t kSelf = 50;
  SharingParams params;
  Time now{1h};
  Rng rng{1};
  test::GroupedRaftStore store;
  Hermit hermit;
  test::EventRecorder events;
  std::optional<CellNode> node;
  CellId home;
  std::uint64_t sequence = 1'000'000'000;
  std::uint64_t stamp = 0;
  std::vector<std::pair<Endpoint, cell::Message>> sent;
  std::vector<cell::Message> own;

 private:
  void send(const Endpoint& to, const cell::Message& message) override {
    if (to.id == PeerId{kSelf}) {
      own.push_back(message);
    } else {
      sent.emplace_back(to, message);
    }
  }
};

TEST_F(CellNodeTest, RefersWhoFindsNoRoomToCellsThatHaveSome) {
  found();
  receive(60, renew(60));
  run(1s);
  ASSERT_EQ(hosted().books().ledger().state().nodes.size(), 2u);
  hear(hint(7, 1, 3));
  hear(hint(8, 4, 0));
  sent.clear();
  receive(61, renew(61));
  const auto leases = told<cell::Lease>(61);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases.front().standing, Standing::full);
  const auto gossip = told<cell::Gossip>(61);
  ASSERT_EQ(gossip.size(), 1u);
  ASSERT_EQ(gossip.front().hints.size(), 1u);
  EXPECT_EQ(gossip.front().hints.front().cell, cell_id(0, 7 << 8));
  // It wants no answer, and whoever leaves wants no advice.
  EXPECT_TRUE(gossip.front().reply);
  sent.clear();
  auto leaving = renew(62);
  leaving.leaving = true;
  receive(62, leaving);
  EXPECT_TRUE(told<cell::Gossip>(62).empty());
}

// A manager that is asked by thousands remembers no more of them than it could use.
TEST_F(CellNodeTest, TurnsStrangersAwayWithoutRememberingThem) {
  found();
  ASSERT_TRUE(node->set_classes(
      turn(), {.version = 9, .classes = {{.class_id = 1, .name = "a", .share = 1}}}));
  run(1s);
  receive(60, renew(60));
  run(1s);
  const std::uint32_t members_max = 2u * params.cell.cell_size + 8;
  for (std::uint32_t i = 0; i < members_max + 5; ++i) {
    sent.clear();
    receive(100 + i, renew(100 + i));
    const auto leases = told<cell::Lease>(100 + i);
    ASSERT_EQ(leases.size(), 1u);
    EXPECT_EQ(leases.front().standing, Standing::full);
    EXPECT_FALSE(leases.front().contacts.empty());
    // It knows the lacks of the two members and of the strangers that it remembers.
    EXPECT_EQ(leases.front().version == 9, i < members_max - 2) << i;
  }
}

TEST_F(CellNodeTest, ASmallCellEndsOnlyAfterManyPeriodsWithRoomElsewhere) {
  params.cell.cell_size = 10;
  params.cell.merge_rounds = 4;
  found();
  // Room that comes and goes is no room.
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(dissolves_within(3, {hint(7, 5, 5)}));
    EXPECT_FALSE(dissolves_within(1, {hint(7, 10, 0)}));
  }
  EXPECT_TRUE(dissolves_within(60, {hint(7, 5, 5)}));
}

// A quarter of those that could do so do, so that not all fall upon the same room. Of two cells one
// alone could.
TEST_F(CellNodeTest, CellsThatSeeTheSameRoomDoNotAllEndAtOnce) {
  params.cell.cell_size = 10;
  params.cell.merge_rounds = 1;
  int at_once = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    rng = Rng{seed};
    store.lose();
    own.clear();
    found();
    if (HasFatalFailure()) return;
    at_once += dissolves_within(2, {hint(7, 5, 5), hint(8, 1, 9)}) ? 1 : 0;
  }
  EXPECT_GT(at_once, 6);
  EXPECT_LT(at_once, 42);
}

TEST_F(CellNodeTest, WhereThereAreManyCellsTwiceTheRoomIsNeeded) {
  params.cell.cell_size = 10;
  params.cell.merge_rounds = 2;
  found();
  std::vector<cell::Hint> hints = {hint(7, 9, 1)};
  for (std::uint64_t i = 0; i < 9; ++i) hints.push_back(hint(10 + i, 10, 0));
  EXPECT_FALSE(dissolves_within(60, hints));
  hints.push_back(hint(8, 9, 1));
  EXPECT_TRUE(dissolves_within(60, hints));
}

TEST_F(CellNodeTest, StrangersHaveNoSay) {
  found();
  const auto epoch = node->member().epoch();
  receive(
      66, cell::Discharge{.cell = home, .replica = hosted().group.replica(), .index = 1u << 30});
  ASSERT_NE(node->hosted(home), nullptr);
  EXPECT_EQ(node->strangers(), 1u);
  receive(66,
      cell::Lease{
          .cell = home, .epoch = epoch + 9, .member = PeerId{kSelf}, .standing = Standing::gone});
  EXPECT_EQ(node->member().epoch(), epoch);
  EXPECT_EQ(node->strangers(), 2u);
  receive(66,
      cell::Order{.cell = home, .parent = {}, .epoch = 1, .number = 1, .to = {5}, .tickets = 1});
  EXPECT_EQ(node->strangers(), 3u);
  receive(66, cell::Verdict{.from = home, .to = {5}, .number = 1, .accepted = true});
  EXPECT_EQ(node->strangers(), 4u);
  receive(66, cell::WrittenOff{.cell = home, .by = {5}});
  EXPECT_EQ(node->strangers(), 5u);
  run(1s);
  EXPECT_FALSE(hosted().books().roster().closed);
}

// The part that an idle class lent is its own again the moment it comes back, whatever was granted.
TEST_F(CellNodeTest, AClassThatWasGrantedNothingMayHaveItsShareAtOnce) {
  found();
  ASSERT_TRUE(node->set_classes(turn(),
      {.version = 9,
          .classes = {{.class_id = 1, .name = "a", .share = 1},
              {.class_id = 2, .name = "b", .share = 3}}}));
  const auto at_first = node->tickets(now);
  EXPECT_EQ(at_first, (std::vector<std::pair<ClassId, Tickets>>{{1, 1000}, {2, 3000}}));
  hermit.uses = {{.class_id = 1}, {.class_id = 2, .used = 4000, .need = 4000}};
  run(20s);
  ASSERT_TRUE(now < node->member().until());
  ASSERT_EQ(node->member().grants(now).size(), 1u);
  EXPECT_EQ(node->member().grants(now).front().tickets, 4000);
  // Beside 4,000 tickets, these are a quarter.
  EXPECT_EQ(node->tickets(now), (std::vector<std::pair<ClassId, Tickets>>{{1, 1333}, {2, 4000}}));
}

}  // namespace
}  // namespace dunlin::sched
