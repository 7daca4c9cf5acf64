// SPDX-License-Identifier: MIT
#include "overlay/random_view.h"

#include <gtest/gtest.h>

namespace dunlin::overlay {
namespace {

using std::chrono::seconds;

Link link_of(std::uint64_t id, std::uint32_t incarnation, int linked) {
  Neighbour neighbour;
  neighbour.peer.id = PeerId{id};
  neighbour.peer.incarnation = incarnation;
  neighbour.born = Time(seconds(linked));
  return {.neighbour = neighbour, .linked = Time(seconds(linked))};
}

TEST(RandomView, ALinkIsRefreshedByFresherNewsAlone) {
  RandomView view(3);
  view.add(link_of(7, 2, 10));
  view.refresh(view.place_of(PeerId{7}), link_of(7, 1, 20));
  EXPECT_EQ(view.at(0).linked, Time(seconds(10))) << "news of an earlier incarnation";
  view.refresh(view.place_of(PeerId{7}), link_of(7, 3, 20));
  EXPECT_EQ(view.at(0).linked, Time(seconds(20)));
  EXPECT_EQ(view.at(0).neighbour.peer.incarnation, 3u);
}

TEST(RandomView, GivesUpTheOldestLinkAndOfEqualsTheLeastId) {
  RandomView view(4);
  view.add(link_of(9, 1, 5));
  view.add(link_of(3, 1, 4));
  view.add(link_of(2, 1, 4));
  EXPECT_TRUE(view.contains(PeerId{2}));
  EXPECT_EQ(view.take_oldest().id(), PeerId{2});
  EXPECT_EQ(view.take_oldest().id(), PeerId{3});
  EXPECT_EQ(view.take_oldest().id(), PeerId{9});
  EXPECT_TRUE(view.empty());
}

TEST(RandomView, DrawsDifferentLinks) {
  RandomView view(4);
  for (std::uint64_t id = 1; id <= 4; ++id) view.add(link_of(id, 1, 1));
  EXPECT_TRUE(view.full());
  Rng rng(1);
  std::vector<PeerId> drawn;
  for (const Link& link : view.draw(rng, 3)) drawn.push_back(link.id());
  std::ranges::sort(drawn);
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_EQ(std::ranges::adjacent_find(drawn), drawn.end());
  EXPECT_EQ(std::ranges::distance(view.draw(rng, 9)), 4) << "all, if more are asked for";
}

}  // namespace
}  // namespace dunlin::overlay
