// SPDX-License-Identifier: MIT
#include "node/store/nodes/gone_table.h"

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

TEST_F(Store, KeepsTheNodesThatLeftWithoutAGoodBye) {
  const GoneNode heron{.name = "heron",
      .address = overlay::Address::v4(0x0a000002, 7700),
      .heard_at = 1'700'000'000'000'000'000};
  GoneNode osprey = heron;
  osprey.forgotten = true;
  {
    auto store = open();
    store->gone().put({2}, heron);
    store->gone().put({~std::uint64_t{0}}, osprey);
    store->gone().put({3}, heron);
    EXPECT_TRUE(store->jobs_dirty()) << "an answer waits for it";
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
    store->gone().drop({3});
    store->gone().drop({4});
    ASSERT_TRUE(store->commit());
  }
  auto store = open();
  ASSERT_EQ(store->gone().all().size(), 2u);
  EXPECT_EQ(store->gone().all().at({2}), heron);
  EXPECT_EQ(store->gone().all().at({~std::uint64_t{0}}), osprey);
  run_sql("update gone_nodes set port = 70000 where name = 'heron'");
  store = nullptr;
  EXPECT_TRUE(open()->gone().all().empty()) << "what no node has is left out";
}

TEST_F(Store, ForgetsTheNodesThatWereHeardOfTheLongestAgo) {
  auto store = open();
  for (std::size_t i = 0; i <= GoneTable::kGoneMax; ++i) {
    store->gone().put({i + 1}, {.heard_at = static_cast<std::int64_t>(i)});
  }
  EXPECT_EQ(store->gone().all().size(), GoneTable::kGoneMax);
  EXPECT_FALSE(store->gone().all().contains({1}));
  ASSERT_TRUE(store->commit());
}

}  // namespace
}  // namespace dunlin::node::store_test
