// SPDX-License-Identifier: MIT
#include "sched/listing/node_jobs.h"

#include <gmock/gmock.h>
#include <utility>
#include <vector>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {
namespace {

using ::testing::ElementsAre;

JobState state(std::uint32_t number, std::int64_t submitted, const char* owner, const char* name) {
  Job job{.id = {.home = {1}, .number = number}, .name = name, .groups = {TaskGroup{}}};
  job.submitted_at = submitted;
  job.owner = owner;
  return JobState(job, Time{});
}

class NodeJobsTest : public ::testing::Test {
 protected:
  NodeJobsTest() {
    states.push_back(state(1, 10, "ann", "train-a"));
    states.push_back(state(2, 30, "bob", "train-b"));
    states.push_back(state(3, 20, "ann", "test"));
  }
  void add_labelled(std::vector<Label> labels) {
    Job job{.id = {.home = {1}, .number = 4}, .name = "last", .groups = {TaskGroup{}}};
    job.labels = std::move(labels);
    states.emplace_back(job, Time{});
  }
  NodeJobs told(const JobQuery& query) const {
    std::vector<const JobState*> jobs;
    for (const JobState& each : states) jobs.push_back(&each);
    return jobs_of_node({.id = {5}}, jobs, filter_of(query));
  }

  std::vector<JobState> states;
};

TEST_F(NodeJobsTest, CountsAndNamesTheFirst) {
  const NodeJobs all = told({});
  EXPECT_THAT(all.totals, ElementsAre(0, 3, 0, 0, 0, 0)) << "they wait";
  EXPECT_EQ(all.matching, 3u);
  EXPECT_EQ(all.first.number, 1u);
  EXPECT_EQ(told({.sort = JobSort::newest}).first.number, 2u);
  EXPECT_EQ(told({.sort = JobSort::name}).first.key, "test");
  EXPECT_EQ(told({.sort = JobSort::newest}).first.key, "") << "nothing looks at it";
}

TEST_F(NodeJobsTest, FiltersAsAListDoes) {
  EXPECT_EQ(told({.user = "ann"}).matching, 2u);
  EXPECT_EQ(told({.user = "ann", .sort = JobSort::newest}).first.number, 3u);
  EXPECT_EQ(told({.name = "train-*"}).matching, 2u);
  EXPECT_EQ(told({.since = 20}).matching, 2u);
  EXPECT_EQ(told({.state = "done"}).matching, 0u);
}

TEST_F(NodeJobsTest, FiltersByLabels) {
  add_labelled({{.key = "step", .value = "2"}, {.key = "team", .value = "a"}});
  EXPECT_EQ(told({}).matching, 4u);
  EXPECT_EQ(told({.labels = {{.key = "team", .value = "a"}}}).matching, 1u);
  EXPECT_EQ(told({.labels = {{.key = "team", .value = "a"}}}).first.number, 4u);
  EXPECT_EQ(told({.labels = {{.key = "team", .value = ""}}}).matching, 1u);
  EXPECT_EQ(told({.labels = {{.key = "team", .value = "b"}}}).matching, 0u);
}

// The choice of nodes rests on it: the first jobs of nodes are ordered as the jobs themselves.
TEST_F(NodeJobsTest, FirstJobsAreOrderedAsJobsAre) {
  for (std::size_t sort = 0; sort < std::size(kJobSortWords); ++sort) {
    const JobQuery query{.sort = static_cast<JobSort>(sort)};
    for (const JobState& a : states) {
      for (const JobState& b : states) {
        const JobState* const one[] = {&a};
        const JobState* const other[] = {&b};
        const NodeJobs first = jobs_of_node({.id = {5}}, one, filter_of(query));
        const NodeJobs second = jobs_of_node({.id = {6}}, other, filter_of(query));
        EXPECT_EQ(query.before(first_of(first, query.sort), first_of(second, query.sort)),
            query.before(line_of(a, {5}), line_of(b, {6})))
            << kJobSortWords[sort] << " " << a.id().number << " " << b.id().number;
      }
    }
  }
}

TEST_F(NodeJobsTest, TellsOfTheFirstBehindAPlace) {
  const auto after = [&](std::size_t i, JobSort sort) {
    return told({.sort = sort, .after = place_of(line_of(states[i], {5}), sort)});
  };
  EXPECT_EQ(after(1, JobSort::newest).first.number, 3u);
  EXPECT_EQ(after(1, JobSort::newest).matching, 3u) << "all that match, behind it or not";
  EXPECT_FALSE(after(1, JobSort::newest).passed);
  EXPECT_TRUE(after(0, JobSort::newest).passed) << "it is the oldest";
  EXPECT_EQ(after(0, JobSort::name).first.number, 2u);
  EXPECT_TRUE(after(1, JobSort::name).passed);
}

// The one that was shown last may be gone by now.
TEST_F(NodeJobsTest, APlaceIsOneWithoutItsJob) {
  const FirstJob place = place_of(line_of(states[1], {5}), JobSort::newest);
  states.erase(states.begin() + 1);
  EXPECT_EQ(told({.sort = JobSort::newest, .after = place}).first.number, 3u);
}

// A standby that took a job over tells of it from then on. Readers of pages would miss it, or see
// it twice, if its place were another one now.
TEST_F(NodeJobsTest, ThePlaceOfAJobIsTheSameAtItsNextHome) {
  for (std::size_t sort = 0; sort < std::size(kJobSortWords); ++sort) {
    const JobQuery query{.sort = static_cast<JobSort>(sort)};
    for (const JobState& job : states) {
      const JobLine here = line_of(job, {5});
      const JobLine there = line_of(job, {9});
      EXPECT_FALSE(query.before(here, there)) << kJobSortWords[sort];
      EXPECT_FALSE(query.before(there, here)) << kJobSortWords[sort];
    }
  }
}

TEST_F(NodeJobsTest, FindsJobsByTheirNames) {
  EXPECT_EQ(told({.ids = {{.node = {1}, .number = 2}, {.node = {1}, .number = 9}}}).matching, 1u);
  EXPECT_EQ(told({.ids = {{.node = {2}, .number = 2}}}).matching, 0u) << "of another node";
}

TEST_F(NodeJobsTest, FindsWhatEndedLately) {
  using namespace std::chrono_literals;
  EXPECT_EQ(ended_at(states[0]), 0);
  EXPECT_EQ(started_at(states[0]), 0);
  EXPECT_EQ(told({.ended_since = 1}).matching, 0u) << "none has ended";
  for (const std::size_t i : {0u, 1u}) {
    states[i].bind(0, {.id = {7}}, 1, Time{} + 1s);
    states[i].cancel_all();
    states[i].lose(0, Time{} + 2s);
  }
  states[0].finish(Time{} + 5s);
  states[1].finish(Time{} + 9s);
  EXPECT_EQ(ended_at(states[0]), 5'000'000'010);
  EXPECT_EQ(started_at(states[1]), 1'000'000'030);
  EXPECT_EQ(told({.ended_since = 5'000'000'010}).matching, 2u) << "no need to ask for all";
  EXPECT_EQ(told({.ended_since = 5'000'000'011}).matching, 1u);
  EXPECT_EQ(told({.ended_since = 5'000'000'011}).first.number, 2u);
}

TEST_F(NodeJobsTest, AStrangersStateIsNone) {
  NodeJobs node;
  node.first.state = 200;
  EXPECT_EQ(first_of(node, JobSort::state).state, "");
}

TEST(JobFilter, CarriesAQueryButForItsLimit) {
  const JobQuery query{.all = true,
      .state = "held",
      .user = "ann",
      .service_class = "web",
      .name = "t*",
      .since = 7,
      .sort = JobSort::user,
      .ended_since = 9,
      .ids = {{.node = {4}, .number = 5}},
      .after = FirstJob{.number = 3, .key = "bob", .origin = {6}},
      .labels = {{.key = "team", .value = "a"}}};
  const JobFilter filter = filter_of(query);
  EXPECT_EQ(filter_of(query_of(filter)), filter);
  EXPECT_EQ(query_of(filter).service_class, "web");
  EXPECT_EQ(query_of(filter).ids, query.ids);
  EXPECT_EQ(query_of(filter).after, query.after);
  EXPECT_EQ(query_of(filter).labels, query.labels);
  JobQuery many;
  many.ids.resize(JobFilter::kIdsMax + 1);
  many.labels.resize(JobFilter::kLabelsMax + 1);
  EXPECT_EQ(filter_of(many).ids.size(), JobFilter::kIdsMax);
  EXPECT_EQ(filter_of(many).labels.size(), JobFilter::kLabelsMax);
}

}  // namespace
}  // namespace dunlin::sched
