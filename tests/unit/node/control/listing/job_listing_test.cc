// SPDX-License-Identifier: MIT
#include "node/control/listing/job_listing.h"

#include <gmock/gmock.h>

#include "node/ids.h"
#include "sched/ledger/class_name.h"
#include "sched/listing/listing.h"
#include "tests/unit/node/control/listing/listing_test.h"

// Lists of jobs: filters, orders, and the one list made of many.
namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST(JobMerge, AnOlderAgentsJobsHaveNoLabels) {
  JobMerge merge({.labels = {{.key = "team", .value = "a"}}});
  Json labelled = summary(1, "running", 1);
  labelled["labels"] = {{"team", "a"}, {"step", "2"}};
  Json other = summary(2, "running", 2);
  other["labels"] = {{"team", "b"}};
  merge.add({1}, "n1", {{"jobs", {labelled, other, summary(3, "running", 3)}}});
  EXPECT_THAT(names_of(merge.take_jobs()), ElementsAre("1.1"));
}

TEST(JobMerge, SurvivesAnyAnswer) {
  JobMerge merge({});
  for (const char* const text : {"null", "3", "[]", "{}", R"({"jobs": 3})",
           R"({"jobs": [null, 3, {"number": "x", "state": 4, "labels": [3]}],
               "totals": {"running": "y"}})"}) {
    merge.add({1}, "n1", Json::parse(text));
  }
  EXPECT_EQ(merge.take_jobs().size(), 1u);
}

TEST_F(ListingTest, IsOfAllNodes) {
  agent.alone = "not joined: 10.0.0.7:7700 has not answered for 20 s";
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
  EXPECT_EQ(listed["not_joined"], agent.alone) << "lists may lack what others have";
}

TEST_F(ListingTest, AsksOthersForLabelsAsItWasAsked) {
  EXPECT_TRUE(
      ask("jobs", {{"cluster", true}, {"labels", {{"team", "a"}, {"step", ""}}}}).is_null());
  EXPECT_EQ(homes.at(2)->replies.back()["labels"], (Json{{"step", ""}, {"team", "a"}}));
  EXPECT_THAT(error_of(ask("jobs", {{"labels", {{"a b", "c"}}}})), HasSubstr("is no label"));
  EXPECT_THAT(error_of(ask("jobs", {{"labels", 3}})), HasSubstr("'labels' must be an object"));
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

TEST_F(ListingTest, FindsJobsByTheirNamesWhetherOrNotTheyEnded) {
  for (int i = 0; i < 4; ++i) submit(1, 100'000);
  ask("cancel", {{"number", 2}});
  const Json here = to_string(agent.id()) + ".3";
  const Json found = ask("jobs", {{"ids", {"2", here, "n2.4"}}})["ok"];
  ASSERT_EQ(found["jobs"].size(), 2u);
  EXPECT_EQ(found["jobs"][0]["number"], 2);
  EXPECT_EQ(found["jobs"][1]["number"], 3);
  EXPECT_THAT(error_of(ask("jobs", {{"ids", {"x"}}})), HasSubstr("'x' names no job"));
  EXPECT_THAT(error_of(ask("jobs", {{"ids", {"n9.1"}}})), HasSubstr("no node 'n9'"));
  EXPECT_NE(error_of(ask("jobs", {{"ids", std::vector<std::string>(65, "1")}})), "");
  EXPECT_THAT(ask("jobs", {{"ids", {"00000000000000ff.1"}}})["ok"]["jobs"], IsEmpty())
      << "a node need not be known by now";
}

TEST_F(ListingTest, SaysHowJobsEndedAndWhen) {
  submit(1, 100'000);
  submit(1, 100'000);
  ask("cancel", {{"number", 1}});
  const Json jobs = ask("jobs", {{"all", true}})["ok"]["jobs"];
  const Json& ended = jobs[0];
  EXPECT_EQ(ended["exit"], 1);
  EXPECT_EQ(ended["worst_outcome"], "killed");
  EXPECT_GT(ended["ended_at_ns"], ended["submitted_at_ns"]);
  EXPECT_EQ(ended["started_at_ns"], 0) << "it never did";
  EXPECT_EQ(ended["pruned"], false);
  EXPECT_TRUE(jobs[1]["exit"].is_null());
  EXPECT_TRUE(jobs[1]["worst_outcome"].is_null());
  EXPECT_EQ(jobs[1]["ended_at_ns"], 0);
  const Json at = ended["ended_at_ns"];
  EXPECT_EQ(ask("jobs", {{"ended_since_at_ns", at}})["ok"]["jobs"].size(), 1u);
  const Json later = at.get<std::int64_t>() + 1;
  EXPECT_THAT(ask("jobs", {{"ended_since_at_ns", later}})["ok"]["jobs"], IsEmpty());
}

TEST_F(ListingTest, PassesOnToOthersWhatItIsAskedFor) {
  submit(1);
  const Json next = ask("jobs", {{"limit", 1}})["ok"]["next"];
  EXPECT_TRUE(next.is_null());
  const JobQuery query{.sort = sched::JobSort::tasks,
      .ended_since = 7,
      .ids = {{.node = {2}, .number = 9}},
      .after = sched::FirstJob{.number = 5, .tasks = 3, .origin = {2}},
      .limit = 10};
  const Json said = request_of(query);
  EXPECT_EQ(said["ended_since_at_ns"], 7);
  EXPECT_EQ(said["ids"], Json::array({"0000000000000002.9"}));
  Args args(said);
  const JobQuery read = query_of(args, 0);
  EXPECT_TRUE(args.check());
  EXPECT_EQ(read.after, query.after);
  EXPECT_EQ(read.ended_since, 7);
  Args ids(said);
  EXPECT_EQ(read_ids(agent, ids).value(), query.ids);
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
