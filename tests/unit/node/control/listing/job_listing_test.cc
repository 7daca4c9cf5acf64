// SPDX-License-Identifier: MIT
#include "node/control/listing/job_listing.h"

#include <gmock/gmock.h>

#include "sched/ledger/class_name.h"
#include "sched/listing/listing.h"
#include "tests/unit/node/control/client_test.h"

// Lists of jobs: filters, orders, and the one list made of many.
namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json summary(std::uint32_t number, const char* state, std::int64_t submitted) {
  return {{"number", number}, {"state", state}, {"owner", "ann"}, {"class", "default"},
      {"name", "train-" + std::to_string(number)}, {"tasks", number},
      {"submitted_at_ns", submitted}, {"finished", std::string_view(state) == "done"}};
}

Json answer(std::vector<Json> jobs, Json totals, int matching) {
  return {{"jobs", std::move(jobs)}, {"totals", std::move(totals)}, {"matching", matching}};
}

/// "2.7", the home and the number of each.
std::vector<std::string> names_of(const Json& jobs) {
  std::vector<std::string> names;
  for (const Json& job : jobs) {
    const JobLine line = line_of(job);
    names.push_back(std::to_string(line.home.value) + "." + std::to_string(line.number));
  }
  return names;
}

TEST(JobQuery, CoversWhatAllItsFiltersDo) {
  const Json job = summary(7, "done", 100);
  const JobLine line = line_of(job);
  EXPECT_TRUE(JobQuery{}.covers(line));
  EXPECT_FALSE(JobQuery{}.lists(line)) << "it has ended";
  EXPECT_TRUE(JobQuery{.all = true}.lists(line));
  EXPECT_TRUE(JobQuery{.state = "done"}.lists(line));
  EXPECT_TRUE(
      (JobQuery{.state = "done", .user = "ann", .name = "train-*", .since = 100}.covers(line)));
  EXPECT_FALSE(JobQuery{.state = "failed"}.covers(line));
  EXPECT_FALSE(JobQuery{.user = "bob"}.covers(line));
  EXPECT_FALSE(JobQuery{.service_class = "web"}.covers(line));
  EXPECT_FALSE(JobQuery{.name = "train"}.covers(line));
  EXPECT_FALSE(JobQuery{.since = 101}.covers(line));
  JobLine ancient = line;
  ancient.submitted_at = -5;  // The wall clock was set back since.
  EXPECT_TRUE(JobQuery{}.covers(ancient));
}

TEST(JobMerge, TheFirstOfAllAreAmongTheFirstOfEach) {
  JobMerge merge({.sort = sched::JobSort::newest, .limit = 3});
  merge.add({1}, "n1",
      answer({summary(3, "running", 30), summary(1, "waiting", 10)},
          {{"running", 1}, {"waiting", 4}, {"done", 2}}, 5));
  merge.add({2}, "n2",
      answer({summary(9, "running", 40), summary(8, "running", 20)}, {{"running", 2}}, 2));
  EXPECT_EQ(merge.matching(), 7u);
  EXPECT_THAT(merge.totals(), ElementsAre(3, 4, 0, 0, 2, 0));
  const Json jobs = merge.take_jobs();
  EXPECT_THAT(names_of(jobs), ElementsAre("2.9", "1.3", "2.8"));
  EXPECT_EQ(jobs[0]["home_name"], "n2");
}

TEST(JobMerge, SortsAsAsked) {
  const std::pair<sched::JobSort, std::vector<std::string>> cases[] = {
      {sched::JobSort::number, {"1.1", "1.3", "2.2"}},
      {sched::JobSort::oldest, {"2.2", "1.1", "1.3"}},
      {sched::JobSort::tasks, {"1.3", "2.2", "1.1"}}, {sched::JobSort::name, {"1.1", "2.2", "1.3"}},
      {sched::JobSort::user, {"1.3", "1.1", "2.2"}},
      {sched::JobSort::state, {"1.1", "2.2", "1.3"}}};
  for (const auto& [sort, names] : cases) {
    JobMerge merge({.sort = sort});
    merge.add({1}, "n1", {{"jobs", {summary(3, "waiting", 30), summary(1, "running", 20)}}});
    merge.add({2}, "n2", {{"jobs", Json::array({summary(2, "waiting", 10)})}});
    if (sort == sched::JobSort::state) {
      EXPECT_THAT(names_of(merge.take_jobs()), ElementsAre("1.1", "1.3", "2.2"));
    } else {
      EXPECT_EQ(names_of(merge.take_jobs()), names) << static_cast<int>(sort);
    }
  }
}

// It knows no filters and sends all that it has.
TEST(JobMerge, AnOlderAgentsListIsFilteredHere) {
  JobMerge merge({.name = "train-?", .limit = 2});
  merge.add({1}, "n1",
      {{"jobs", {summary(1, "running", 1), summary(2, "done", 2), summary(10, "running", 3)}}});
  EXPECT_EQ(merge.matching(), 1u);
  EXPECT_THAT(merge.totals(), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(names_of(merge.take_jobs()), ElementsAre("1.1"));
}

TEST(JobMerge, SurvivesAnyAnswer) {
  JobMerge merge({});
  for (const char* const text : {"null", "3", "[]", "{}", R"({"jobs": 3})",
           R"({"jobs": [null, 3, {"number": "x", "state": 4}], "totals": {"running": "y"}})"}) {
    merge.add({1}, "n1", Json::parse(text));
  }
  EXPECT_EQ(merge.take_jobs().size(), 1u);
}

class ListingTest : public ClientTest {
 protected:
  ListingTest() {
    for (std::uint64_t node = 2; node <= 4; ++node) {
      agent.hear_of(node, 4000);
      agent.hear_facts(node, "n" + std::to_string(node), 4000);
    }
    agent.dial = [this](const overlay::Endpoint& to) {
      return homes[to.id.value] = std::make_shared<FakeConnection>();
    };
  }
  void answer_from(std::uint64_t node, std::uint32_t number) {
    Json ok = answer({summary(number, "running", 10)}, {{"running", 1}}, 1);
    homes.at(node)->say(Json{{"id", 1}, {"ok", ok}, {"end", true}}.dump());
  }

  std::map<std::uint64_t, std::shared_ptr<FakeConnection>> homes;
};

TEST_F(ListingTest, IsOfAllNodes) {
  submit(1);
  EXPECT_TRUE(ask("jobs", {{"cluster", true}, {"user", "ann"}}).is_null());
  ASSERT_EQ(homes.size(), 3u);
  const Json asked = homes[2]->replies.back();
  EXPECT_EQ(asked["user"], "ann");
  EXPECT_FALSE(asked.contains("cluster")) << "each lists its own";
  for (std::uint64_t node = 2; node <= 4; ++node) answer_from(node, 7);
  const Json listed = advance()["ok"];
  EXPECT_EQ(listed["jobs"].size(), 3u) << "our own is of another user";
  EXPECT_EQ(listed["jobs"][0]["known_as"], "n2.7");
  EXPECT_EQ(listed["totals"]["running"], 3);
  EXPECT_EQ(listed["nodes"], 4);
  EXPECT_THAT(listed["silent"], IsEmpty());
}

TEST_F(ListingTest, NamesTheNodesThatDoNotAnswer) {
  submit(1);
  ask("jobs", {{"cluster", true}});
  answer_from(2, 7);
  homes[3]->end();
  EXPECT_TRUE(advance().is_null());
  agent.time += std::chrono::seconds(1);
  const Json listed = advance()["ok"];
  EXPECT_EQ(listed["jobs"].size(), 2u);
  ASSERT_EQ(listed["silent"].size(), 2u);
  EXPECT_EQ(listed["silent"][0]["name"], "n3");
  EXPECT_EQ(listed["silent"][1]["name"], "n4");
}

// Right after its start an agent knows others by their ids alone, and somebody else knows names.
TEST_F(ListingTest, NamesThatAreNotKnownAreAskedForBeforeItTells) {
  agent.hear_of(5, 4000);
  agent.asking_names = true;
  EXPECT_TRUE(ask("jobs", {{"cluster", true}}).is_null());
  for (std::uint64_t node = 2; node <= 4; ++node) answer_from(node, 7);
  homes[5]->end();
  agent.time += std::chrono::seconds(1);
  EXPECT_TRUE(advance().is_null()) << "an answer may come within moments";
  agent.remembered[{5}] = "osprey";
  const Json listed = advance()["ok"];
  ASSERT_EQ(listed["silent"].size(), 1u);
  EXPECT_EQ(listed["silent"][0]["name"], "osprey");
  // One that nobody knows holds up the list for a moment only.
  agent.remembered.clear();
  EXPECT_TRUE(ask("jobs", {{"cluster", true}}).is_null());
  agent.time += std::chrono::seconds(1);
  EXPECT_TRUE(advance().is_null());
  agent.time += std::chrono::milliseconds(300);
  EXPECT_EQ(advance()["ok"]["silent"].back()["name"], "0000000000000005");
}

// It was taken away: that it does not answer is no news. Nor is it of one that is forgotten.
TEST_F(ListingTest, ThoseThatSaidGoodByeAreNotAmongTheSilent) {
  agent.hear_farewell(3);
  agent.hear_farewell(4);
  ask("jobs", {{"cluster", true}});
  ASSERT_EQ(homes.size(), 1u);
  answer_from(2, 7);
  const Json listed = advance()["ok"];
  EXPECT_THAT(listed["silent"], IsEmpty());
  EXPECT_EQ(listed["nodes"], 2);
}

TEST_F(ListingTest, OfOneNodeAsksThatOne) {
  ask("jobs", {{"cluster", true}, {"node", "n3"}});
  ASSERT_EQ(homes.size(), 1u);
  answer_from(3, 7);
  EXPECT_EQ(advance()["ok"]["jobs"][0]["home_name"], "n3");
  EXPECT_THAT(error_of(ask("jobs", {{"cluster", true}, {"node", "x"}})), HasSubstr("no node 'x'"));
}

// Two nodes of one name: only ids tell their jobs apart.
TEST_F(ListingTest, AJobIsKnownByANameThatIsRead) {
  agent.hear_facts(3, "n2", 4000);
  ask("jobs", {{"cluster", true}, {"node", "0000000000000002"}});
  answer_from(2, 7);
  EXPECT_EQ(advance()["ok"]["jobs"][0]["known_as"], "0000000000000002.7");
}

TEST_F(ListingTest, HereIsBoundedAndFiltered) {
  for (int i = 0; i < 3; ++i) submit(1, 100'000);
  const Json listed = ask("jobs", {{"limit", 2}, {"state", "waiting"}})["ok"];
  EXPECT_EQ(listed["jobs"].size(), 2u);
  EXPECT_EQ(listed["jobs"][0]["number"], 1);
  EXPECT_EQ(listed["matching"], 3);
  EXPECT_EQ(listed["totals"]["waiting"], 3);
  EXPECT_THAT(ask("jobs", {{"state", "done"}})["ok"]["jobs"], IsEmpty());
  EXPECT_THAT(error_of(ask("jobs", {{"sort", "colour"}})), HasSubstr("'sort' must be number, "));
  EXPECT_THAT(error_of(ask("jobs", {{"limit", 0}})), HasSubstr("'limit' must be"));
}

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

// A job that a standby took over is known by the node that took it.
TEST_F(ListingTest, NamesJobsByTheirOrigin) {
  ask("jobs", {{"cluster", true}});
  Json job = summary(7, "running", 10);
  job["origin"] = "0000000000000003";
  job["origin_name"] = "n3";
  homes.at(2)->say(
      Json{{"id", 1}, {"ok", answer({job}, {{"running", 1}}, 1)}, {"end", true}}.dump());
  agent.time += std::chrono::seconds(1);
  const Json listed = advance()["ok"];
  EXPECT_EQ(listed["jobs"][0]["known_as"], "n3.7");
  EXPECT_EQ(listed["jobs"][0]["home_name"], "n2");
}

}  // namespace
}  // namespace dunlin::node
