// SPDX-License-Identifier: MIT
#include "overlay/tombstones.h"

#include <gtest/gtest.h>
#include <map>

#include "tests/support/now.h"
#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;
using test::at;
using test::kNow;
using test::peer;

TEST(Tombstones, IsBoundedAndForgetsTheLongestDead) {
  Tombstones tombstones(3);
  for (std::uint64_t id = 1; id <= 5; ++id) tombstones.add(at(id), 1, GoneReason::down, kNow);
  tombstones.add(at(4), 1, GoneReason::down, kNow);
  ASSERT_EQ(tombstones.tombstones().size(), 3u);
  EXPECT_EQ(tombstones.tombstones()[0].peer, at(3));
  EXPECT_EQ(tombstones.tombstones()[2].peer, at(4)) << "each peer once";
  Tombstones none(0);
  none.add(at(1), 1, GoneReason::down, kNow);
  EXPECT_TRUE(none.tombstones().empty());
}

TEST(Tombstones, RefusesWhatWasSaidBefore) {
  Tombstones tombstones(3);
  tombstones.add(at(2), 1, GoneReason::unanswered, kNow);
  EXPECT_TRUE(tombstones.refuses(heard(peer(2, 1s), kNow + 1s)));
  EXPECT_FALSE(tombstones.refuses(heard(peer(3, 1s), kNow)));
  EXPECT_FALSE(tombstones.refuses(heard(peer(2, 1s), kNow + 1s + 1ms)));
  EXPECT_TRUE(tombstones.tombstones().empty()) << "it is alive";
}

TEST(Tombstones, ALaterLifeIsWelcomeAndAnEarlierIsNot) {
  Tombstones tombstones(3);
  Descriptor first = peer(2);
  Descriptor second = peer(2, 50s);
  second.incarnation = 2;
  tombstones.add(at(2), 2, GoneReason::down, kNow);
  EXPECT_TRUE(tombstones.refuses(heard(first, kNow + 10s)));
  EXPECT_TRUE(tombstones.refuses(heard(second, kNow)));
  second.incarnation = 3;
  EXPECT_FALSE(tombstones.refuses(heard(second, kNow)));
}

TEST(Tombstones, ThoseThatLeftStayAway) {
  Tombstones tombstones(3);
  Rng rng(1);
  tombstones.add(at(2), 1, GoneReason::left, kNow);
  tombstones.add(at(2), 1, GoneReason::unanswered, kNow + 1s);
  EXPECT_TRUE(tombstones.refuses(heard(peer(2), kNow + 99s))) << "however young";
  EXPECT_FALSE(tombstones.lift(at(2).id));
  EXPECT_FALSE(tombstones.draw(rng)) << "nobody is to try them";
  Descriptor back = peer(2);
  back.incarnation = 2;
  EXPECT_FALSE(tombstones.refuses(heard(back, kNow)));
}

TEST(Tombstones, DrawsAnyOfThoseThatMayAnswer) {
  Tombstones tombstones(4);
  Rng rng(1);
  EXPECT_FALSE(tombstones.draw(rng));
  tombstones.add(at(1), 1, GoneReason::down, kNow);
  tombstones.add(at(2), 1, GoneReason::left, kNow);
  tombstones.add(at(3), 1, GoneReason::unanswered, kNow);
  std::map<Endpoint, int> drawn;
  for (int i = 0; i < 1000; ++i) ++drawn[tombstones.draw(rng).value()];
  EXPECT_EQ(drawn.size(), 2u);
  EXPECT_NEAR(drawn[at(1)], 500, 60);
}

TEST(Tombstones, RaisesWhoSpeaks) {
  Tombstones tombstones(4);
  tombstones.add(at(1), 7, GoneReason::down, kNow);
  const auto tombstone = tombstones.lift(at(1).id);
  ASSERT_TRUE(tombstone);
  EXPECT_EQ(tombstone->incarnation, 7u);
  EXPECT_EQ(tombstone->reason, GoneReason::down);
  EXPECT_FALSE(tombstones.lift(at(1).id));
}

}  // namespace
}  // namespace dunlin::overlay
