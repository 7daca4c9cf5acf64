// SPDX-License-Identifier: MIT
#include "overlay/graveyard.h"

#include <gtest/gtest.h>
#include <map>

#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;
using test::at;
using test::peer;

constexpr Time kNow{100s};

TEST(Graveyard, IsBoundedAndForgetsTheLongestDead) {
  Graveyard graveyard(3);
  for (std::uint64_t id = 1; id <= 5; ++id) graveyard.bury(at(id), 1, Burial::down, kNow);
  graveyard.bury(at(4), 1, Burial::down, kNow);
  ASSERT_EQ(graveyard.graves().size(), 3u);
  EXPECT_EQ(graveyard.graves()[0].peer, at(3));
  EXPECT_EQ(graveyard.graves()[2].peer, at(4)) << "each peer once";
  Graveyard none(0);
  none.bury(at(1), 1, Burial::down, kNow);
  EXPECT_TRUE(none.graves().empty());
}

TEST(Graveyard, RefusesWhatWasSaidBefore) {
  Graveyard graveyard(3);
  graveyard.bury(at(2), 1, Burial::unanswered, kNow);
  EXPECT_TRUE(graveyard.refuses(heard(peer(2, 1s), kNow + 1s)));
  EXPECT_FALSE(graveyard.refuses(heard(peer(3, 1s), kNow)));
  EXPECT_FALSE(graveyard.refuses(heard(peer(2, 1s), kNow + 1s + 1ms)));
  EXPECT_TRUE(graveyard.graves().empty()) << "it is alive";
}

TEST(Graveyard, ALaterLifeIsWelcomeAndAnEarlierIsNot) {
  Graveyard graveyard(3);
  Descriptor first = peer(2);
  Descriptor second = peer(2, 50s);
  second.incarnation = 2;
  graveyard.bury(at(2), 2, Burial::down, kNow);
  EXPECT_TRUE(graveyard.refuses(heard(first, kNow + 10s)));
  EXPECT_TRUE(graveyard.refuses(heard(second, kNow)));
  second.incarnation = 3;
  EXPECT_FALSE(graveyard.refuses(heard(second, kNow)));
}

TEST(Graveyard, ThoseThatLeftStayAway) {
  Graveyard graveyard(3);
  Rng rng(1);
  graveyard.bury(at(2), 1, Burial::left, kNow);
  graveyard.bury(at(2), 1, Burial::unanswered, kNow + 1s);
  EXPECT_TRUE(graveyard.refuses(heard(peer(2), kNow + 99s))) << "however young";
  EXPECT_FALSE(graveyard.raise(at(2).id));
  EXPECT_FALSE(graveyard.draw(rng)) << "nobody is to try them";
  Descriptor back = peer(2);
  back.incarnation = 2;
  EXPECT_FALSE(graveyard.refuses(heard(back, kNow)));
}

TEST(Graveyard, DrawsAnyOfThoseThatMayAnswer) {
  Graveyard graveyard(4);
  Rng rng(1);
  EXPECT_FALSE(graveyard.draw(rng));
  graveyard.bury(at(1), 1, Burial::down, kNow);
  graveyard.bury(at(2), 1, Burial::left, kNow);
  graveyard.bury(at(3), 1, Burial::unanswered, kNow);
  std::map<Endpoint, int> drawn;
  for (int i = 0; i < 1000; ++i) ++drawn[graveyard.draw(rng).value()];
  EXPECT_EQ(drawn.size(), 2u);
  EXPECT_NEAR(drawn[at(1)], 500, 60);
}

TEST(Graveyard, RaisesWhoSpeaks) {
  Graveyard graveyard(4);
  graveyard.bury(at(1), 7, Burial::down, kNow);
  const auto grave = graveyard.raise(at(1).id);
  ASSERT_TRUE(grave);
  EXPECT_EQ(grave->incarnation, 7u);
  EXPECT_EQ(grave->burial, Burial::down);
  EXPECT_FALSE(graveyard.raise(at(1).id));
}

}  // namespace
}  // namespace dunlin::overlay
