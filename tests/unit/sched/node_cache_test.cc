// SPDX-License-Identifier: MIT
#include "sched/node_cache.h"

#include <chrono>
#include <gtest/gtest.h>
#include <vector>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

overlay::Descriptor node(std::uint64_t id, std::uint32_t sequence = 1) {
  overlay::Descriptor said;
  said.id = PeerId{id};
  said.address = Address::v4(static_cast<std::uint32_t>(id), 7700);
  said.sequence = sequence;
  said.cpu_free = 100 * sequence;
  return said;
}

std::vector<std::uint64_t> ids(const NodeCache& node_cache) {
  std::vector<std::uint64_t> ids;
  for (const auto& known : node_cache.nodes()) ids.push_back(known.peer.id.value);
  return ids;
}

TEST(NodeCache, RememberNodesOnceAndTheFreshestOfWhatTheySaid) {
  NodeCache node_cache(4);
  node_cache.hear(Time{1s}, node(1, 2));
  node_cache.hear(Time{2s}, node(1, 1));
  EXPECT_EQ(node_cache.nodes()[0].peer.cpu_free, 200u);
  node_cache.hear(Time{3s}, node(1, 3));
  EXPECT_EQ(ids(node_cache), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(node_cache.nodes()[0].peer.cpu_free, 300u);
}

TEST(NodeCache, AreBoundedAndTheOneHeardOfFirstMakesRoom) {
  NodeCache node_cache(3);
  for (std::uint64_t id = 1; id <= 5; ++id) node_cache.hear(Time{1s}, node(id));
  EXPECT_EQ(ids(node_cache), (std::vector<std::uint64_t>{4, 5, 3}));
}

TEST(NodeCache, ThoseGoneAreForgottenAndTheOthersStay) {
  NodeCache node_cache(3);
  for (std::uint64_t id = 1; id <= 5; ++id) node_cache.hear(Time{1s}, node(id));
  node_cache.forget(PeerId{4});
  node_cache.forget(PeerId{77});
  EXPECT_EQ(ids(node_cache), (std::vector<std::uint64_t>{5, 3}));
  for (std::uint64_t id = 6; id <= 8; ++id) node_cache.hear(Time{1s}, node(id));
  EXPECT_EQ(node_cache.nodes().size(), 3u);
}

TEST(NodeCache, NoneAreKeptIfNoneAreWanted) {
  NodeCache none(0);
  none.hear(Time{1s}, node(1));
  EXPECT_TRUE(none.nodes().empty());
}

TEST(NodeCache, StrangersWithoutIdOrAddressAreNone) {
  NodeCache node_cache(3);
  node_cache.hear(Time{1s}, node(0));
  overlay::Descriptor nowhere = node(1);
  nowhere.address = {};
  node_cache.hear(Time{1s}, nowhere);
  EXPECT_TRUE(node_cache.nodes().empty());
}

}  // namespace
}  // namespace dunlin::sched
