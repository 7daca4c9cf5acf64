// SPDX-License-Identifier: MIT
#include "overlay/liveness.h"

#include <gmock/gmock.h>

#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;
using test::at;
using test::peer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LivenessTest : public test::OverlayFixture {
 protected:
  Liveness::Dead wake(Liveness& liveness) {
    auto next = after(std::max(Duration{0}, liveness.deadline() - now));
    return liveness.wake(next, [](PeerId last) { return at(last.value % 3 + 1); });
  }
  bool receive(Liveness& liveness, std::uint64_t from, const Pong& pong) {
    auto next = turn();
    return liveness.receive(next, at(from), pong);
  }
  Ping suspect(Liveness& liveness, std::uint64_t id) {
    auto next = after(0s);
    liveness.suspect(next, at(id));
    return out.only<Ping>().second;
  }
  /// Wakes it until it has an opinion, and says how long that took.
  std::pair<Liveness::Dead, Duration> verdict(Liveness& liveness) {
    const Time start = now;
    for (int i = 0; i < 50; ++i) {
      if (auto dead = wake(liveness); !dead.empty()) return {dead, now - start};
    }
    return {};
  }
  Self self{at(9), 1};
  /// No pings in turn during a test of doubts.
  const LivenessParams only_doubts{.period = 1h, .timeout = 500ms, .misses = 3};
};

TEST_F(LivenessTest, PingsOneNeighbourAfterTheOther) {
  Liveness liveness(LivenessParams{.period = 2s, .jitter = 0});
  std::vector<PeerId> pinged;
  std::vector<Time> when;
  for (int i = 0; i < 40 && pinged.size() < 4; ++i) {
    wake(liveness);
    for (const auto& [to, ping] : out.all<Ping>()) {
      pinged.push_back(to);
      when.push_back(now);
      EXPECT_TRUE(receive(liveness, to.value, {.request = ping.request, .self = peer(to.value)}));
    }
  }
  EXPECT_THAT(pinged, ElementsAre(PeerId{1}, PeerId{2}, PeerId{3}, PeerId{1}));
  EXPECT_EQ(when[2] - when[1], 2s);
}

TEST_F(LivenessTest, IsDownAfterSomeMissesInARow) {
  Liveness liveness(only_doubts);
  wake(liveness);
  suspect(liveness, 2);
  const auto [dead, time] = verdict(liveness);
  EXPECT_THAT(dead, ElementsAre(PeerId{2}));
  // .5 s, then as local health falls with each miss, 1 s and 1.5 s.
  EXPECT_EQ(time, 3s);
  EXPECT_EQ(liveness.health(), 3);
}

TEST_F(LivenessTest, ALatePongEndsTheDoubt) {
  Liveness liveness(only_doubts);
  wake(liveness);
  const Ping ping = suspect(liveness, 2);
  wake(liveness);
  EXPECT_EQ(out.only<Ping>().second.request, ping.request);
  EXPECT_TRUE(receive(liveness, 2, {.request = ping.request, .self = peer(2)}));
  EXPECT_EQ(liveness.health(), 0) << "one missed, one came";
  EXPECT_GE(liveness.deadline(), now + 1min) << "nothing is awaited";
}

TEST_F(LivenessTest, AnyWordEndsTheDoubt) {
  Liveness liveness(only_doubts);
  wake(liveness);
  suspect(liveness, 2);
  liveness.clear_suspicion(at(2).id);
  EXPECT_GE(liveness.deadline(), now + 1min);
}

TEST_F(LivenessTest, PongsNeedTheRightRequestSenderAndName) {
  Liveness liveness(only_doubts);
  wake(liveness);
  const Ping ping = suspect(liveness, 2);
  EXPECT_FALSE(receive(liveness, 2, {.request = ping.request + 2, .self = peer(2)}));
  EXPECT_FALSE(receive(liveness, 3, {.request = ping.request, .self = peer(3)}));
  EXPECT_FALSE(receive(liveness, 2, {.request = ping.request, .self = peer(3)}));
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 2u);
  EXPECT_EQ(events.ignored(IgnoreReason::impostor), 1u);
  EXPECT_THAT(verdict(liveness).first, SizeIs(1)) << "still in doubt";
}

TEST_F(LivenessTest, DoubtsAreBoundedAndOneForEachPeer) {
  Liveness liveness(only_doubts);
  wake(liveness);
  auto next = after(0s);
  for (std::uint64_t id = 1; id <= 10; ++id) {
    liveness.suspect(next, at(id));
    liveness.suspect(next, at(id));
  }
  liveness.suspect(next, Endpoint{});
  EXPECT_THAT(out.all<Ping>(), SizeIs(Liveness::kWatchMax));
  std::size_t dead = 0;
  while (liveness.deadline() < now + 1min) dead += wake(liveness).size();
  EXPECT_EQ(dead, Liveness::kWatchMax);
}

TEST_F(LivenessTest, AnswersPingsWithAFreshStatement) {
  Liveness liveness(only_doubts);
  auto next = turn();
  liveness.receive(next, self, at(2), Ping{.request = 5});
  liveness.receive(next, self, at(2), Ping{.request = 6});
  const auto pongs = out.all<Pong>();
  ASSERT_THAT(pongs, SizeIs(2));
  EXPECT_EQ(pongs[0].second.request, 5u);
  EXPECT_EQ(pongs[0].second.self.id, at(9).id);
  EXPECT_LT(pongs[0].second.self.sequence, pongs[1].second.self.sequence);
}

TEST_F(LivenessTest, WithNobodyToPingItIsSilent) {
  Liveness liveness(LivenessParams{.period = 1s});
  for (int i = 0; i < 5; ++i) {
    auto next = after(1s);
    liveness.wake(next, [](PeerId) { return Endpoint{}; });
    EXPECT_THAT(out.sent, IsEmpty());
  }
}

}  // namespace
}  // namespace dunlin::overlay
