// SPDX-License-Identifier: MIT
// What other implementations of Cyclon got wrong, and what ours does about it.
#include <gmock/gmock.h>
#include <set>

#include "tests/paper/cyclon_fixture.h"

namespace dunlin::test {
namespace {

using namespace overlay;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using CyclonDefect = CyclonPaper;

// Defect (drasyl): replies are matched by the sender's address alone.
TEST_F(CyclonDefect, RepliesNeedTheRightRequestAndTheRightSender) {
  Cyclon cyclon = cyclon_of({}, {peer(2, 9s), peer(3)});
  cycle(cyclon);
  const std::uint64_t request = out.only<ShuffleRequest>().second.request;
  receive(cyclon, 2, ShuffleReply{.request = request + 2, .sample = {peer(10)}});
  receive(cyclon, 3, ShuffleReply{.request = request, .sample = {peer(11)}});
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 2u);
  receive(cyclon, 2, ShuffleReply{.request = request, .sample = {peer(12)}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{3, 12}));
  receive(cyclon, 2, ShuffleReply{.request = request, .sample = {peer(13)}});
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 3u) << "a reply counts once";
}

// Defect (id2210): the pending set grows for ever, the timeout handler is empty.
TEST_F(CyclonDefect, ALateReplyFindsNothingPending) {
  Cyclon cyclon = cyclon_of({.tries = 1}, {peer(2, 9s), peer(3)});
  cycle(cyclon);
  const std::uint64_t request = out.only<ShuffleRequest>().second.request;
  auto late = after(500ms);
  cyclon.wake(late, self);
  EXPECT_THAT(events.all<ShuffleTimedOut>(), SizeIs(1));
  receive(cyclon, 2, ShuffleReply{.request = request, .sample = {peer(12)}});
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 1u);
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{3}));
}

// Ours (facts: massive failure): three tries in one period, with the next-oldest each.
TEST_F(CyclonDefect, ATimeoutIsFollowedByTheNextOldestUpToThreeTries) {
  Cyclon cyclon = cyclon_of({.period = 10s, .jitter = 0, .timeout = 500ms},
      {peer(2, 9s), peer(3, 8s), peer(4, 7s), peer(5, 6s)});
  cycle(cyclon);
  std::vector<PeerId> partners{out.only<ShuffleRequest>().first};
  for (int attempt = 2; attempt <= 3; ++attempt) {
    EXPECT_EQ(cyclon.deadline(), now + 500ms);
    cycle(cyclon);
    partners.push_back(out.only<ShuffleRequest>().first);
  }
  cycle(cyclon);
  EXPECT_THAT(out.sent, IsEmpty());
  EXPECT_THAT(partners, ::testing::ElementsAre(PeerId{2}, PeerId{3}, PeerId{4}));
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{5}));
}

// Ours: a peer with a last link that timed out has a way back, namely the peers that failed.
TEST_F(CyclonDefect, WithNobodyLeftTheDeadAreTried) {
  Cyclon cyclon = cyclon_of({}, {peer(2)});
  cycle(cyclon);
  out.sent.clear();
  while (out.all<ShuffleRequest>().empty()) cycle(cyclon);
  const auto [partner, request] = out.only<ShuffleRequest>();
  EXPECT_EQ(partner, PeerId{2});
  receive(cyclon, 2, ShuffleReply{.request = request.request, .sample = {peer(2, 0s, 9), peer(3)}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{2, 3}));
  EXPECT_THAT(cyclon.tombstones().tombstones(), IsEmpty()) << "it spoke: it is alive";
}

// Ours: what a peer said before it failed is refused, else the dead wander from view to view.
TEST_F(CyclonDefect, StatementsFromBeforeTheFailureAreRefused) {
  Cyclon cyclon = cyclon_of({.tries = 1}, {peer(2), peer(3)});
  cycle(cyclon);
  const PeerId failed = out.only<ShuffleRequest>().first;
  cycle(cyclon);  // The timeout.
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {peer(failed.value, 1ms, 2)}});
  EXPECT_FALSE(ids(cyclon).contains(failed.value));
  after(2s);
  receive(cyclon, 9, ShuffleRequest{.request = 6, .sample = {peer(failed.value, 1s, 3)}});
  EXPECT_TRUE(ids(cyclon).contains(failed.value));
}

// Ours: the contacts are asked again for ever, ever more seldom, when the view is nearly empty.
TEST_F(CyclonDefect, JoinsAgainForEverWithBackOff) {
  Cyclon cyclon(CyclonParams{.jitter = 0}, at(1), std::vector{at(8), at(9), at(1)});
  std::vector<Duration> waits;
  std::set<PeerId> asked;
  Time last = now;
  for (int i = 0; i < 4000; ++i) {
    cycle(cyclon);
    for (const auto& [to, join] : out.all<Join>()) {
      if (last != now) waits.push_back(now - last);
      last = now;
      asked.insert(to);
    }
  }
  EXPECT_EQ(asked, (std::set<PeerId>{PeerId{8}, PeerId{9}})) << "never itself";
  EXPECT_LE(waits[1], 1s);
  EXPECT_EQ(waits.back(), 60s);
  EXPECT_GT(waits.size(), 30u);
}

// Ours: nobody shuffled with us for 3 view sizes of periods: our name is in no view any more.
TEST_F(CyclonDefect, JoinsAgainWhenNobodyShufflesWithIt) {
  Cyclon cyclon =
      cyclon_of({.view_size = 4, .silence_max = 12}, {peer(2), peer(3), peer(4), peer(5)}, {at(9)});
  receive(cyclon, 9, Welcome{.request = join(cyclon).request, .sample = {peer(9)}});
  EXPECT_THAT(events.all<Joined>(), SizeIs(1));
  std::size_t joins = 0;
  const Time start = now;
  while (now < start + 20s) {
    cycle(cyclon);
    joins += out.all<Join>().size();
    ASSERT_TRUE(joins == 0 || now >= start + 11s);
    for (const auto& [to, request] : out.all<ShuffleRequest>()) {
      auto answer = ShuffleReply{.request = request.request, .sample = {}};
      for (const Descriptor& sent : request.sample) {
        if (sent.id != self.id()) answer.sample.push_back(sent);
      }
      answer.sample.push_back(peer(to.value, 0s, 5));
      receive(cyclon, to.value, answer);
    }
  }
  EXPECT_GT(joins, 0u);
  EXPECT_FALSE(events.all<Rejoining>().empty());
}

// Section 2.4: the introducer starts random walks; each that ends makes room for the newcomer,
// which gets the entry that went.
TEST_F(CyclonDefect, AJoinWalkEndsInAnExchange) {
  Cyclon cyclon = cyclon_of({.view_size = 3}, {peer(2), peer(3), peer(4)});
  receive(cyclon, 2, JoinWalk{.joiner = peer(9), .hops = 0});
  const auto [to, offer] = out.only<JoinOffer>();
  EXPECT_EQ(to, PeerId{9});
  EXPECT_THAT((std::set<std::uint64_t>{2, 3, 4}), Contains(offer.evicted.id.value));
  EXPECT_TRUE(ids(cyclon).contains(9));
  EXPECT_FALSE(ids(cyclon).contains(offer.evicted.id.value));
  EXPECT_THAT(cyclon.view().links(), SizeIs(3));
}

TEST_F(CyclonDefect, AJoinWalkGoesOnToSomebodyElse) {
  Cyclon cyclon = cyclon_of({.view_size = 3, .walk_hops = 5}, {peer(2), peer(3), peer(9)});
  receive(cyclon, 2, JoinWalk{.joiner = peer(9), .hops = 200});
  const auto [to, walk] = out.only<JoinWalk>();
  EXPECT_EQ(to, PeerId{3}) << "neither back nor to the joiner";
  EXPECT_EQ(walk.hops, 4) << "a stranger's walk is no longer than ours";
}

TEST_F(CyclonDefect, AContactWelcomesAndIntroduces) {
  Cyclon cyclon = cyclon_of({.view_size = 4}, {peer(2), peer(3), peer(4)});
  receive(cyclon, 9, Join{.request = 44, .joiner = peer(9)});
  const auto [to, welcome] = out.only<Welcome>();
  EXPECT_EQ(to, PeerId{9});
  EXPECT_EQ(welcome.request, 44u);
  EXPECT_EQ(ids(welcome.sample), (std::set<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_THAT(out.all<JoinWalk>(), SizeIs(3));
  EXPECT_TRUE(ids(cyclon).contains(9));
  EXPECT_THAT(events.all<NeighbourUp>(), SizeIs(1));
}

TEST_F(CyclonDefect, NobodyJoinsUnderAnothersName) {
  Cyclon cyclon = cyclon_of({}, {peer(2)});
  receive(cyclon, 9, Join{.request = 44, .joiner = peer(8)});
  EXPECT_THAT(out.sent, IsEmpty());
  EXPECT_EQ(events.ignored(IgnoreReason::impostor), 1u);
  EXPECT_FALSE(ids(cyclon).contains(8));
}

TEST_F(CyclonDefect, AWelcomeIsAcceptedOnceAndOnlyFromTheContact) {
  Cyclon cyclon = cyclon_of({}, {}, {at(9)});
  const std::uint64_t request = join(cyclon).request;
  receive(cyclon, 8, Welcome{.request = request, .sample = {peer(20)}});
  receive(cyclon, 9, Welcome{.request = request + 2, .sample = {peer(21)}});
  EXPECT_TRUE(cyclon.view().empty());
  receive(cyclon, 9, Welcome{.request = request, .sample = {peer(22)}});
  receive(cyclon, 9, Welcome{.request = request, .sample = {peer(23)}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{22}));
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 3u);
}

// Offers come unasked; a full view takes none, so that strangers can't push its links out.
TEST_F(CyclonDefect, AFullViewTakesNoOffers) {
  Cyclon cyclon = cyclon_of({.view_size = 2}, {peer(2), peer(3)});
  receive(cyclon, 9, JoinOffer{.evicted = peer(9)});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{2, 3}));
  EXPECT_EQ(events.ignored(IgnoreReason::unasked), 1u);
}

TEST_F(CyclonDefect, SomebodyWithOurNameAndALaterLifeIsReported) {
  Cyclon cyclon = cyclon_of({}, {peer(2)});
  Descriptor twin = peer(1);
  twin.incarnation = 2;
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {twin, peer(9)}});
  EXPECT_EQ(events.ignored(IgnoreReason::own_name), 1u);
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{2, 9}));
}

TEST_F(CyclonDefect, DescriptorsOfNobodyAndNowhereAreDropped) {
  Cyclon cyclon = cyclon_of({}, {peer(2)});
  Descriptor nowhere = peer(8);
  nowhere.address = {};
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {Descriptor{}, nowhere}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{2}));
}

// News of a neighbour that come by other ways leave its link as old as it is.
TEST_F(CyclonDefect, NewsDoNotMakeALinkYounger) {
  Cyclon cyclon = cyclon_of({}, {peer(2, 9s), peer(3, 5s)});
  cyclon.refresh(heard(peer(2, 0s, 2), now));
  EXPECT_EQ(cyclon.view().find(PeerId{2})->neighbour.born, now);
  cycle(cyclon);
  EXPECT_EQ(out.only<ShuffleRequest>().first, PeerId{2});
}

// Defect (id2210): descriptors are passed by reference between simulated peers.
TEST_F(CyclonDefect, DescriptorsAreValues) {
  Cyclon cyclon = cyclon_of({}, {peer(2, 1s)});
  const Cyclon copy = cyclon;
  cyclon.learn(now, PeerId{2}, with_free(2, 50));
  EXPECT_EQ(copy.view().find(PeerId{2})->neighbour.peer.cpu_free, 0u);
  EXPECT_EQ(cyclon.view().find(PeerId{2})->neighbour.peer.cpu_free, 50u);
}

TEST_F(CyclonDefect, ContradictingParametersAreRefused) {
  EXPECT_TRUE(validate(CyclonParams{}));
  EXPECT_FALSE(validate(CyclonParams{.timeout = 2s}));
  EXPECT_FALSE(validate(CyclonParams{.view_size = 4, .sample_size = 8}));
}

}  // namespace
}  // namespace dunlin::test
