// SPDX-License-Identifier: MIT
#include "sched/listing/node_jobs.h"

#include <gmock/gmock.h>
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
      .sort = JobSort::user};
  const JobFilter filter = filter_of(query);
  EXPECT_EQ(filter_of(query_of(filter)), filter);
  EXPECT_EQ(query_of(filter).service_class, "web");
}

}  // namespace
}  // namespace dunlin::sched
