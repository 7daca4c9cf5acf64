// SPDX-License-Identifier: MIT
#include "overlay/overlay.h"

#include <gmock/gmock.h>
#include <utility>

#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;
using test::at;
using test::peer;
using test::with_free;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class OverlayTest : public test::OverlayFixture {
 protected:
  Overlay overlay_of(std::initializer_list<Descriptor> neighbours) {
    Overlay overlay(CyclonParams{}, GradientParams{}, LivenessParams{}, at(1), 4, {});
    overlay.seed(known(neighbours));
    auto first = turn();
    overlay.wake(first);
    return overlay;
  }
  void receive(Overlay& overlay, std::uint64_t from, const Message& message) {
    auto next = turn();
    overlay.receive(next, at(from), message);
  }
  /// Lets it act for a while, with everything it sends lost.
  void run(Overlay& overlay, Duration duration) {
    const Time end = now + duration;
    while (overlay.deadline() <= end) {
      auto next = after(std::max(Duration{0}, overlay.deadline() - now));
      overlay.wake(next);
    }
    now = end;
  }
  /// The addresses that are asked to join meanwhile, in order.
  std::vector<Address> asked_to_join(Overlay& overlay, Duration duration) {
    std::vector<Address> asked;
    const Time end = now + duration;
    while (overlay.deadline() <= end) {
      auto next = after(std::max(Duration{0}, overlay.deadline() - now));
      overlay.wake(next);
      for (const auto& [to, message] : out.sent) {
        if (std::holds_alternative<Join>(message)) asked.push_back(to.address);
      }
    }
    now = end;
    return asked;
  }
  static std::vector<Neighbour> neighbours(const Overlay& overlay) {
    std::vector<Neighbour> all{Neighbour{}};  // To be cleared.
    overlay.neighbours(all);
    return all;
  }
  static std::vector<std::uint64_t> ids(const Overlay& overlay) {
    std::vector<std::uint64_t> all;
    for (const Neighbour& neighbour : neighbours(overlay)) all.push_back(neighbour.peer.id.value);
    return all;
  }
  /// Makes `neighbour` known to the gradient too.
  void gossip(Overlay& overlay, std::uint64_t from, const Descriptor& neighbour) {
    receive(
        overlay, from, GradientRequest{.request = 3, .buffer = {with_free(from, 1), neighbour}});
  }
};

TEST_F(OverlayTest, WantsToBeWokenAtOnceThenAtARandomPhase) {
  Overlay overlay(CyclonParams{}, GradientParams{}, LivenessParams{}, at(1), 1, {});
  EXPECT_LE(overlay.deadline(), now);
  auto first = turn();
  overlay.wake(first);
  EXPECT_THAT(out.sent, IsEmpty());
  EXPECT_GT(overlay.deadline(), now);
  EXPECT_LE(overlay.deadline(), now + 1s);
}

TEST_F(OverlayTest, ContactsMayComeLateAndMove) {
  Overlay overlay(CyclonParams{}, GradientParams{}, LivenessParams{}, at(1), 1, {});
  EXPECT_THAT(asked_to_join(overlay, 10s), IsEmpty()) << "nobody to ask";
  const Endpoint alone[] = {at(1)};
  overlay.set_contacts(now, alone);
  EXPECT_THAT(asked_to_join(overlay, 10s), IsEmpty()) << "itself is no contact";

  const Endpoint first[] = {{{}, at(2).address}};
  overlay.set_contacts(now, first);
  EXPECT_EQ(overlay.deadline(), now) << "at once";
  EXPECT_THAT(asked_to_join(overlay, 10s), AllOf(Not(IsEmpty()), Each(at(2).address)));

  const Endpoint second[] = {{{}, at(3).address}};
  overlay.set_contacts(now, second);
  EXPECT_EQ(overlay.deadline(), now) << "the waits begin anew";
  auto next = after(0s);
  overlay.wake(next);
  EXPECT_EQ(out.sent.back().first.address, at(3).address);
  const auto request = out.only<Join>().second.request;
  receive(overlay, 3, Welcome{.request = request, .sample = {peer(3)}});
  EXPECT_THAT(ids(overlay), ElementsAre(3));
}

TEST_F(OverlayTest, NeighboursAreThoseOfBothViewsOnceEachInOrder) {
  Overlay overlay = overlay_of({peer(7), peer(3), peer(5)});
  Descriptor fresh = with_free(5, 77);
  fresh.sequence = 9;
  gossip(overlay, 2, fresh);
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{2, 3, 5, 7}));
  EXPECT_EQ(neighbours(overlay)[2].peer.cpu_free, 77u) << "the freshest statement";
}

TEST_F(OverlayTest, LearnsWhatIsFreeAndNeverWhoItIs) {
  Overlay overlay = overlay_of({peer(2, 9s), peer(3, 9s)});
  gossip(overlay, 4, with_free(2, 50));
  overlay.learn(now, at(2).id, {.cpu_free = 10, .memory_free = 20, .queued = 30});
  overlay.learn(now, at(99).id, {.cpu_free = 10, .memory_free = 20, .queued = 30});
  const Neighbour learnt = neighbours(overlay)[0];
  EXPECT_EQ(learnt.peer.cpu_free, 10u);
  EXPECT_EQ(learnt.peer.memory_free, 20u);
  EXPECT_EQ(learnt.peer.queued, 30u);
  EXPECT_EQ(learnt.peer.address, at(2).address);
  EXPECT_EQ(learnt.peer.sequence, 1u);
  EXPECT_EQ(learnt.born, now);
  EXPECT_EQ(now - overlay.cyclon().view().find(at(2).id)->linked, 9s) << "its link stays as old";
  EXPECT_EQ(neighbours(overlay)[1].born, now - 9s);
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST_F(OverlayTest, ForgetsADeadPeerAndRefusesItsOldWords) {
  Overlay overlay = overlay_of({peer(2), peer(3)});
  gossip(overlay, 3, with_free(2, 50));
  overlay.forget(now, at(2).id);
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{3}));
  EXPECT_THAT(overlay.cyclon().tombstones().tombstones(), SizeIs(1));
  gossip(overlay, 3, with_free(2, 50));
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{3}));
  overlay.forget(now, at(99).id);
  EXPECT_THAT(overlay.cyclon().tombstones().tombstones(), SizeIs(1))
      << "what was no neighbour is not";
}

TEST_F(OverlayTest, WhoIsDownLeavesBothViewsAndIsReported) {
  LivenessParams liveness{.period = 100ms};
  CyclonParams cyclon{.period = 60s};
  GradientParams gradient{.age_limit = 1000};
  Overlay overlay(cyclon, gradient, liveness, at(1), 1, {});
  overlay.seed(known({peer(2)}));
  auto first = turn();
  overlay.wake(first);
  gossip(overlay, 2, with_free(3, 50));
  run(overlay, 10s);
  EXPECT_THAT(ids(overlay), IsEmpty());
  const auto downs = events.all<NeighbourDown>();
  ASSERT_THAT(downs, SizeIs(2));
  EXPECT_FALSE(downs[0].graceful);
  // One of them speaks after all.
  receive(overlay, 2, Ping{.request = 1});
  EXPECT_THAT(events.all<NeighbourUp>(), SizeIs(1));
  EXPECT_THAT(overlay.cyclon().tombstones().tombstones(), SizeIs(1));
}

TEST_F(OverlayTest, APongIsNews) {
  Overlay overlay = overlay_of({peer(2, 9s)});
  std::vector<std::pair<PeerId, Ping>> pings;
  while (pings.empty()) {
    auto next = after(overlay.deadline() - now);
    overlay.seed(known({peer(2, 9s)}));  // Shuffles take it out.
    overlay.wake(next);
    pings = out.all<Ping>();
  }
  overlay.seed(known({peer(2, 9s)}));
  Descriptor said = with_free(2, 44);
  said.sequence = 7;
  receive(overlay, 2, Pong{.request = pings[0].second.request, .self = said});
  EXPECT_EQ(neighbours(overlay)[0].peer.cpu_free, 44u);
  EXPECT_EQ(neighbours(overlay)[0].born, now);
}

TEST_F(OverlayTest, AFarewellIsFinalForThatLife) {
  Overlay overlay = overlay_of({peer(2), peer(3)});
  gossip(overlay, 3, with_free(2, 50));
  receive(overlay, 2, Leave{.incarnation = 1});
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{3}));
  const auto downs = events.all<NeighbourDown>();
  ASSERT_THAT(downs, SizeIs(1));
  EXPECT_TRUE(downs[0].graceful);
  after(1s);
  Descriptor ghost = with_free(2, 50);
  ghost.sequence = 50;
  gossip(overlay, 3, ghost);
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{3}));
  ghost.incarnation = 2;
  gossip(overlay, 3, ghost);
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{2, 3})) << "a later life is another matter";
  receive(overlay, 2, Leave{.incarnation = 1});
  EXPECT_EQ(ids(overlay), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(events.ignored(IgnoreReason::stale_incarnation), 1u);
}

TEST_F(OverlayTest, LeavesWithAWordToEveryNeighbourAndIsSilentThen) {
  Overlay overlay = overlay_of({peer(2), peer(3)});
  gossip(overlay, 4, with_free(3, 50));
  auto last = after(0s);
  overlay.leave(last);
  const auto farewells = out.all<Leave>();
  ASSERT_THAT(farewells, SizeIs(3));
  EXPECT_EQ(farewells[0].second.incarnation, 4u);
  EXPECT_EQ(overlay.deadline(), kNever);
  out.sent.clear();
  receive(overlay, 2, Ping{.request = 1});
  overlay.leave(last);
  EXPECT_THAT(out.sent, IsEmpty());
}

TEST_F(OverlayTest, NobodySpeaksInOurNameOrInNone) {
  Overlay overlay = overlay_of({peer(2)});
  auto next = turn();
  overlay.receive(next, at(1), Ping{.request = 1});
  overlay.receive(next, Endpoint{PeerId{}, at(5).address}, Ping{.request = 1});
  EXPECT_THAT(out.sent, IsEmpty());
  EXPECT_EQ(events.ignored(IgnoreReason::own_name), 1u);
  EXPECT_EQ(events.ignored(IgnoreReason::impostor), 1u);
}

// Defect (id2210): nodes of one simulation shared their state.
TEST_F(OverlayTest, ACopyIsAPeerOfItsOwn) {
  Overlay overlay = overlay_of({peer(2), peer(3)});
  const Overlay copy = overlay;
  overlay.forget(now, at(2).id);
  EXPECT_EQ(ids(copy), (std::vector<std::uint64_t>{2, 3}));
}

// Two peers alone: a plain shuffle would leave one of them knowing nobody half of the time.
TEST_F(OverlayTest, TwoAloneKeepEachOther) {
  Overlay one = overlay_of({peer(2, 1s)});
  Overlay two(CyclonParams{}, GradientParams{}, LivenessParams{}, at(2), 1, {});
  auto first = turn();
  two.wake(first);
  for (int i = 0; i < 400; ++i) {
    auto& actor = one.deadline() < two.deadline() ? one : two;
    auto next = after(actor.deadline() - now);
    actor.wake(next);
    while (!out.sent.empty()) {
      const auto sent = std::exchange(out.sent, {});
      for (const auto& [to, message] : sent) {
        (to.id == at(1).id ? one : two).receive(next, to.id == at(1).id ? at(2) : at(1), message);
      }
    }
    if (i < 10) continue;
    ASSERT_EQ(ids(one), (std::vector<std::uint64_t>{2}));
    ASSERT_EQ(ids(two), (std::vector<std::uint64_t>{1}));
  }
  EXPECT_THAT(events.all<ShuffleTimedOut>(), IsEmpty());
}

}  // namespace
}  // namespace dunlin::overlay
