// SPDX-License-Identifier: MIT
#include "sched/cell/manager/voter_choice.h"

#include <gtest/gtest.h>
#include <vector>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using What = VoterStep::What;

constexpr CellParams kParams{.voter_margin = 2, .voter_rounds = 3};

std::vector<VoterCandidate> nodes(std::vector<std::uint32_t> scores) {
  std::vector<VoterCandidate> made;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    made.push_back({.node = PeerId{i + 1}, .score = scores[i]});
  }
  return made;
}

VoterStep step(VoterChoice& choice,
    std::vector<PeerId> voters,
    const std::vector<VoterCandidate>& candidates,
    std::size_t voters_max = 3) {
  return choice.next(kParams, voters_max, voters, candidates);
}

TEST(VoterChoice, ScoresUptimeBeforeCapacity) {
  EXPECT_GT(voter_score(1h, 1000), voter_score(1min, 64'000));
  EXPECT_GT(voter_score(1h, 64'000), voter_score(1h, 1000));
  EXPECT_EQ(voter_score(1h, 4000), voter_score(1h + 1min, 4001));
  EXPECT_EQ(voter_score(-1h, -5), voter_score(0s, 0));
}

TEST(VoterChoice, GrowsToAnOddNumberByScoreThenId) {
  VoterChoice choice;
  EXPECT_EQ(step(choice, {{1}}, nodes({1, 1})), VoterStep{});
  EXPECT_EQ(step(choice, {{1}}, nodes({1, 1, 9})), (VoterStep{What::add, {3}, {2}}));
  EXPECT_EQ(step(choice, {{1}, {3}}, nodes({1, 5, 9, 5})), (VoterStep{What::add, {2}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, nodes({5, 5, 5, 5})), VoterStep{});
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, nodes({5, 5, 5, 5, 5}), 5), (VoterStep{What::add, {4}}));
}

// Two voters bear no loss at all, so a sole one gets two others at once.
TEST(VoterChoice, ASoleVoterGetsTwoMore) {
  VoterChoice choice;
  EXPECT_EQ(step(choice, {{1}}, nodes({9, 1, 2, 3})), (VoterStep{What::add, {4}, {3}}));
  auto all = nodes({9, 1, 2, 3});
  all[1].spare = true;
  EXPECT_EQ(step(choice, {{1}}, all), (VoterStep{What::add, {2}, {4}})) << "it has the log";
  all[3].draining = true;
  EXPECT_EQ(step(choice, {{1}}, all), (VoterStep{What::add, {2}, {3}}));
  EXPECT_EQ(step(choice, {{1}, {2}}, all), (VoterStep{What::add, {3}}));
}

TEST(VoterChoice, ShrinksByTheWorst) {
  VoterChoice choice;
  EXPECT_EQ(
      step(choice, {{1}, {2}, {3}, {4}}, nodes({5, 2, 5, 2})), (VoterStep{What::remove, {4}}));
  EXPECT_EQ(step(choice, {{1}, {2}}, nodes({2, 1})), (VoterStep{What::remove, {2}}));
}

TEST(VoterChoice, RemovesWhoeverIsLostButNeverTheLast) {
  VoterChoice choice;
  auto all = nodes({5, 5, 5, 5});
  all[1].lost = true;
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, all), (VoterStep{What::remove, {2}}));
  EXPECT_EQ(step(choice, {{1}, {3}}, all), (VoterStep{What::add, {4}}));
  all = nodes({5});
  all[0].lost = true;
  EXPECT_EQ(step(choice, {{1}}, all), VoterStep{});
}

TEST(VoterChoice, ReplacesWhoDrainsOnceAnotherIsThere) {
  VoterChoice choice;
  auto all = nodes({9, 5, 5, 1});
  all[0].draining = true;
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, all), (VoterStep{What::add, {4}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {3}, {4}}, all), (VoterStep{What::remove, {1}}));
}

// One of three that stops is back soon, most likely; a single disk would be all there is meanwhile.
TEST(VoterChoice, WhoDrainsStaysIfNobodyTakesItsPlaceAndTheOthersAreEnough) {
  VoterChoice choice;
  auto all = nodes({9, 5, 5});
  all[0].draining = true;
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, all), VoterStep{});
  for (auto& each : all) each.draining = true;
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, all), VoterStep{});
  // If there are two, the one that goes on keeps the books alone.
  all = nodes({9, 5});
  all[0].draining = true;
  EXPECT_EQ(step(choice, {{1}, {2}}, all), (VoterStep{What::remove, {1}}));
}

// What kills a machine kills all its nodes: two voters there are no better than one.
TEST(VoterChoice, VotersAreOnMachinesOfTheirOwnIfTheyCan) {
  VoterChoice choice;
  auto all = nodes({9, 8, 7, 1, 1});
  for (std::size_t i = 0; i < all.size(); ++i) all[i].machine = i < 3 ? 1 : i;
  EXPECT_EQ(step(choice, {{1}}, all), (VoterStep{What::add, {4}, {5}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, all), (VoterStep{What::add, {4}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {3}, {4}}, all), (VoterStep{What::remove, {3}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {4}}, all), (VoterStep{What::add, {5}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {4}, {5}}, all), (VoterStep{What::remove, {2}}));
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(step(choice, {{1}, {4}, {5}}, all), VoterStep{}) << "a better one doubles the first";
  }
  for (auto& each : all) each.machine = 1;
  EXPECT_EQ(step(choice, {{1}}, all), (VoterStep{What::add, {2}, {3}})) << "processes die, too";
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, all), VoterStep{});
}

TEST(VoterChoice, AChallengerMustWinByAMarginForManyRounds) {
  VoterChoice choice;
  const auto close = nodes({5, 5, 5, 6});
  const auto clear = nodes({5, 5, 5, 7});
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(step(choice, {{1}, {2}, {3}}, close), VoterStep{});
  }
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, clear), VoterStep{});
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, clear), VoterStep{});
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, close), VoterStep{});  // It starts over.
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, clear), VoterStep{});
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, clear), VoterStep{});
  EXPECT_EQ(step(choice, {{1}, {2}, {3}}, clear), (VoterStep{What::add, {4}}));
  EXPECT_EQ(step(choice, {{1}, {2}, {3}, {4}}, clear), (VoterStep{What::remove, {3}}));
}

}  // namespace
}  // namespace dunlin::sched
