// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/replica/job_copies.h"
#include "sched/replica/record_writer.h"
#include "tests/support/memory_store.h"

// The next home of a log adds up what the log says. It must come to the sums of the home before,
// which added as attempts ended.
namespace dunlin::sched::replica {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSubmitted = 400'000 * kNsPerHour;
constexpr PeerId kWorkerHere{3};

Job two_groups() {
  Job job{.id = {.home = {7}, .number = 1, .lineage = 11}, .submitted_at = kSubmitted};
  job.owner = "anna";
  job.service_class = "gold";
  job.groups = {{.name = "a", .count = 2, .demand = {.cpu = 1000}},
      {.name = "b", .count = 2, .demand = {.cpu = 2000, .memory = 10}}};
  return job;
}

Report report_of(std::uint32_t index, std::uint32_t attempt, std::int32_t status) {
  return {.index = index,
      .attempt = attempt,
      .status = status,
      .wall = 10s,
      .cpu = 4s,
      .started_at = kSubmitted + 1};
}

/// A frontend's home: it adds up as it stores.
class HomeStore {
 public:
  void put_job(const Job& job) {
    add(usage_of_submit(job));
    store_.put_job(job);
    log_.put_job(job);
    end_turn();
  }
  void put_report(const Job& job, const Report& report, bool final) {
    const Resources& demand = job.groups[report.index / 2].demand;
    add(usage_of_end(job, report, kWorkerHere, final, demand, kSubmitted + kNsPerHour));
    store_.put_report(job.id, report, kWorkerHere, final);
    log_.put_report(job.id, report, kWorkerHere, final);
    end_turn();
  }
  void put_loss(const Job& job, const Attempt& lost) {
    add(usage_of_loss(job, lost, kSubmitted));
    store_.put_loss(job.id, lost, kWorkerHere);
    log_.put_loss(job.id, lost, kWorkerHere);
    end_turn();
  }
  void put_retry(const Job& job, const Attempt& last) {
    store_.put_retry(job.id, last);
    log_.put_retry(job.id, last);
    end_turn();
  }
  void forget_job(const Job& job) {
    store_.forget_job(job.id);
    log_.forget_job(job.id);
    end_turn();
  }
  const UsageTable& usage() const { return store_.usage().at(5).table; }
  const UsageTable& usage_of_log() const { return copies_.usage(); }

 private:
  void add(UsageNote note) {
    note.log = 5;
    note.epoch = 1;
    store_.put_usage(note);
  }
  void end_turn() {
    store_.commit(store_.take_turn());
    EXPECT_EQ(store_.violation(), "");
    for (const std::string& batch : log_.take()) EXPECT_TRUE(copies_.apply(batch));
  }

  test::MemoryStore store_;
  RecordWriter log_;
  JobCopies copies_;
};

TEST(JobCopiesUsage, IsWhatTheHomeAddedUp) {
  const Job job = two_groups();
  HomeStore home;
  home.put_job(job);
  home.put_report(job, report_of(0, 1, 1), false);
  home.put_report(job, report_of(0, 2, 0), true);
  home.put_report(job, report_of(3, 1, 0), true);
  EXPECT_EQ(home.usage_of_log(), home.usage());
  const UsageSums total = home.usage_of_log().total();
  EXPECT_EQ(total.jobs, 1);
  EXPECT_EQ(total.tasks, 2);
  EXPECT_EQ(total.failed, 1);
  EXPECT_EQ(total.cpu_used, 12'000'000);
  EXPECT_EQ(total.cpu_held, 40'000'000) << "10 s of 1 CPU twice, and of 2 CPUs";
  EXPECT_EQ(total.cpu_wasted, 10'000'000);
  EXPECT_EQ(total.memory_held, 10 * 10'000);
}

TEST(JobCopiesUsage, ALossCountsOnceAndIsTakenBack) {
  const Job job = two_groups();
  HomeStore home;
  home.put_job(job);
  home.put_loss(job, {.index = 0, .attempt = 1});
  home.put_loss(job, {.index = 0, .attempt = 1});
  home.put_loss(job, {.index = 1, .attempt = 1});
  EXPECT_EQ(home.usage_of_log().total().lost, 2);
  home.put_report(job, report_of(0, 1, 0), true);
  EXPECT_EQ(home.usage_of_log().total().lost, 1) << "the first one turned up";
  EXPECT_EQ(home.usage_of_log(), home.usage());
}

TEST(JobCopiesUsage, OutlivesTheJobAndCountsWhatIsRunAgain) {
  const Job job = two_groups();
  HomeStore home;
  home.put_job(job);
  home.put_report(job, report_of(0, 1, 1), true);
  home.put_retry(job, {.index = 0, .attempt = 1});
  home.put_report(job, report_of(0, 2, 0), true);
  home.forget_job(job);
  EXPECT_EQ(home.usage_of_log().total().tasks, 2);
  EXPECT_EQ(home.usage_of_log().total().failed, 1);
  EXPECT_EQ(home.usage_of_log(), home.usage());
}

}  // namespace
}  // namespace dunlin::sched::replica
