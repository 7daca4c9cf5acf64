// SPDX-License-Identifier: MIT
#include "sched/ledger/node_commands.h"

#include <gtest/gtest.h>

#include "sched/ledger/accounts.h"

namespace dunlin::sched::books {
namespace {

using std::chrono::seconds;

const PeerId kNode{7};
constexpr ClassId kGold = 1;

State with_node(Tickets tickets) {
  State state;
  EXPECT_EQ(apply(state, Mint{.node = kNode, .tickets = tickets}), Outcome::applied);
  return state;
}

TEST(NodeCommands, MintTheTicketsOfANodeOnce) {
  State state = with_node(100);
  EXPECT_EQ(apply(state, Mint{.node = kNode, .tickets = 100}), Outcome::known_node);
  EXPECT_EQ(apply(state, Mint{.node = PeerId{8}, .tickets = -1}), Outcome::malformed);
  EXPECT_EQ(state.totals.minted, 100);
  EXPECT_EQ(pool_of(state, kNode), 100);
  EXPECT_EQ(pool_of(state, PeerId{8}), 0);
}

TEST(NodeCommands, KeepALeavingNodeUntilItsGrantsAreReleased) {
  State state = with_node(100);
  Node& node = *find_node(state, kNode);
  node.grants = {{.class_id = kGold, .tickets = 60}};
  node.release = Time(seconds(5));
  EXPECT_EQ(pool_of(state, kNode), 40);

  EXPECT_EQ(apply(state, Burn{.node = kNode, .returned = false}), Outcome::applied);
  ASSERT_NE(find_node(state, kNode), nullptr);
  EXPECT_EQ(state.totals.burned, 0);
  state.now = Time(seconds(4));
  release_grants(state);
  EXPECT_NE(find_node(state, kNode), nullptr);
  state.now = Time(seconds(5));
  release_grants(state);
  EXPECT_EQ(find_node(state, kNode), nullptr);
  EXPECT_EQ(state.totals.burned, 100);
}

TEST(NodeCommands, MoveLocalReservesOfALeaverToTheBank) {
  State state = with_node(100);
  put(state, kGold, kNode, {.expires = Time(seconds(9)), .tickets = 4});
  EXPECT_EQ(apply(state, Burn{.node = kNode, .returned = true}), Outcome::applied);
  EXPECT_EQ(savings_of(state, kGold, kNode), 0);
  EXPECT_EQ(savings_of(state, kGold, {}), 4);
}

TEST(NodeCommands, ReturnOnlyGrantsOfThePeriodThatTheNodeNames) {
  State state = with_node(100);
  Node& node = *find_node(state, kNode);
  node.period = 3;
  node.grants = {{.class_id = kGold, .tickets = 60}};
  EXPECT_EQ(apply(state, Return{.node = kNode, .period = 2}), Outcome::old_period);
  EXPECT_EQ(pool_of(state, kNode), 40);
  EXPECT_EQ(apply(state, Return{.node = kNode, .period = 3}), Outcome::applied);
  EXPECT_EQ(pool_of(state, kNode), 100);
}

}  // namespace
}  // namespace dunlin::sched::books
