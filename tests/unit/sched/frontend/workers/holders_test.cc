// SPDX-License-Identifier: MIT
#include "sched/frontend/workers/holders.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Holders;

class HoldersTest : public Solo {
 protected:
  void note(std::uint64_t worker, sched::Duration away = {}) {
    auto step = turn();
    holders.note(step, node(worker), away);
  }
  /// What a later life finds.
  std::vector<sched::StoredHolder> stored() {
    store.commit(store.take_turn());
    return store.holders();
  }

  Holders holders;
};

TEST_F(HoldersTest, AWorkerIsStoredOnceAndAgainWhenItsWordChanges) {
  note(7);
  EXPECT_TRUE(store.turn_has_records());
  EXPECT_EQ(stored(), (std::vector<sched::StoredHolder>{{node(7), 0s}}));
  note(7);
  EXPECT_FALSE(store.turn_has_records());
  note(7, 30s);
  EXPECT_EQ(stored(), (std::vector<sched::StoredHolder>{{node(7), 30s}}));
}

TEST_F(HoldersTest, OneWithoutTasksIsForgottenAfterAWhile) {
  note(7);
  note(8);
  now += Holders::kIdle + 1s;
  auto step = turn();
  holders.tidy(step, {sched::PeerId{8}});
  EXPECT_EQ(stored(), (std::vector<sched::StoredHolder>{{node(8), 0s}}));
}

TEST_F(HoldersTest, IsWaitedForUntilItSpokeOrItsLeaseHasEnded) {
  const std::vector<sched::StoredHolder> before = {{node(7), 0s}, {node(8), 30s}, {node(9), 0s}};
  holders.restore(before, now, 15s);
  EXPECT_EQ(holders.awaited_until(now), now + 45s);
  holders.hear(sched::PeerId{8}, now + 1s, 2s);
  EXPECT_EQ(holders.awaited_until(now + 1s), now + 15s);
  holders.hear(sched::PeerId{8}, now + 20s, 2s);
  EXPECT_EQ(holders.awaited_until(now + 4s), now + 15s) << "a second word counts no more";
  holders.give_up(sched::PeerId{7});
  EXPECT_EQ(holders.awaited_until(now + 4s), now + 15s);
  EXPECT_FALSE(holders.awaited_until(now + 15s)) << "the lease of the last one is over";
}

TEST_F(HoldersTest, TheSilentAreAskedAndSuspectedUnlessTheySaidSo) {
  const std::vector<sched::StoredHolder> before = {{node(7), 0s}, {node(8), 30s}};
  holders.restore(before, now, 15s);
  now += 1s;
  auto first = turn();
  EXPECT_TRUE(holders.ask_silent(first, now - 3s).empty()) << "it is early";
  EXPECT_EQ(out.all<sched::FactsRequest>().size(), 2u);
  now += 3s;
  auto second = turn();
  EXPECT_EQ(holders.ask_silent(second, now - 3s), (std::vector<sched::Endpoint>{node(7)}));
  holders.hear(sched::PeerId{7}, now, 2s);
  out.clear();
  now += 1s;
  auto third = turn();
  EXPECT_TRUE(holders.ask_silent(third, now - 3s).empty());
  EXPECT_EQ(out.all<sched::FactsRequest>().size(), 1u);
}

}  // namespace
}  // namespace dunlin::test
