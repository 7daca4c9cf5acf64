// SPDX-License-Identifier: MIT
#include "sched/acquaintances.h"

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

std::vector<std::uint64_t> ids(const Acquaintances& acquaintances) {
  std::vector<std::uint64_t> ids;
  for (const auto& known : acquaintances.nodes()) ids.push_back(known.peer.id.value);
  return ids;
}

TEST(Acquaintances, RememberNodesOnceAndTheFreshestOfWhatTheySaid) {
  Acquaintances acquaintances(4);
  acquaintances.hear(Time{1s}, node(1, 2));
  acquaintances.hear(Time{2s}, node(1, 1));
  EXPECT_EQ(acquaintances.nodes()[0].peer.cpu_free, 200u);
  acquaintances.hear(Time{3s}, node(1, 3));
  EXPECT_EQ(ids(acquaintances), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(acquaintances.nodes()[0].peer.cpu_free, 300u);
}

TEST(Acquaintances, AreBoundedAndTheOneHeardOfFirstMakesRoom) {
  Acquaintances acquaintances(3);
  for (std::uint64_t id = 1; id <= 5; ++id) acquaintances.hear(Time{1s}, node(id));
  EXPECT_EQ(ids(acquaintances), (std::vector<std::uint64_t>{4, 5, 3}));
}

TEST(Acquaintances, ThoseGoneAreForgottenAndTheOthersStay) {
  Acquaintances acquaintances(3);
  for (std::uint64_t id = 1; id <= 5; ++id) acquaintances.hear(Time{1s}, node(id));
  acquaintances.forget(PeerId{4});
  acquaintances.forget(PeerId{77});
  EXPECT_EQ(ids(acquaintances), (std::vector<std::uint64_t>{5, 3}));
  for (std::uint64_t id = 6; id <= 8; ++id) acquaintances.hear(Time{1s}, node(id));
  EXPECT_EQ(acquaintances.nodes().size(), 3u);
}

TEST(Acquaintances, NoneAreKeptIfNoneAreWanted) {
  Acquaintances none(0);
  none.hear(Time{1s}, node(1));
  EXPECT_TRUE(none.nodes().empty());
}

TEST(Acquaintances, StrangersWithoutIdOrAddressAreNone) {
  Acquaintances acquaintances(3);
  acquaintances.hear(Time{1s}, node(0));
  overlay::Descriptor nowhere = node(1);
  nowhere.address = {};
  acquaintances.hear(Time{1s}, nowhere);
  EXPECT_TRUE(acquaintances.nodes().empty());
}

}  // namespace
}  // namespace dunlin::sched
