// SPDX-License-Identifier: MIT
// Cyclon, claim by claim. "Section" is of Voulgaris, Gavidia, van Steen 2005.
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

// Section 2.3, steps 2 to 4.
TEST_F(CyclonPaper, ShufflesWithTheOldestAndPutsItselfAfresh) {
  Cyclon cyclon =
      cyclon_of({.view_size = 4, .sample_size = 2}, {peer(2, 3s), peer(3, 9s), peer(4, 1s)});
  cycle(cyclon);
  const auto [partner, request] = out.only<ShuffleRequest>();
  EXPECT_EQ(partner, PeerId{3});
  ASSERT_THAT(request.sample, SizeIs(2));
  EXPECT_EQ(request.sample[0].id, PeerId{1});
  EXPECT_EQ(request.sample[0].age, 0s);
}

// Section 2.3: "oldest" ties are broken the same way in every run.
TEST_F(CyclonPaper, OfEquallyOldTheLeastIdIsTheOldest) {
  Cyclon cyclon = cyclon_of({}, {peer(4, 3s), peer(2, 3s), peer(3, 3s)});
  cycle(cyclon);
  EXPECT_EQ(out.only<ShuffleRequest>().first, PeerId{2});
}

// Defect (cyclon.p2p): the partner stays in the view while its reply is awaited.
TEST_F(CyclonPaper, ThePartnerIsOutOfTheViewWhileItsReplyIsAwaited) {
  Cyclon cyclon = cyclon_of({}, {peer(2, 3s), peer(3, 9s)});
  cycle(cyclon);
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{2}));
}

// Defect (peersim-cyclon): the subset is drawn with replacement.
TEST_F(CyclonPaper, ASubsetNeverHoldsDuplicates) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    rng = Rng{seed};
    Cyclon cyclon = cyclon_of({.view_size = 8, .sample_size = 6},
        {peer(2, 9s), peer(3), peer(4), peer(5), peer(6), peer(7), peer(8), peer(9)});
    cycle(cyclon);
    const ShuffleRequest request = out.only<ShuffleRequest>().second;
    EXPECT_THAT(ids(request.sample), SizeIs(6));
    receive(cyclon, 20, ShuffleRequest{.request = 1, .sample = {peer(20)}});
    EXPECT_THAT(ids(out.only<ShuffleReply>().second.sample), SizeIs(6));
  }
}

// Section 2.3, passive side: it answers with entries chosen before it merges.
TEST_F(CyclonPaper, ThePassiveSideAnswersFromItsViewAsItWas) {
  Cyclon cyclon = cyclon_of({.view_size = 3, .sample_size = 3}, {peer(2), peer(3), peer(4)});
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {peer(9), peer(10)}});
  const auto [to, reply] = out.only<ShuffleReply>();
  EXPECT_EQ(to, PeerId{9});
  EXPECT_EQ(reply.request, 5u);
  EXPECT_EQ(ids(reply.sample), (std::set<std::uint64_t>{2, 3, 4}));
}

// Section 2.3, step 6.
TEST_F(CyclonPaper, EntriesThatPointHomeOrAreKnownAreDropped) {
  Cyclon cyclon = cyclon_of({.view_size = 4, .sample_size = 3}, {peer(2, 2s), peer(3, 1s)});
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {peer(1), peer(2, 5s), peer(9)}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{2, 3, 9}));
  EXPECT_EQ(now - cyclon.view().find(PeerId{2})->linked, 2s) << "the same statement, no fresher";
}

// Section 2.3, step 7: first into empty slots, then into those of entries sent.
TEST_F(CyclonPaper, NewEntriesTakeEmptySlotsThenThoseOfSentEntries) {
  Cyclon cyclon =
      cyclon_of({.view_size = 4, .sample_size = 3}, {peer(2, 9s), peer(3), peer(4), peer(5)});
  cycle(cyclon);
  const auto [partner, request] = out.only<ShuffleRequest>();
  const auto sent = ids(request.sample);
  receive(cyclon, 2,
      ShuffleReply{.request = request.request, .sample = {peer(10), peer(11), peer(12)}});
  EXPECT_THAT(cyclon.view().links(), SizeIs(4));
  for (const std::uint64_t id : {3u, 4u, 5u})
    EXPECT_NE(ids(cyclon).contains(id), sent.contains(id));
  for (const std::uint64_t id : {10u, 11u, 12u}) EXPECT_TRUE(ids(cyclon).contains(id));
}

// Defect (cyclon.p2p): with nothing replaceable it warns, and inserts anyway.
TEST_F(CyclonPaper, TheViewNeverExceedsItsSizeWhenNothingIsReplaceable) {
  Cyclon cyclon = cyclon_of({.view_size = 3, .sample_size = 1}, {peer(2), peer(3), peer(4)});
  receive(cyclon, 9,
      ShuffleRequest{.request = 5, .sample = {peer(9), peer(10), peer(11), peer(12), peer(13)}});
  EXPECT_THAT(cyclon.view().links(), SizeIs(3));
}

// Defect (peersim-cyclon): a sent entry has left the view before the reply comes.
TEST_F(CyclonPaper, MergeIsRightWhenSentEntriesHaveLeftTheView) {
  Cyclon cyclon =
      cyclon_of({.view_size = 4, .sample_size = 4}, {peer(2, 9s), peer(3), peer(4), peer(5)});
  cycle(cyclon);
  const ShuffleRequest request = out.only<ShuffleRequest>().second;
  // All that was sent is replaced by the shuffle of another peer in between.
  receive(cyclon, 6, ShuffleRequest{.request = 5, .sample = {peer(6), peer(7), peer(8), peer(9)}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{6, 7, 8, 9}));
  receive(cyclon, 2,
      ShuffleReply{.request = request.request, .sample = {peer(10), peer(11), peer(12)}});
  EXPECT_EQ(ids(cyclon), (std::set<std::uint64_t>{6, 7, 8, 9})) << "nothing of it may be replaced";
}

// Section 2.3: links are conserved. Between two strangers nothing is lost and nothing made.
TEST_F(CyclonPaper, LinksAreConservedWithoutLoss) {
  const CyclonParams params{.view_size = 4, .sample_size = 3};
  Cyclon one = cyclon_of(params, {peer(2, 9s), peer(3), peer(4), peer(5)});
  Self other_self(at(2), 1);
  Cyclon other(params, at(2), {});
  other.seed(other_self, known({peer(6), peer(7), peer(8), peer(9)}));
  cycle(one);
  const ShuffleRequest request = out.only<ShuffleRequest>().second;
  auto passive = after(1ms);
  other.receive(passive, other_self, at(1), request);
  receive(one, 2, out.only<ShuffleReply>().second);

  std::multiset<std::uint64_t> links;
  for (const Link& link : one.view().links()) links.insert(link.id().value);
  for (const Link& link : other.view().links()) links.insert(link.id().value);
  EXPECT_EQ(links, (std::multiset<std::uint64_t>{1, 3, 4, 5, 6, 7, 8, 9}))
      << "the link to the partner has become one to the initiator";
}

// Section 2.3: the age travels along and only ever grows.
TEST_F(CyclonPaper, AgesGrowOnTheirWay) {
  Cyclon cyclon = cyclon_of({.view_size = 4, .sample_size = 4}, {peer(2, 1500us)});
  after(2s);
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {peer(9)}});
  for (const Descriptor& sent : out.only<ShuffleReply>().second.sample) {
    if (sent.id != PeerId{2}) continue;
    EXPECT_EQ(sent.age, 2002ms) << "in ms, rounded up";
  }
}

// Defect (cyclon.p2p): takes the newer sequence and keeps the old age.
TEST_F(CyclonPaper, ANewerDescriptorBringsItsOwnAgeAlong) {
  Cyclon cyclon = cyclon_of({.view_size = 4, .sample_size = 2}, {peer(2, 9s, 1), peer(3, 1s, 7)});
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {peer(2, 3s, 2), peer(3, 0s, 6)}});
  EXPECT_EQ(now - cyclon.view().find(PeerId{2})->linked, 3s);
  EXPECT_EQ(cyclon.view().find(PeerId{2})->neighbour.peer.sequence, 2u);
  EXPECT_EQ(cyclon.view().find(PeerId{3})->neighbour.peer.sequence, 7u)
      << "an older statement is not fresher for being younger on the way";
}

// Ours: a later life replaces all of an earlier one, never the other way round.
TEST_F(CyclonPaper, ALaterLifeReplacesAnEarlierOne) {
  Descriptor reborn = peer(2, 1s, 1);
  reborn.incarnation = 2;
  reborn.address = at(77).address;
  Cyclon cyclon = cyclon_of({}, {peer(2, 0s, 900)});
  receive(cyclon, 9, ShuffleRequest{.request = 5, .sample = {reborn}});
  EXPECT_EQ(cyclon.view().find(PeerId{2})->neighbour.peer.address, at(77).address);
  receive(cyclon, 9, ShuffleRequest{.request = 6, .sample = {peer(2, 0s, 901)}});
  EXPECT_EQ(cyclon.view().find(PeerId{2})->neighbour.peer.incarnation, 2u);
}

}  // namespace
}  // namespace dunlin::test
