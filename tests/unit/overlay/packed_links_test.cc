// SPDX-License-Identifier: MIT
#include "overlay/packed_links.h"

#include <gmock/gmock.h>
#include <numeric>

#include "overlay/rng.h"

namespace dunlin::overlay {
namespace {

/// A link in which every field is drawn: few of its make, so that some meet.
Link draw(Rng& rng) {
  Descriptor peer;
  peer.id = PeerId{rng()};
  peer.address = {.high = rng.below(2), .low = rng(), .port = static_cast<std::uint16_t>(rng())};
  if (rng.chance(0.8)) peer.address = Address::v4(0x0a000000 | rng.below(1 << 24), 7700);
  peer.queued = static_cast<std::uint16_t>(rng());
  peer.incarnation = rng.below(3);
  peer.sequence = static_cast<std::uint32_t>(rng());
  peer.cpu_free = static_cast<std::uint32_t>(rng());
  peer.memory_free = static_cast<std::uint32_t>(rng());
  peer.cpu_total = 1000 * rng.below(2);
  peer.memory_total = 1u << 31 | rng.below(2);
  peer.signature = {.low = rng.below(2), .high = rng.chance(0.5) ? ~std::uint64_t{0} : 0};
  // The first links of a view say nothing of rates, so some row of them begins in the middle.
  peer.rates_total = rng.below(2);
  if (rng.chance(0.02)) peer.rates_used = static_cast<std::uint32_t>(rng());
  return {.neighbour = {.peer = peer, .born = Time{Duration{static_cast<Duration::rep>(rng())}}},
      .linked = Time{Duration{-static_cast<Duration::rep>(rng() >> 1)}}};
}

void expect_same(const Link& one, const Link& other) {
  EXPECT_EQ(one.neighbour, other.neighbour);
  EXPECT_EQ(one.linked, other.linked);
}

void expect_rankable(const PackedLinks::Offer& offer, const Descriptor& peer) {
  EXPECT_EQ(offer.id, peer.id);
  EXPECT_EQ(offer.cpu_free, peer.cpu_free);
  EXPECT_EQ(offer.memory_free, peer.memory_free);
  EXPECT_EQ(offer.cpu_total, peer.cpu_total);
  EXPECT_EQ(offer.memory_total, peer.memory_total);
}

/// Some of both, in an order by chance, with new ones between them.
void rearrange(PackedLinks& packed, std::vector<Link>& plain, Rng& rng) {
  std::vector<std::uint8_t> places(plain.size());
  std::iota(places.begin(), places.end(), std::uint8_t{0});
  // Often the first stay.
  const std::size_t stay = rng.chance(0.5) ? rng.index(places.size() + 1) : 0;
  for (std::size_t i = places.size(); i > stay + 1; --i) {
    std::swap(places[i - 1], places[stay + rng.index(i - stay)]);
  }
  places.resize(rng.index(places.size() + 1));
  while (places.size() < packed.capacity() && rng.chance(0.5)) {
    const auto at = places.begin() + static_cast<std::ptrdiff_t>(rng.index(places.size() + 1));
    places.insert(at, static_cast<std::uint8_t>(plain.size() + rng.below(100)));
  }
  packed.arrange(places);
  std::vector<Link> before = std::move(plain);
  plain.clear();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool stays = places[i] < before.size();
    plain.push_back(stays ? before[places[i]] : draw(rng));
    if (!stays) packed.set(i, plain.back());
  }
}

// Against a plain vector, by chance: nothing is lost, whichever makes come and go.
TEST(PackedLinks, AreTheLinksThatWerePut) {
  Rng rng{7};
  PackedLinks packed(20);
  std::vector<Link> plain;
  for (int step = 0; step < 20'000; ++step) {
    const Link link = draw(rng);
    const std::size_t i = plain.empty() ? 0 : rng.index(plain.size());
    const std::size_t j = plain.empty() ? 0 : rng.index(plain.size());
    if (plain.empty() || (plain.size() < 20 && rng.chance(0.4))) {
      packed.push_back(link);
      plain.push_back(link);
    } else if (rng.chance(0.5)) {
      packed.set(i, link);
      plain[i] = link;
    } else if (rng.chance(0.5)) {
      packed.swap(i, j);
      std::swap(plain[i], plain[j]);
    } else if (rng.chance(0.5)) {
      packed.erase(i);
      plain[i] = plain.back();
      plain.pop_back();
    } else {
      rearrange(packed, plain, rng);
    }
    ASSERT_EQ(packed.size(), plain.size());
    for (std::size_t k = 0; k < plain.size(); ++k) {
      expect_same(packed.at(k), plain[k]);
      ASSERT_EQ(packed.ids()[k], plain[k].id());
      ASSERT_EQ(packed.linked(k), plain[k].linked);
      expect_rankable(packed.offer(k), plain[k].neighbour.peer);
      const Descriptor& news = link.neighbour.peer;
      ASSERT_EQ(packed.is_older(k, news), fresher(news, plain[k].neighbour.peer));
    }
    if (::testing::Test::HasFailure()) FAIL() << "at step " << step;
  }
}

TEST(PackedLinks, ACopyIsItsOwn) {
  Rng rng{3};
  PackedLinks one(4);
  one.push_back(draw(rng));
  const Link before = one.at(0);
  PackedLinks other = one;
  other.set(0, draw(rng));
  other.push_back(draw(rng));
  expect_same(one.at(0), before);
  EXPECT_EQ(one.size(), 1u);
  one = other;
  expect_same(one.at(1), other.at(1));
}

}  // namespace
}  // namespace dunlin::overlay
