// SPDX-License-Identifier: MIT
#include "sched/peer/peer_orders.h"

#include <vector>

#include "sched/peer_view.h"
#include "sched/turn.h"
#include "tests/support/builders.h"
#include "tests/unit/sched/peer/lone_peer.h"

// What users order reaches the frontend that drives the job. The tests of Frontend have what
// becomes of each order, the scenarios of replicas what becomes of those for a log.
namespace dunlin::sched {
namespace {

class PeerOrdersTest : public test::LonePeer {
 protected:
  Peer peer{params, spec(), {}};

  JobId submit(std::uint32_t count) {
    const auto id = peer.orders().submit(host(), test::job(count));
    EXPECT_TRUE(id) << (id ? "" : id.error().text);
    return id.value_or(JobId{});
  }
};

TEST_F(PeerOrdersTest, AJobIsDrivenHereUnderTheNextNumber) {
  const JobId first = submit(1);
  const JobId second = submit(1);
  EXPECT_EQ(first.home, PeerId{1});
  EXPECT_EQ(second.number, first.number + 1);
  ASSERT_NE(find_job(peer, first), nullptr);
}

TEST_F(PeerOrdersTest, TheLastJobIsKnownByItsNumber) {
  EXPECT_EQ(last_number_of(peer), 0u);
  submit(1);
  const JobId last = submit(1);
  ASSERT_TRUE(peer.orders().cancel(host(), last)) << "it may have ended";
  EXPECT_EQ(last_number_of(peer), last.number);
}

TEST_F(PeerOrdersTest, ARefusedJobLeavesNoTrace) {
  Job large = test::job(1);
  large.groups.front().demand.cpu = 64000;
  EXPECT_FALSE(peer.orders().submit(host(), large));
  EXPECT_TRUE(jobs_of(peer).empty());
  Job later = test::job(1);
  later.after_jobs.push_back({.job = {.home = {1}, .number = 9}});
  EXPECT_FALSE(peer.orders().submit(host(), later)) << "there is no job 9";
  EXPECT_EQ(submit(1).number, 1u) << "no number was given";
}

TEST_F(PeerOrdersTest, AnOrderForAJobThatIsNotHereFails) {
  const JobId stranger{.home = {9}, .number = 1};
  EXPECT_FALSE(peer.orders().cancel(host(), stranger));
  EXPECT_FALSE(peer.orders().change(host(), stranger, {}));
  EXPECT_FALSE(peer.orders().retry(host(), stranger, {}));
  EXPECT_FALSE(peer.orders().requeue(host(), stranger, {}));
}

TEST_F(PeerOrdersTest, AJobThatEndedIsLookedAtUntilItsCommandForThatHasEnded) {
  Job with = test::job(1);
  with.end_command = "mail";
  std::vector<JobId> ids;
  for (int i = 0; i < 3; ++i) {
    const auto id = peer.orders().submit(host(), with);
    ASSERT_TRUE(id) << id.error().text;
    ids.push_back(*id);
  }
  EXPECT_TRUE(peer.orders().cancel(host(), submit(1)));
  EXPECT_TRUE(open_end_commands_of(peer).empty()) << "those that have commands go on";
  ASSERT_TRUE(peer.orders().cancel(host(), ids[2]));
  ASSERT_TRUE(peer.orders().cancel(host(), ids[0]));
  const std::vector<const JobState*> both{find_job(peer, ids[0]), find_job(peer, ids[2])};
  EXPECT_EQ(open_end_commands_of(peer), both);
  const EndCommand over{.run = EndRun::ended};
  ASSERT_TRUE(peer.orders().change(host(), ids[0], {.end_command = over}));
  EXPECT_EQ(open_end_commands_of(peer), std::vector<const JobState*>{both[1]});
}

TEST_F(PeerOrdersTest, ACancelledJobHasFinished) {
  const JobId id = submit(2);
  ASSERT_TRUE(peer.orders().cancel(host(), id));
  const JobState* const job = find_job(peer, id);
  ASSERT_NE(job, nullptr);
  EXPECT_TRUE(job->finished());
}

}  // namespace
}  // namespace dunlin::sched
