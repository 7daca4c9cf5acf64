// SPDX-License-Identifier: MIT
#include "node/reach/sightings.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::PeerId;
using overlay::Time;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Address kTold = Address::v4(0xac110001, 7700);
constexpr Address kSeen = Address::v4(0x0a000002, 7700);

TEST(Sightings, TheLastWordOfEachCounts) {
  Sightings sightings;
  const Time now{seconds(100)};
  sightings.report({7}, {.seen = kSeen, .unreached = kTold, .at = now});
  sightings.report({8}, {.seen = kSeen, .unreached = {}, .at = now});
  EXPECT_THAT(sightings.complaining(kTold, now), ElementsAre(PeerId{7}));
  EXPECT_THAT(sightings.seen(kTold, now), ElementsAre(kSeen));
  EXPECT_EQ(sightings.content({{7}, {8}, {9}}, kTold, now), 1u) << "9 said nothing";
  EXPECT_THAT(sightings.complaining(kSeen, now), IsEmpty()) << "another address is told by now";
  sightings.report({7}, {.seen = kSeen, .unreached = {}, .at = now});
  EXPECT_THAT(sightings.complaining(kTold, now), IsEmpty());
}

TEST(Sightings, AWordFades) {
  Sightings sightings;
  const Time now{seconds(100)};
  sightings.report({7}, {.seen = kSeen, .unreached = kTold, .at = now});
  EXPECT_THAT(sightings.complaining(kTold, now + Sightings::kLasts), IsEmpty());
}

TEST(Sightings, ThereIsABound) {
  Sightings sightings;
  const Time now{seconds(100)};
  for (std::uint64_t i = 1; i < 2 * Sightings::kNodesMax; ++i) {
    sightings.report({i}, {.seen = kSeen, .unreached = kTold, .at = now});
  }
  EXPECT_EQ(sightings.complaining(kTold, now).size(), Sightings::kNodesMax);
}

}  // namespace
}  // namespace dunlin::node
