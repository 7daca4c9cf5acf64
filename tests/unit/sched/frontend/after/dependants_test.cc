// SPDX-License-Identifier: MIT
#include "sched/frontend/after/dependants.h"

#include <cstddef>
#include <gmock/gmock.h>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sched/frontend/after/end_watch.h"
#include "sched/frontend/job_table.h"
#include "sched/frontend/table/concerned_jobs.h"
#include "tests/support/builders.h"
#include "tests/support/now.h"

// Whatever happens to jobs, their table knows which wait for which as a walk over all of them finds
// it, and tells which came to be awaited or ceased to be.
namespace dunlin::test {
namespace {

using sched::AfterJob;
using sched::Dependants;
using sched::Job;
using sched::JobId;
using sched::JobState;
using sched::JobTable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

JobId awaited_job(std::uint32_t number) {
  return {.home = {5}, .number = number, .lineage = 77};
}

Dependants::Waits waits_by_walk(const JobTable& table) {
  Dependants::Waits found;
  for (const auto& [number, job] : table.all()) {
    if (job.finished()) continue;
    for (std::uint32_t i = 0; i < job.job().after_jobs.size(); ++i) {
      const std::uint32_t decided = job.progress().after_met | job.progress().after_missed;
      if ((decided >> i & 1) == 0) found[job.job().after_jobs[i].job].insert({number, i});
    }
  }
  return found;
}

std::set<JobId> jobs_of_waits(const Dependants::Waits& waits) {
  std::set<JobId> jobs;
  for (const auto& [job, each] : waits) jobs.insert(job);
  return jobs;
}

/// A job that waits for up to three others; the same one may be named twice.
Job waiting_by_chance(sched::Rng& rng, const JobId& id) {
  Job made = test::job(2);
  made.id = id;
  const std::uint32_t count = rng.below(4);
  for (std::uint32_t i = 0; i < count; ++i) {
    made.after_jobs.push_back({.job = awaited_job(1 + rng.below(5)), .any = rng.chance(0.5)});
  }
  return made;
}

TEST(DependantsProperty, ATableKnowsWhatAWalkOverItsJobsFinds) {
  constexpr int kSeeds = 100;
  constexpr int kSteps = 100;
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    sched::Rng rng(seed);
    JobTable table(sched::PeerId{99});
    std::map<std::uint32_t, Job> records;
    std::set<JobId> told;
    for (int step = 0; step < kSteps; ++step) {
      const std::uint32_t kind = rng.below(8);
      if (kind < 2 || table.all().empty()) {
        Job made = waiting_by_chance(rng, table.next_id(1));
        records[made.id.number] = made;
        table.add(JobState(std::move(made), kNow));
      } else {
        const auto at = std::next(table.all().begin(),
            static_cast<std::ptrdiff_t>(rng.below(static_cast<std::uint32_t>(table.all().size()))));
        JobState& job = *table.find(at->second.id());
        const std::uint32_t again[] = {0};
        if (job.finished()) {
          if (kind == 2) {
            job.retry(again, &records.at(job.id().number));
            table.go_on(job);
          }
        } else if (kind < 6 && !job.job().after_jobs.empty()) {
          const std::uint32_t place =
              rng.below(static_cast<std::uint32_t>(job.job().after_jobs.size()));
          if (kind < 4) job.change({.after_met = std::uint32_t{1} << place});
          if (kind >= 4) job.change({.after_missed = std::uint32_t{1} << place});
        } else if (kind == 6) {
          job.cancel_all();
          table.finish(job, kNow);
        }
      }
      table.note_changes();
      const Dependants::Waits found = waits_by_walk(table);
      ASSERT_EQ(table.indexes().dependants().all(), found) << "step " << step;
      for (const JobId& job : table.take_awaited_news()) {
        if (found.contains(job)) {
          told.insert(job);
        } else {
          told.erase(job);
        }
      }
      ASSERT_EQ(told, jobs_of_waits(found)) << "step " << step;
      for (const auto& [job, waits] : found) {
        shared += waits.size() > 1 ? 1 : 0;
        ASSERT_EQ(said_of(table, job).job, job);
      }
    }
  }
  EXPECT_GT(shared, kSeeds * kSteps / 10);
}

TEST(Dependants, ThoseThatWaitAreGivenOutOnceAndInTheOrderOfTheirNumbers) {
  JobTable table(sched::PeerId{99});
  for (std::uint32_t number = 1; number <= 4; ++number) {
    Job made = test::job(1);
    made.id = table.next_id(1);
    if (number != 2)
      made.after_jobs = {{.job = awaited_job(1)}, {.job = awaited_job(1), .any = true}};
    table.add(JobState(std::move(made), kNow));
  }
  std::vector<std::uint32_t> numbers;
  for (const JobState* job : sched::ConcernedJobs(table).waiting_for(awaited_job(1)))
    numbers.push_back(job->id().number);
  EXPECT_THAT(numbers, ElementsAre(1, 3, 4));
  EXPECT_THAT(sched::ConcernedJobs(table).waiting_for(awaited_job(2)), IsEmpty());
  EXPECT_THAT(table.indexes().dependants().of(awaited_job(2)), IsEmpty());
}

}  // namespace
}  // namespace dunlin::test
