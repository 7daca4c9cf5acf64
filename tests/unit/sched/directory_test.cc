// SPDX-License-Identifier: MIT
#include "sched/directory.h"

#include <array>
#include <gtest/gtest.h>

#include "sched/constraints.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

overlay::Descriptor node(std::uint64_t id, std::uint32_t cpu, std::uint32_t memory) {
  overlay::Descriptor d{};
  d.id = PeerId{id};
  d.address = Address::v4(1, 7700);
  d.incarnation = 1;
  d.sequence = 1;
  d.cpu_free = d.cpu_total = cpu;
  d.memory_free = d.memory_total = memory;
  return d;
}

class DirectoryTest : public ::testing::Test {
 protected:
  NodeSpec self{.endpoint = {PeerId{1}, Address::v4(1, 7700)}, .name = "kestrel"};
  Directory directory{{.size_max = 4}, self};
};

TEST_F(DirectoryTest, CountsHowFarEachTestThinsTheNodesOut) {
  directory.hear(Time{}, node(2, 4000, 8000));
  directory.hear(Time{}, node(3, 1000, 8000));
  auto busy = node(4, 4000, 8000);
  busy.cpu_free = 500;
  directory.hear(Time{}, busy);
  const Census census = directory.census(Time{1s}, {.cpu = 2000, .memory = 100, .custom = {}}, {});
  EXPECT_EQ(census.known, 3u);
  EXPECT_EQ(census.could_fit, 2u);
  EXPECT_EQ(census.fit_now, 1u);
  EXPECT_EQ(census.cpu_short, 1u);
  EXPECT_EQ(census.oldest, 1s);
}

TEST_F(DirectoryTest, SaysWhyADemandCanNeverBeMetAndWhatTheLargestHas) {
  directory.hear(Time{}, node(2, 4000, 64102));
  directory.hear(Time{}, node(3, 1000, 8000));
  EXPECT_FALSE(directory.why_never(Time{}, {.cpu = 4000, .memory = 8000, .custom = {}}, {}));
  const auto why = directory.why_never(Time{}, {.cpu = 1000, .memory = 921600, .custom = {}}, {});
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "no node of 2 can ever fit 900 GiB; largest: 0000000000000002, 62.6 GiB");
}

TEST_F(DirectoryTest, NamesTheConstraintThatNobodySatisfies) {
  directory.hear(Time{}, node(2, 4000, 8000));
  directory.hear(Time{}, node(3, 4000, 8000));
  const std::array constraints = {*parse_constraint("colour=red")};
  const auto why = directory.why_never(Time{}, {}, constraints);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("colour=red"), std::string::npos) << *why;
}

TEST_F(DirectoryTest, KeepsTheFreshestStatementAndForgetsDownOnNews) {
  directory.hear(Time{}, node(2, 4000, 8000));
  directory.on_down(PeerId{2});
  auto old = node(2, 1, 1);
  old.sequence = 0;
  directory.hear(Time{}, old);
  EXPECT_TRUE(directory.nodes().at(PeerId{2}).down);
  EXPECT_EQ(directory.nodes().at(PeerId{2}).descriptor.cpu_total, 4000u);
  auto news = node(2, 4000, 8000);
  news.sequence = 2;
  directory.hear(Time{}, news);
  EXPECT_FALSE(directory.nodes().at(PeerId{2}).down);
}

TEST_F(DirectoryTest, IsBoundedAndDropsTheOldest) {
  for (std::uint64_t id = 2; id < 20; ++id) directory.hear(Time{Duration{id}}, node(id, 1, 1));
  EXPECT_EQ(directory.nodes().size(), 4u);
  EXPECT_TRUE(directory.nodes().contains(PeerId{19}));
  EXPECT_FALSE(directory.nodes().contains(PeerId{2}));
}

TEST_F(DirectoryTest, CanBeTurnedOff) {
  Directory off{{.size_max = 0}, self};
  off.hear(Time{}, node(2, 1, 1));
  EXPECT_TRUE(off.nodes().empty());
  EXPECT_EQ(off.deadline(), kNever);
  EXPECT_FALSE(off.why_never(Time{}, {.cpu = 1, .memory = 0, .custom = {}}, {}));
}

}  // namespace
}  // namespace dunlin::sched
