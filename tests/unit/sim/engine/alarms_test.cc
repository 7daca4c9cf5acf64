// SPDX-License-Identifier: MIT
#include "sim/engine/alarms.h"

#include <gmock/gmock.h>
#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "tests/unit/sim/engine/two_members.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using overlay::Duration;
using ::testing::ElementsAre;
using ::testing::Pair;

class AlarmsTest : public TwoMembers {
 protected:
  void run() {
    ns3::Simulator::Run();
    events = ns3::Simulator::GetEventCount();
  }
  static Time at(Duration when) { return Time{when}; }

  std::vector<std::pair<std::uint32_t, Duration>> woken;
  std::vector<Duration> then;  ///< The deadlines that waking moves to, in turn; then never.
  std::uint64_t events = 0;
  Alarms alarms{members, [this](std::uint32_t peer) {
                  woken.emplace_back(peer, now().time_since_epoch());
                  const Time next = then.empty() ? overlay::kNever : at(then.front());
                  if (!then.empty()) then.erase(then.begin());
                  alarms.arm(peer, next);
                }};
};

TEST_F(AlarmsTest, EachPeerIsWokenAtItsDeadlines) {
  then = {4s, 9s};
  alarms.arm(0, at(2s));
  alarms.arm(1, at(3s));
  run();
  EXPECT_THAT(woken, ElementsAre(Pair(0, 2s), Pair(1, 3s), Pair(0, 4s), Pair(1, 9s)));
}

TEST_F(AlarmsTest, ADeadlineThatMovesAwayCostsOneTimerInVain) {
  alarms.arm(0, at(2s));
  for (int i = 3; i <= 100; ++i) alarms.arm(0, at(std::chrono::seconds(i)));
  run();
  EXPECT_THAT(woken, ElementsAre(Pair(0, 100s)));
  EXPECT_EQ(events, 2u);
}

TEST_F(AlarmsTest, ADeadlineThatComesNearerIsMet) {
  then = {50s};
  alarms.arm(0, at(100s));
  alarms.arm(0, at(10s));
  run();
  EXPECT_THAT(woken, ElementsAre(Pair(0, 10s), Pair(0, 50s))) << "the first timer is stale";
}

TEST_F(AlarmsTest, ADeadlineInThePastIsNow) {
  ns3::Simulator::Schedule(to_ns3(5s), [this] {
    members.now = now();
    alarms.arm(1, at(1s));
  });
  run();
  EXPECT_THAT(woken, ElementsAre(Pair(1, 5s)));
}

TEST_F(AlarmsTest, APeerThatWantsNothingIsLeftAlone) {
  alarms.arm(0, overlay::kNever);
  run();
  EXPECT_TRUE(woken.empty());
  EXPECT_EQ(events, 0u);
}

}  // namespace
}  // namespace dunlin::sim
