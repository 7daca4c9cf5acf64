// SPDX-License-Identifier: MIT
#include "node/control/home/home_search.h"

#include <gmock/gmock.h>

#include "node/ids.h"
#include "tests/unit/node/control/home/relay_test.h"

// The node that drives a job now is looked for among all.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A standby of the job answers: it may take it over, so the client waits on.
TEST_F(RelayTest, AJobWithStandbysIsFollowedToItsNextHome) {
  agent.hear_of(3, 4000);
  ask("wait", {{"at", "osprey"}, {"numbers", {7}}});
  home->end();
  advance();
  std::vector<sched::FindHome> asked;
  for (const auto& [to, message] : agent.scheduling.sent) {
    if (const auto* find = std::get_if<sched::FindHome>(&message)) asked.push_back(*find);
  }
  ASSERT_FALSE(asked.empty());
  EXPECT_EQ(asked.back().job.home, overlay::PeerId{2});
  EXPECT_EQ(asked.back().job.number, 7u);
  sched::HomeIs told{.request = asked.back().request, .log = 5, .epoch = 1, .home = 90};
  told.set = {{.replica = 90, .node = {2}}, {.replica = 91, .node = {3}}};
  session.requests().on_home_is({3}, told);
  later(std::chrono::seconds(5));
  EXPECT_TRUE(advance().is_null()) << "it is not given up";
  told.epoch = 2;
  told.home = 91;
  session.requests().on_home_is({3}, told);
  advance();
  ASSERT_EQ(dialed.size(), 2u);
  EXPECT_EQ(dialed[1].id, overlay::PeerId{3});
  EXPECT_EQ(heard()["origin"], "0000000000000002") << "its number is the origin's";
  answer({{"id", 1}, {"ok", {{"jobs", Json::array()}}}, {"end", true}});
  EXPECT_TRUE(advance()["end"]);
}

// What a copy is worth decides: one without the job, or outside of the set, never drives it.
TEST_F(RelayTest, AStandbyThatWillNotTakeTheJobOverIsNotWaitedFor) {
  agent.hear_of(3, 4000);
  for (const auto copy : {sched::CopyStanding::lacks, sched::CopyStanding::behind}) {
    ask("cancel", {{"job", "osprey.7"}});
    home->end();
    advance();
    sched::HomeIs told = told_by(2, 1);
    told.copy = copy;
    session.requests().on_home_is({3}, told);
    later(HomeSearch::kShort);
    EXPECT_THAT(error_of(advance()), StartsWith("timeout: node osprey")) << word_of(copy);
  }
  ask("cancel", {{"job", "osprey.7"}});
  home->end();
  advance();
  sched::HomeIs told = told_by(2, 1);
  told.copy = sched::CopyStanding::synced;
  session.requests().on_home_is({3}, told);
  later(std::chrono::seconds(5));
  EXPECT_TRUE(advance().is_null()) << "that one may take it over yet";
}

// Its log grows, and is looked through once a second.
TEST_F(RelayTest, ACopyThatIsYetToBeLookedThroughIsAskedAgain) {
  agent.hear_of(3, 4000);
  ask("cancel", {{"job", "osprey.7"}});
  home->end();
  advance();
  sched::HomeIs told = told_by(2, 1);
  for (const auto copy : {sched::CopyStanding::lacks, sched::CopyStanding::unread}) {
    told.copy = copy;
    session.requests().on_home_is({3}, told);
  }
  later(std::chrono::milliseconds(1500));
  EXPECT_TRUE(advance().is_null());
  session.requests().on_home_is({3}, told);
  later(std::chrono::milliseconds(500));
  EXPECT_THAT(error_of(advance()), StartsWith("timeout: node osprey")) << "and not for ever";
}

TEST_F(RelayTest, ANodeThatHasRecordsOfALostJobIsNamed) {
  agent.hear_of(3, 4000);
  agent.hear_facts(3, "eagle", 4000);
  ask("job", {{"job", "osprey.7"}});
  home->end();
  advance();
  sched::HomeIs told = told_by(2, 1);
  told.copy = sched::CopyStanding::behind;
  told.orphan = true;
  told.cause = sched::OrphanCause::lost;
  session.requests().on_home_is({3}, told);
  later(HomeSearch::kShort);
  EXPECT_THAT(error_of(advance()),
      HasSubstr("; node eagle has records of job osprey.7, whose home lost its disk (perhaps not "
                "the latest): `dunlin node take-over osprey.7` there goes on with them"));
}

// A node that began anew has the name of the one before it: the cure must not be read as its job.
TEST_F(RelayTest, TheCureNamesTheJobOfTheNodeThatIsGone) {
  agent.hear_of(3, 4000);
  agent.hear_facts(3, "osprey", 4000);
  ask("job", {{"job", "0000000000000002.7"}});
  home->end();
  advance();
  sched::HomeIs told = told_by(2, 1);
  told.orphan = true;
  told.cause = sched::OrphanCause::lost;
  session.requests().on_home_is({3}, told);
  later(HomeSearch::kShort);
  EXPECT_THAT(error_of(advance()), HasSubstr("`dunlin node take-over 0000000000000002.7` there"));
}

// The home says that there is no such thing, and another search finds the same home.
TEST_F(RelayTest, WhatItsHomeDoesNotFindIsNotFound) {
  ask("output", {{"job", "osprey.7"}, {"task", 99}});
  answer({{"id", 1}, {"error", {{"kind", "not_found"}, {"text", "no task 99"}}}});
  advance();
  session.requests().on_home_is({2}, told_by(2, 1));
  EXPECT_EQ(error_of(advance()), "not_found: no task 99");
}

}  // namespace
}  // namespace dunlin::node
