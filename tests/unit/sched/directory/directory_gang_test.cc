// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/directory/directory.h"
#include "tests/support/solo.h"

// Tasks that start together need room for all of them at once.
namespace dunlin::sched {
namespace {

class DirectoryGang : public test::Solo {
 protected:
  DirectoryGang() {
    for (std::uint64_t id = 2; id <= 4; ++id) {
      overlay::Descriptor told;
      told.id = {id};
      told.address = node(id).address;
      told.incarnation = 1;
      told.cpu_total = 4000;
      told.memory_total = 8192;
      directory.hear(now, told);
      Facts facts{.incarnation = 1, .total = {.cpu = 4000, .memory = 8192}};
      set_amount(facts.total, "gpu", id == 2 ? 0 : 2);
      Turn one = turn();
      directory.on_message(one, node(id), facts);
    }
  }
  std::optional<std::string> why_never(std::uint32_t count, std::uint32_t gpus = 0) const {
    TaskGroup group{.count = count, .demand = {.cpu = 1000, .memory = 1}, .gang = true};
    if (gpus > 0) set_amount(group.demand, "gpu", gpus);
    return directory.why_never(now, group);
  }

  NodeSpec self{.endpoint = {PeerId{1}, Address::v4(1, 7700)}, .name = "kestrel"};
  Directory directory{{.size_max = 4}, self};
};

TEST_F(DirectoryGang, MoreTasksThanAllNodesHaveRoomForCanNeverStart) {
  EXPECT_FALSE(why_never(12));
  EXPECT_EQ(why_never(13).value_or(""),
      "its 13 tasks start together, and the 3 nodes known have room for 12 of them, even when "
      "idle");
  EXPECT_FALSE(why_never(2, 2));
  EXPECT_TRUE(why_never(3, 2)) << "two nodes have two GPUs each";
}

TEST_F(DirectoryGang, WhereNotAllNodesAreKnownThereMayBeMoreRoom) {
  overlay::Descriptor more;
  more.id = {5};
  more.address = node(5).address;
  more.incarnation = 1;
  more.cpu_total = 1000;
  more.memory_total = 8192;
  directory.hear(now, more);
  EXPECT_FALSE(why_never(100)) << "the directory is full";
}

}  // namespace
}  // namespace dunlin::sched
