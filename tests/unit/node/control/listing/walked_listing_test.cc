// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "node/control/listing/job_listing.h"
#include "node/ids.h"
#include "sched/ledger/class_name.h"
#include "sched/listing/listing.h"
#include "tests/unit/node/control/listing/listing_test.h"

// Lists of jobs in a cluster with cells: managers say which nodes to ask.
namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The agent is in a cluster with cells: managers tell what their members have.
class WalkedListingTest : public ListingTest {
 protected:
  WalkedListingTest() {
    const sched::books::Classes classes{.version = 1,
        .classes = {{.class_id = sched::class_id_of("web"), .name = "web", .share = 1}}};
    EXPECT_TRUE(agent.set_classes(classes).has_value());
  }
  static sched::NodeJobs told(std::uint64_t node, std::uint32_t matching, std::int64_t submitted) {
    sched::NodeJobs jobs{.node = {node}, .address = address_of(node), .matching = matching};
    for (const std::uint32_t total : {matching, 0u, 0u, 0u, 5u, 0u}) jobs.totals.push_back(total);
    jobs.first = {.number = 7, .submitted_at = submitted};
    return jobs;
  }
};

TEST_F(WalkedListingTest, WaitsForTheManagers) {
  EXPECT_TRUE(ask("jobs", {{"cluster", true}, {"user", "ann"}, {"sort", "newest"}}).is_null());
  EXPECT_THAT(homes, IsEmpty()) << "no node is asked yet";
  ASSERT_EQ(agent.listed.size(), 1u);
  EXPECT_EQ(agent.listed[0].user, "ann");
  EXPECT_EQ(agent.listed[0].sort, sched::JobSort::newest);
}

// Of three nodes with jobs only one can have the first.
TEST_F(WalkedListingTest, AsksNoMoreNodesThanThereAreLinesToShow) {
  EXPECT_TRUE(ask("jobs", {{"cluster", true}, {"sort", "newest"}, {"limit", 1}}).is_null());
  agent.found = sched::ClusterJobs{.nodes = {told(2, 3, 10), told(3, 2, 30), told(4, 1, 20)}};
  EXPECT_TRUE(advance().is_null());
  ASSERT_EQ(homes.size(), 1u);
  ASSERT_TRUE(homes.contains(3));
  homes.at(3)->say(Json{{"id", 1},
      {"ok", answer({summary(7, "running", 30)}, {{"running", 2}, {"done", 5}}, 2)}, {"end", true}}
          .dump());
  const Json listed = advance()["ok"];
  ASSERT_EQ(listed["jobs"].size(), 1u);
  EXPECT_EQ(listed["jobs"][0]["known_as"], "n3.7");
  EXPECT_EQ(listed["matching"], 6);
  EXPECT_EQ(listed["totals"]["running"], 6);
  EXPECT_EQ(listed["totals"]["done"], 15);
  EXPECT_EQ(listed["nodes"], 4);
  EXPECT_THAT(listed["silent"], IsEmpty());
}

// All that they have was on pages before.
TEST_F(WalkedListingTest, NodesThatWerePassedAreNotAsked) {
  const sched::FirstJob place{.number = 7, .submitted_at = 20, .origin = {3}};
  const std::string after =
      next_text(sched::line_of(place, sched::JobSort::newest), sched::JobSort::newest);
  EXPECT_TRUE(ask("jobs", {{"cluster", true}, {"sort", "newest"}, {"limit", 1}, {"after", after}})
          .is_null());
  ASSERT_EQ(agent.listed.size(), 1u);
  EXPECT_EQ(agent.listed[0].after, place);
  agent.found = sched::ClusterJobs{.nodes = {told(2, 3, 0), told(3, 2, 10), told(4, 0, 0)}};
  agent.found->nodes[0].passed = true;
  EXPECT_TRUE(advance().is_null());
  ASSERT_EQ(homes.size(), 1u);
  ASSERT_TRUE(homes.contains(3));
  // An older agent knows no places, and answers from the begin.
  homes.at(3)->say(Json{{"id", 1},
      {"ok", answer({summary(7, "running", 20), summary(6, "running", 10)}, {{"running", 2}}, 2)},
      {"end", true}}
          .dump());
  const Json listed = advance()["ok"];
  ASSERT_EQ(listed["jobs"].size(), 1u);
  EXPECT_EQ(listed["jobs"][0]["number"], 6);
  EXPECT_EQ(listed["matching"], 5) << "as many as without a place";
  EXPECT_TRUE(listed["next"].is_string()) << "the page is full";
}

TEST_F(WalkedListingTest, NodesWithoutJobsAreNotAsked) {
  ask("jobs", {{"cluster", true}});
  agent.found = sched::ClusterJobs{.nodes = {told(2, 0, 0), told(3, 0, 0), told(4, 0, 0)}};
  const Json listed = advance()["ok"];
  EXPECT_THAT(homes, IsEmpty());
  EXPECT_EQ(listed["matching"], 0);
  EXPECT_EQ(listed["totals"]["done"], 15);
}

// A member that did not hear its manager may hear us; of an older node no manager can tell.
TEST_F(WalkedListingTest, NodesThatNoManagerSpeaksForAreAskedAsWithoutCells) {
  ask("jobs", {{"cluster", true}});
  sched::ClusterJobs found{.nodes = {told(2, 0, 0), told(3, 0, 0), told(9, 0, 0)}};
  found.nodes[1].silent = true;
  found.nodes[2].silent = true;
  agent.found = found;
  EXPECT_TRUE(advance().is_null());
  EXPECT_EQ(homes.size(), 2u);
  answer_from(3, 8);
  agent.time += std::chrono::seconds(1);
  const Json listed = advance()["ok"];
  EXPECT_EQ(listed["jobs"].size(), 1u);
  EXPECT_EQ(listed["nodes"], 5);
  ASSERT_EQ(listed["silent"].size(), 2u);
  EXPECT_EQ(listed["silent"][0]["name"], "n4");
  EXPECT_EQ(listed["silent"][1]["node"], "0000000000000009") << "not known here but by its manager";
}

TEST_F(WalkedListingTest, ANodeWithoutAnAnswerStillCounts) {
  ask("jobs", {{"cluster", true}});
  agent.found = sched::ClusterJobs{.nodes = {told(2, 3, 10), told(3, 0, 0), told(4, 0, 0)}};
  advance();
  agent.time += std::chrono::seconds(1);
  const Json listed = advance()["ok"];
  EXPECT_EQ(listed["matching"], 3);
  ASSERT_EQ(listed["silent"].size(), 1u);
  EXPECT_EQ(listed["silent"][0]["name"], "n2");
}

}  // namespace
}  // namespace dunlin::node
