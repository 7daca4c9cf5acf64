// SPDX-License-Identifier: MIT
#include "sched/federation/global_view.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <utility>

#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using namespace rows;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr std::uint64_t kSelf = 100;
constexpr std::uint64_t kOther = 200;
constexpr CellId kFirst{1};
constexpr CellId kSecond{2};

class GlobalViewTest : public ::testing::Test {
 protected:
  Heard learn(CellId cell,
      std::vector<ViewRow> rows,
      std::uint64_t version = 1,
      std::uint64_t included = 0,
      std::uint64_t epoch = 1) {
    const std::uint64_t from = epoch == view_.known(cell).epoch ? view_.known(cell).version : 0;
    return view_.learn({.cell = cell,
                           .epoch = epoch,
                           .from = std::min(from, version),
                           .version = version,
                           .included = included,
                           .rows = std::move(rows),
                           .kinds = {rows::kind({})}},
        now_);
  }
  std::optional<Place> match(std::uint32_t cpu, Time since = Time{}) {
    return view_.match({.cpu = cpu}, {}, Pick::first, since, rng_);
  }
  std::uint64_t node(std::uint32_t cpu) {
    const auto place = match(cpu);
    return place ? place->node.value : 0;
  }

  Time now_{};
  GlobalView view_{PeerId{kSelf}};
  Rng rng_{1};
};

TEST_F(GlobalViewTest, InternalPartitionsTakeTurns) {
  learn(kFirst, {told(1, kSelf, 4000), told(2, kSelf, 4000)});
  learn(kSecond, {told(3, kSelf, 4000)});
  EXPECT_EQ(view_.internal_size(), 3);
  EXPECT_THAT(match(1000), Optional(Place{kFirst, 1, {1}, true}));
  EXPECT_THAT(match(1000), Optional(Place{kSecond, 1, {3}, true}));
  EXPECT_THAT(match(1000), Optional(Place{kFirst, 1, {1}, true}));
}

TEST_F(GlobalViewTest, ExternalOnesAreAskedOnlyWithoutAnInternalMatch) {
  learn(kFirst, {told(1, kSelf, 1000), told(2, kOther, 4000)});
  EXPECT_THAT(match(1000), Optional(Place{kFirst, 1, {1}, true}));
  EXPECT_THAT(match(2000), Optional(Place{kFirst, 1, {2}, false}));
  EXPECT_EQ(match(5000), std::nullopt);
}

TEST_F(GlobalViewTest, WhatIsLaunchedIsTakenAtOnce) {
  learn(kFirst, {told(1, kSelf, 2000)});
  const auto place = match(1500);
  const std::uint64_t number = view_.launch(*place, {.cpu = 1500});
  EXPECT_EQ(node(1500), 0);
  EXPECT_EQ(node(500), 1);
  view_.settle(kFirst, number);
  EXPECT_EQ(node(1500), 1) << "it was refused, and no row said that the node is fuller";
}

TEST_F(GlobalViewTest, LateNewsDoNotResurrectWhatIsLaunched) {
  learn(kFirst, {told(1, kSelf, 2000)});
  const std::uint64_t number = view_.launch(*match(1500), {.cpu = 1500});
  learn(kFirst, {told(1, kSelf, 2000, 2)}, 2, number - 1);
  EXPECT_EQ(node(1500), 0) << "the news were under way when it was launched";
  learn(kFirst, {told(1, kSelf, 500, 3)}, 3, number);
  EXPECT_EQ(node(500), 1) << "the news count it, so it is not taken twice";
  view_.settle(kFirst, number);
  EXPECT_EQ(node(500), 1);
  EXPECT_EQ(node(501), 0);
}

TEST_F(GlobalViewTest, OlderWordsAreDropped) {
  learn(kFirst, {told(1, kSelf, 1000, 5)}, 3, 0, 2);
  EXPECT_EQ(learn(kFirst, {told(1, kSelf, 4000, 6)}, 9, 0, 1), Heard::old) << "of an older epoch";
  EXPECT_EQ(learn(kFirst, {told(1, kSelf, 4000, 6)}, 2, 0, 2), Heard::old) << "an older version";
  EXPECT_EQ(node(4000), 0);
  EXPECT_EQ(learn(kFirst, {told(1, kOther, 4000, 4)}, 1, 0, 3), Heard::taken);
  EXPECT_EQ(node(4000), 0) << "knows an older row than the view";
  EXPECT_THAT(match(1000), Optional(Place{kFirst, 3, {1}, false})) << "yet says the owner";
}

TEST_F(GlobalViewTest, NewsFromTheBeginningForgetWhatTheyDoNotNameAtTheirEnd) {
  learn(kFirst, {told(1, kSelf, 4000), told(2, kSelf, 4000)});
  CellView part{.cell = kFirst, .epoch = 2, .version = 4, .kinds = {kind({})}};
  part.rows = {told(2, kSelf, 1)};
  EXPECT_EQ(view_.learn(part, now_), Heard::taken);
  EXPECT_EQ(view_.size(), 2) << "another part is to come";
  EXPECT_EQ(view_.learn({.cell = kFirst, .epoch = 2, .from = 4, .version = 5, .last = true}, now_),
      Heard::taken);
  EXPECT_EQ(view_.size(), 1);
  EXPECT_EQ(view_.find(kFirst, {1}), nullptr);
  view_.learn({.cell = kFirst, .epoch = 2, .from = 5, .version = 6, .gone = {2}}, now_);
  EXPECT_EQ(view_.size(), 0);
  EXPECT_EQ(node(0), 0);
}

TEST_F(GlobalViewTest, NewsThatDoNotFollowTheLastOnesAreDropped) {
  learn(kFirst, {told(1, kSelf, 1000)}, 3);
  const auto news = [&](std::uint64_t epoch, std::uint64_t from, std::uint16_t kind) {
    CellView view{.cell = kFirst, .epoch = epoch, .from = from, .version = 9};
    view.rows = {told(1, kSelf, 4000, 2)};
    view.rows[0].kind = kind;
    view.kinds = {rows::kind({})};
    return view_.learn(view, now_);
  };
  EXPECT_EQ(news(1, 4, 1), Heard::gap) << "version 4 was missed";
  EXPECT_EQ(news(2, 3, 1), Heard::gap) << "another local master counts anew";
  EXPECT_EQ(news(1, 3, 2), Heard::gap) << "there is no such kind";
  EXPECT_EQ(node(4000), 0);
  EXPECT_EQ(news(1, 2, 0), Heard::taken) << "the kind was told before";
  EXPECT_EQ(node(4000), 1);
}

TEST_F(GlobalViewTest, NumbersGoOnWhereALocalMasterWasForgotten) {
  learn(kFirst, {told(1, kSelf, 4000)});
  const auto place = match(1000);
  EXPECT_EQ(view_.launch(*place, {.cpu = 1000}), 1);
  EXPECT_EQ(view_.known(kFirst).floor, 1) << "it is not settled";
  view_.forget(kFirst);
  EXPECT_EQ(node(1), 0);
  EXPECT_EQ(learn(kFirst, {told(1, kSelf, 4000)}), Heard::taken) << "as if never heard of";
  EXPECT_EQ(view_.launch(*place, {.cpu = 1000}), 2);
  view_.settle(kFirst, 1);
  EXPECT_EQ(view_.known(kFirst).floor, 2);
}

TEST_F(GlobalViewTest, ASilentLocalMasterIsLeftOut) {
  now_ = Time(std::chrono::seconds(1));
  learn(kFirst, {told(1, kSelf, 4000)});
  now_ = Time(std::chrono::seconds(9));
  learn(kSecond, {told(2, kOther, 4000)});
  EXPECT_THAT(match(1, Time(std::chrono::seconds(5))), Optional(Place{kSecond, 1, {2}, false}));
  view_.forget(kSecond);
  EXPECT_EQ(match(1, Time(std::chrono::seconds(5))), std::nullopt);
  EXPECT_EQ(view_.size(), 1);
  view_.suspect(kFirst);
  EXPECT_EQ(match(1), std::nullopt) << "it did not answer";
  learn(kFirst, {}, 2);
  EXPECT_THAT(match(1), Optional(Place{kFirst, 1, {1}, true})) << "it lives";
}

// Else it would be asked for the same end of the news for ever.
TEST_F(GlobalViewTest, ARowOfANodeThatWasNeverToldHasAllBeToldAnew) {
  learn(kFirst, {told(1, kSelf, 4000)}, 3);
  ViewRow stranger = told(2, kSelf, 4000);
  stranger.kind = 0;
  EXPECT_EQ(learn(kFirst, {stranger}, 4), Heard::gap);
  EXPECT_EQ(view_.known(kFirst).version, 0);
  EXPECT_EQ(learn(kFirst, {told(1, kSelf, 4000), told(2, kSelf, 4000)}, 4), Heard::taken);
  EXPECT_EQ(view_.size(), 2);
}

// Three quarters of the room that others have are in the second cell.
TEST(GlobalViewByRoom, ExternalPartitionsAreDrawnByTheirRoom) {
  GlobalView view(PeerId{kSelf}, External::room);
  for (const auto& [cell, cpu] : {std::pair(kFirst, 1000u), std::pair(kSecond, 3000u)}) {
    CellView news{.cell = cell, .epoch = 1, .version = 1, .last = true};
    news.kinds = {rows::kind({})};
    news.rows = {rows::told(cell.value, kOther, cpu), rows::told(10 + cell.value, 300, 0)};
    view.learn(news, Time{});
  }
  Rng rng(1);
  int second = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto place = view.match({.cpu = 500}, {}, Pick::first, Time{}, rng);
    ASSERT_TRUE(place.has_value());
    EXPECT_FALSE(place->internal);
    second += place->cell == kSecond ? 1 : 0;
  }
  EXPECT_NEAR(second, 750, 60);
  for (int i = 0; i < 20; ++i) {
    const auto place = view.match({.cpu = 2000}, {}, Pick::first, Time{}, rng);
    ASSERT_TRUE(place.has_value()) << "wherever it was drawn first";
    EXPECT_EQ(place->cell, kSecond);
  }
  EXPECT_FALSE(view.match({.cpu = 3500}, {}, Pick::first, Time{}, rng));
}

}  // namespace
}  // namespace dunlin::sched::federation
