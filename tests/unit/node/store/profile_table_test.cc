// SPDX-License-Identifier: MIT
#include "node/store/profile_table.h"

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

TEST_F(Store, KeepsWhatTasksOfRecurringJobsTook) {
  const sched::ProfileKey nightly{"alice", "nightly", "map"};
  const sched::Profile heavy{
      .demand = {.cpu = 500, .memory = 64, .custom = {}, .disk_write = 2200}, .tasks = 7};
  {
    auto store = open();
    store->profiles().put(nightly, heavy);
    store->profiles().put({"alice", "other", ""}, {.tasks = 1});
    store->profiles().put({"bob", "nightly", ""}, {.tasks = 2});
    EXPECT_TRUE(store->dirty());
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  auto store = open();
  EXPECT_EQ(store->profiles().find(nightly), heavy);
  EXPECT_EQ(store->profiles().list("").size(), 3u);
  EXPECT_EQ(store->profiles().list("bob").size(), 1u);
  EXPECT_EQ(store->profiles().forget("alice", "other"), 1u);
  ASSERT_TRUE(store->commit());
  run_sql("update profiles set disk_write = -1 where owner = 'bob'");
  store = nullptr;
  store = open();
  EXPECT_EQ(store->profiles().list("").size(), 1u) << "what no demand has is left out";
  EXPECT_EQ(store->profiles().find(nightly), heavy);
}

TEST_F(Store, ForgetsTheProfilesThatWereLearnedFirst) {
  auto store = open();
  for (std::size_t i = 0; i <= ProfileTable::kProfilesMax; ++i) {
    store->profiles().put({"alice", std::to_string(i), ""}, {.tasks = 1});
  }
  EXPECT_EQ(store->profiles().list("").size(), ProfileTable::kProfilesMax);
  EXPECT_FALSE(store->profiles().find({"alice", "0", ""}));
  ASSERT_TRUE(store->commit());
}

}  // namespace
}  // namespace dunlin::node::store_test
