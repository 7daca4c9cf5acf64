// SPDX-License-Identifier: MIT
#include "sched/frontend/prober.h"
#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::Prober;
using sched::Reserve;
using sched::TellExtent;

class ProberExtent : public OwnJob {
 protected:
  ProberExtent() {
    params.placement = sched::PlacementName::random;
    auto now_turn = turn();
    prober.probe(now_turn, around(), job);
  }
  void queue(std::uint32_t id, std::uint64_t at, bool packs) {
    out.clear();
    auto now_turn = turn();
    prober.on_queued(now_turn, around(), node(at), job,
        {.job = job.id(), .probe = id, .ahead = 3, .packs = packs});
  }

  JobState job = submitted(8);
  Prober prober{params, node(99)};
};

// Others do not know the message.
TEST_F(ProberExtent, OnlyAWorkerThatAsksForItHearsIt) {
  for (const Reserve& reserve : out.all<Reserve>()) EXPECT_TRUE(reserve.extent.empty());
  queue(1, 5, false);
  EXPECT_TRUE(out.all<TellExtent>().empty());
  queue(2, 6, true);
  EXPECT_EQ(out.only<TellExtent>().job, job.id());
  EXPECT_GT(out.only<TellExtent>().extent.work.cpu, 0u);

  out.clear();
  now += 2s;
  auto now_turn = turn();
  ASSERT_TRUE(job.bind(0, node(7), 1, now));
  prober.on_served(now_turn, node(7), job, question(1, 3), 1);
  EXPECT_EQ(out.only<TellExtent>().extent.held.cpu, 1000u);
  for (const auto& [to, message] : out.sent) {
    if (!std::holds_alternative<TellExtent>(message)) continue;
    EXPECT_EQ(to, node(6));
  }
}

TEST_F(ProberExtent, ReservationsCarryItOnceSuchAWorkerWasMet) {
  queue(2, 6, true);
  out.clear();
  auto now_turn = turn();
  prober.invite(now_turn, job, node(50));
  EXPECT_EQ(out.only<Reserve>().extent.size(), 1u);
}

}  // namespace
}  // namespace dunlin::test
