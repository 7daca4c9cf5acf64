// SPDX-License-Identifier: MIT
// T-Man and the gradient, claim by claim.
#include <gmock/gmock.h>
#include <set>

#include "tests/support/overlay_fixture.h"

namespace dunlin::test {
namespace {

using namespace overlay;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GradientPaper : public OverlayFixture {
 protected:
  GradientPaper() { publish(50); }
  void publish(std::uint32_t free) {
    self.publish({.cpu_free = free, .memory_free = 1, .cpu_total = 100, .memory_total = 1});
  }
  /// A gradient about to start its first cycle, in a cluster of which Cyclon knows `random`.
  Gradient gradient_of(const GradientParams& params, std::initializer_list<Descriptor> random) {
    cyclon = Cyclon(CyclonParams{}, at(1), {});
    cyclon.seed(self, known(random));
    Gradient gradient(params);
    auto first = turn();
    gradient.wake(first, self, cyclon);
    return gradient;
  }
  Endpoint cycle(Gradient& gradient) {
    auto next = after(gradient.deadline() - now);
    return gradient.wake(next, self, cyclon);
  }
  template <typename Kind>
  void receive(Gradient& gradient, std::uint64_t from, const Kind& message) {
    auto next = turn();
    gradient.receive(next, self, cyclon, at(from), message);
  }
  static std::vector<std::uint64_t> ids(std::ranges::view auto view) {
    std::vector<std::uint64_t> all;
    for (const Neighbour& neighbour : view) all.push_back(neighbour.peer.id.value);
    return all;
  }
  static std::vector<std::uint64_t> ids(const InlineVector<Descriptor, kSampleMax>& buffer) {
    std::vector<std::uint64_t> all;
    for (const Descriptor& descriptor : buffer) all.push_back(descriptor.id.value);
    return all;
  }

  Self self{at(1), 1};
  Cyclon cyclon{CyclonParams{}, at(1), {}};
};

// Defect (id2210): ends up keeping the newest, so it is no T-Man any more.
TEST_F(GradientPaper, KeepsTheBestByRankNotTheNewest) {
  Gradient gradient = gradient_of({.view_size = 2}, {});
  Descriptor old_and_best = with_free(2, 60);
  old_and_best.age = 4s;
  receive(gradient, 9,
      GradientRequest{.request = 1,
          .buffer = {with_free(9, 10), old_and_best, with_free(3, 70), with_free(4, 80)}});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(2, 3));
}

// Defect (id2210): samples taken from Cyclon get age 0 though they are up to 10 cycles old.
TEST_F(GradientPaper, NeverResetsAnAgeOfARandomSample) {
  Descriptor aged_peer = with_free(2, 60);
  aged_peer.age = 3s;
  Gradient gradient = gradient_of({.jitter = 0}, {aged_peer});
  const Time born = now - 3s;
  cycle(gradient);
  ASSERT_THAT(gradient.view(), SizeIs(1));
  EXPECT_EQ(gradient.view()[0].born, born);
  receive(gradient, 3, GradientRequest{.request = 7, .buffer = {with_free(3, 61)}});
  for (const Descriptor& sent : out.only<GradientReply>().second.buffer) {
    if (sent.id != PeerId{2}) continue;
    EXPECT_GE(sent.age, now - born);
  }
}

// Facts 2.4: statements older than the limit are worse than none.
TEST_F(GradientPaper, DropsStatementsBeyondTheAgeLimit) {
  Descriptor stale = with_free(2, 60);
  stale.age = 5001ms;
  Descriptor fresh = with_free(3, 60);
  fresh.age = 5s;
  Gradient gradient = gradient_of({.age_limit = 5}, {});
  receive(gradient, 9, GradientRequest{.request = 1, .buffer = {with_free(9, 10), stale, fresh}});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(3, 9));
  after(1ms);
  receive(gradient, 9, GradientRequest{.request = 2, .buffer = {with_free(9, 10)}});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(9)) << "they go when their time has come";
  EXPECT_THAT(ids(out.only<GradientReply>().second.buffer), ElementsAre(1));
}

// T-Man, buffer selection: the best for the partner, not for the sender, with itself.
TEST_F(GradientPaper, SendsWhatRanksBestForThePartner) {
  Gradient gradient = gradient_of(
      {.buffer_size = 3}, {with_free(2, 51), with_free(3, 52), with_free(4, 95), with_free(5, 99)});
  receive(gradient, 6, GradientRequest{.request = 1, .buffer = {with_free(6, 94)}});
  EXPECT_THAT(ids(out.only<GradientReply>().second.buffer), ElementsAre(1, 4, 5));
}

// T-Man, partner selection: one of the psi best.
TEST_F(GradientPaper, ThePartnerIsOneOfTheBest) {
  std::set<PeerId> partners;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    rng = Rng{seed};
    Gradient gradient = gradient_of({.candidates = 2},
        {with_free(2, 90), with_free(3, 55), with_free(4, 56), with_free(5, 20)});
    cycle(gradient);
    partners.insert(out.only<GradientRequest>().first);
  }
  EXPECT_THAT(partners, ElementsAre(PeerId{3}, PeerId{4}));
}

// T-Man: the passive side answers, and both keep the best for themselves.
TEST_F(GradientPaper, BothSidesMerge) {
  Gradient gradient = gradient_of({}, {with_free(2, 60)});
  cycle(gradient);
  const auto [partner, request] = out.only<GradientRequest>();
  EXPECT_EQ(partner, PeerId{2});
  EXPECT_EQ(request.buffer[0].id, PeerId{1});
  EXPECT_EQ(request.buffer[0].age, 0s);
  receive(gradient, 2, GradientReply{.request = request.request, .buffer = {with_free(3, 50)}});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(3, 2)) << "equals first";
}

TEST_F(GradientPaper, RepliesNeedTheRightRequestAndTheRightSender) {
  Gradient gradient = gradient_of({}, {with_free(2, 60)});
  cycle(gradient);
  const std::uint64_t request = out.only<GradientRequest>().second.request;
  receive(gradient, 3, GradientReply{.request = request, .buffer = {with_free(3, 50)}});
  receive(gradient, 2, GradientReply{.request = request + 2, .buffer = {with_free(3, 50)}});
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 2u);
  EXPECT_THAT(ids(gradient.view()), ElementsAre(2));
}

TEST_F(GradientPaper, ASilentPartnerIsDoubtedAndItsLateReplyIgnored) {
  Gradient gradient = gradient_of({}, {with_free(2, 60)});
  EXPECT_EQ(cycle(gradient), Endpoint{});
  const std::uint64_t request = out.only<GradientRequest>().second.request;
  EXPECT_EQ(gradient.deadline(), now + 500ms);
  EXPECT_EQ(cycle(gradient), at(2));
  receive(gradient, 2, GradientReply{.request = request, .buffer = {with_free(3, 50)}});
  EXPECT_EQ(events.ignored(IgnoreReason::stale_reply), 1u);
}

TEST_F(GradientPaper, ARequestMustSpeakOfItsSender) {
  Gradient gradient = gradient_of({}, {});
  receive(gradient, 9, GradientRequest{.request = 1, .buffer = {with_free(8, 60)}});
  EXPECT_THAT(out.sent, IsEmpty());
  EXPECT_THAT(gradient.view(), IsEmpty());
  EXPECT_EQ(events.ignored(IgnoreReason::impostor), 1u);
}

// Its own utility changed: the next exchange ranks by the new one.
TEST_F(GradientPaper, RanksByTheUtilityItHasNow) {
  Gradient gradient = gradient_of({.view_size = 1}, {with_free(2, 60), with_free(3, 95)});
  cycle(gradient);
  EXPECT_THAT(ids(gradient.view()), ElementsAre(2));
  publish(94);
  cycle(gradient);  // The timeout of the first.
  cycle(gradient);
  EXPECT_THAT(ids(gradient.view()), ElementsAre(3));
}

// ID2210 section 3.2, the other strategy.
TEST_F(GradientPaper, HighestUtilityKeepsTheTop) {
  Gradient gradient = gradient_of({.view_size = 2, .ranking = Ranking::highest},
      {with_free(2, 51), with_free(3, 99), with_free(4, 80)});
  cycle(gradient);
  EXPECT_THAT(ids(gradient.view()), ElementsAre(3, 4));
}

TEST_F(GradientPaper, TheViewKeepsItsOrderWhenOneLeavesAndTakesNewsInPlace) {
  Gradient gradient = gradient_of({.ranking = Ranking::highest},
      {with_free(2, 99), with_free(3, 90), with_free(4, 80), with_free(5, 70)});
  cycle(gradient);
  ASSERT_THAT(ids(gradient.view()), ElementsAre(2, 3, 4, 5));
  EXPECT_TRUE(gradient.remove(PeerId{3}));
  EXPECT_FALSE(gradient.remove(PeerId{3}));
  EXPECT_THAT(ids(gradient.view()), ElementsAre(2, 4, 5));

  gradient.learn(now + 1s, PeerId{4}, with_free(4, 10));
  Descriptor news = with_free(5, 20);
  gradient.refresh({.peer = news, .born = now + 2s});
  EXPECT_EQ(gradient.view()[2].peer.cpu_free, 70u) << "said before";
  ++news.sequence;
  gradient.refresh({.peer = news, .born = now + 2s});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(2, 4, 5)) << "ranked anew by the next exchange";
  EXPECT_EQ(gradient.view()[1].peer.cpu_free, 10u);
  EXPECT_EQ(gradient.view()[1].born, now + 1s);
  EXPECT_EQ(gradient.view()[2].peer.cpu_free, 20u);
  EXPECT_EQ(gradient.view()[2].born, now + 2s);
}

// A buried peer stays out, whoever speaks of it, until it says something new.
TEST_F(GradientPaper, TheDeadDoNotComeBackFromOthersViews) {
  Gradient gradient = gradient_of({}, {with_free(2, 60)});
  cyclon.mark_gone(at(2), 1, GoneReason::down, now);
  receive(
      gradient, 9, GradientRequest{.request = 1, .buffer = {with_free(9, 40), with_free(2, 60)}});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(9));
  after(1s);
  Descriptor alive = with_free(2, 60);
  alive.sequence = 2;
  receive(gradient, 9, GradientRequest{.request = 2, .buffer = {with_free(9, 40), alive}});
  EXPECT_THAT(ids(gradient.view()), ElementsAre(2, 9));
}

TEST_F(GradientPaper, ContradictingParametersAreRefused) {
  EXPECT_TRUE(validate(GradientParams{}));
  EXPECT_FALSE(validate(GradientParams{.timeout = 2s}));
}

}  // namespace
}  // namespace dunlin::test
