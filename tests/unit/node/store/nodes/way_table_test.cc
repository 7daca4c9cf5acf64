// SPDX-License-Identifier: MIT
#include "node/store/nodes/way_table.h"

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

overlay::Address address_in_lan(std::uint32_t last) {
  return overlay::Address::v4(0x0a000000 + last, 7700);
}

TEST_F(Store, KeepsTheWaysToNodes) {
  const overlay::Address six{.high = ~std::uint64_t{0}, .low = 1, .port = 65'535};
  {
    auto store = open();
    store->ways().put({2}, address_in_lan(2), six);
    store->ways().put({3}, six, address_in_lan(3));
    store->ways().put({4}, six, address_in_lan(4));
    EXPECT_TRUE(store->dirty());
    EXPECT_FALSE(store->jobs_dirty()) << "no answer waits for it";
    ASSERT_TRUE(store->commit());
    store->ways().put({2}, address_in_lan(2), six);
    EXPECT_FALSE(store->dirty()) << "nothing is new";
    store->ways().put({3}, six, address_in_lan(5));
    store->ways().drop({4});
    store->ways().drop({5});
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  auto store = open();
  ASSERT_EQ(store->ways().all().size(), 2u);
  EXPECT_EQ(store->ways().all().at({2}).told, address_in_lan(2));
  EXPECT_EQ(store->ways().all().at({2}).works, six);
  EXPECT_EQ(store->ways().all().at({3}).works, address_in_lan(5));
  run_sql("update ways set told_port = 70000 where node like '%2'");
  run_sql("update ways set port = 0 where node like '%3'");
  store = nullptr;
  EXPECT_TRUE(open()->ways().all().empty()) << "what no node has is left out";
}

TEST_F(Store, ForgetsTheWaysThatWereFoundFirst) {
  auto store = open();
  for (std::uint64_t i = 1; i <= WayTable::kWaysMax + 1; ++i) {
    store->ways().put({i}, address_in_lan(1), address_in_lan(2));
  }
  EXPECT_EQ(store->ways().all().size(), WayTable::kWaysMax);
  EXPECT_FALSE(store->ways().all().contains({1}));
  ASSERT_TRUE(store->commit());
}

}  // namespace
}  // namespace dunlin::node::store_test
