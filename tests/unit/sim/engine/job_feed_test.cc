// SPDX-License-Identifier: MIT
#include "sim/engine/job_feed.h"

#include <deque>
#include <gmock/gmock.h>
#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "sched/ledger/class_name.h"
#include "sim/clock.h"
#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

/// Jobs that a test lists.
class ListedWorkload final : public Workload {
 public:
  std::optional<Submission> next() override {
    if (jobs.empty()) return std::nullopt;
    Submission first = std::move(jobs.front());
    jobs.pop_front();
    return first;
  }
  std::uint64_t left_out() const override { return 7; }
  std::optional<Submission> after(std::uint64_t key, Time now) override {
    if (!answers) return std::nullopt;
    return job(key + 100, now - Time{0s} + 1s);
  }
  std::vector<Submission> again(std::uint32_t peer, Time now) override {
    std::vector<Submission> back;
    back.push_back(job(1000 + peer, now - Time{0s}));
    return back;
  }
  bool goes_on() const override { return answers; }

  static Submission job(std::uint64_t key, Duration at, std::vector<std::uint64_t> parents = {}) {
    Submission submission{.at = Time{at}, .frontend = 3};
    submission.job.groups.emplace_back();
    submission.facts.key = key;
    submission.facts.mean = 5s;
    submission.parents = std::move(parents);
    return submission;
  }

  std::deque<Submission> jobs;
  bool answers = false;
};

class JobFeedTest : public ::testing::Test {
 protected:
  ~JobFeedTest() override { ns3::Simulator::Destroy(); }

  /// Starts the feed of `jobs`; demand that answers to what happens, if so.
  void start(std::deque<Submission> jobs, bool answers = false) {
    auto workload = std::make_unique<ListedWorkload>();
    workload->jobs = std::move(jobs);
    workload->answers = answers;
    feed.emplace(scenario, classes, std::move(workload), recorder,
        [this](std::uint32_t frontend, sched::Job job, const JobFacts& facts) {
          EXPECT_EQ(frontend, expected_frontend);
          submitted.emplace_back(facts.key, now().time_since_epoch());
          last = std::move(job);
          last_facts = facts;
          if (submitted.size() == 1) return !refuses_first;
          return submitted.size() < 10;
        });
    feed->start();
  }

  Scenario scenario;
  std::uint32_t expected_frontend = 3;
  std::vector<WorkloadClass> classes;
  Recorder recorder{{.from = Time{0s}, .until = Time{1000s}}, equal_machines(1, 1000)};
  std::vector<std::pair<std::uint64_t, Duration>> submitted;  ///< Keys, and when.
  sched::Job last;
  JobFacts last_facts;
  bool refuses_first = false;
  std::optional<JobFeed> feed;
};

TEST_F(JobFeedTest, JobsComeAtTheirTime) {
  start({ListedWorkload::job(1, 2s), ListedWorkload::job(2, 5s)});
  EXPECT_FALSE(feed->over());
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s), Pair(2, 5s)));
  EXPECT_TRUE(feed->over());
  EXPECT_EQ(feed->left_out(), 7u);
}

TEST_F(JobFeedTest, AJobWaitsForThoseThatItNeeds) {
  start({ListedWorkload::job(1, 2s), ListedWorkload::job(2, 3s, {1})});
  ns3::Simulator::Schedule(to_ns3(9s), [this] { feed->on_finished(1); });
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s), Pair(2, 9s)));
}

TEST_F(JobFeedTest, DemandThatAnswersGoesOnWhenAJobEnds) {
  start({ListedWorkload::job(1, 2s)}, true);
  ns3::Simulator::Schedule(to_ns3(9s), [this] { feed->on_finished(1); });
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s), Pair(101, 10s)));
  EXPECT_FALSE(feed->over()) << "more may come at any time";
}

TEST_F(JobFeedTest, DemandThatAnswersAsksAgainWhenItWasRefused) {
  refuses_first = true;
  start({ListedWorkload::job(1, 2s)}, true);
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s), Pair(101, 4s)));
}

TEST_F(JobFeedTest, AJobThatWasRefusedIsLostElsewhere) {
  refuses_first = true;
  start({ListedWorkload::job(1, 2s)});
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s)));
}

TEST_F(JobFeedTest, UsersComeBackWithTheirFrontend) {
  start({ListedWorkload::job(1, 2s)}, true);
  ns3::Simulator::Schedule(to_ns3(20s), [this] { feed->on_returned(3); });
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s), Pair(1003, 21s)));
}

TEST_F(JobFeedTest, EstimatesAreToldIfTheScenarioSaysSo) {
  start({ListedWorkload::job(1, 2s)});
  ns3::Simulator::Run();
  EXPECT_EQ(last.groups.front().duration, 5s);
  scenario.workload.estimates = false;
  submitted.clear();
  start({ListedWorkload::job(1, 3s)});
  ns3::Simulator::Run();
  EXPECT_EQ(last.groups.front().duration, 0s);
}

TEST_F(JobFeedTest, EachJobHasAClassThatWantsSomething) {
  classes = {{.name = "web", .id = sched::class_id_of("web"), .share = 1, .jobs = 0},
      {.name = "batch", .id = sched::class_id_of("batch"), .share = 1}};
  start({ListedWorkload::job(1, 2s)});
  ns3::Simulator::Run();
  EXPECT_EQ(last_facts.class_id, sched::class_id_of("batch")) << "web has no jobs";
  EXPECT_EQ(last.service_class, "batch");

  scenario.peer.sharing.cell.sharing = sched::SharingMode::none;
  submitted.clear();
  start({ListedWorkload::job(2, 3s)});
  ns3::Simulator::Run();
  EXPECT_EQ(last_facts.class_id, sched::class_id_of("batch")) << "it is measured all the same";
  EXPECT_EQ(last.service_class, "") << "no peer knows of it";
}

TEST_F(JobFeedTest, AClassMayHaveAFrontendOfItsOwn) {
  classes = {{.name = "web", .id = sched::class_id_of("web"), .share = 1, .at = 9}};
  expected_frontend = 9;
  start({ListedWorkload::job(1, 2s), ListedWorkload::job(2, 4s)});
  ns3::Simulator::Run();
  EXPECT_THAT(submitted, ElementsAre(Pair(1, 2s), Pair(2, 4s)));
  EXPECT_TRUE(feed->over());
}

}  // namespace
}  // namespace dunlin::sim
