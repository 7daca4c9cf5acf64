// SPDX-License-Identifier: MIT
#include "sched/peer/comeback.h"

#include <utility>
#include <vector>

#include "sched/logs/log_store.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/unit/sched/peer/lone_peer.h"

// The scenarios of restarts have what becomes of all that was taken over.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class ComebackTest : public test::LonePeer {
 protected:
  Peer peer{params, spec(), {}};
};

TEST_F(ComebackTest, WhereNothingWasKeptNoPartIsMade) {
  peer.comeback().restore(host(), {});
  peer.comeback().restore_keys(now, {});
  peer.comeback().restore_logs(host(), {});
  EXPECT_EQ(peer.frontend(), nullptr);
  EXPECT_EQ(peer.logs(), nullptr);
  EXPECT_EQ(peer.worker(), nullptr);
}

TEST_F(ComebackTest, JobsGoOnAndTheirNumbersAreNotGivenAgain) {
  StoredJob stored;
  stored.job = test::job(1);
  stored.job.id = {.home = {1}, .number = 3};
  std::vector<StoredJob> jobs;
  jobs.push_back(std::move(stored));
  peer.comeback().restore(host(), std::move(jobs), 5);
  const JobState* const job = find_job(peer, JobId{.home = {1}, .number = 3});
  ASSERT_NE(job, nullptr);
  EXPECT_FALSE(job->finished());
  EXPECT_EQ(frontend_of(peer).table().last(), 5u);
}

TEST_F(ComebackTest, TasksThatOutlivedTheirWorkerAreToldOfAtOnce) {
  const KeptTask kept{.task = {{.home = {9}, .number = 1}, 0},
      .attempt = 1,
      .frontend = at(9),
      .demand = {.cpu = 3000, .memory = 1, .custom = {}},
      .task_time = 5s,
      .ran = 3s,
      .ended = {}};
  peer.comeback().take_back(host(), 1, std::vector<KeptTask>{kept});
  const auto renewed = out.only<Renew>();
  EXPECT_EQ(renewed.job.home, PeerId{9});
  ASSERT_EQ(renewed.tasks.size(), 1u);
  EXPECT_EQ(peer.overlay().self().cpu_free, 1000u) << "gossip says at once what is free";
}

}  // namespace
}  // namespace dunlin::sched
