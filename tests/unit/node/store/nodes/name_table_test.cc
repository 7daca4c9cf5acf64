// SPDX-License-Identifier: MIT
#include "node/store/nodes/name_table.h"

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

TEST_F(Store, KeepsTheNamesOfNodes) {
  {
    auto store = open();
    EXPECT_EQ(store->names().find({7}), "");
    store->names().put({7}, "osprey");
    store->names().put({8}, "heron");
    store->names().put({8}, "kestrel");
    store->names().put({9}, "");
    store->names().put({9}, std::string(300, 'x'));
    EXPECT_TRUE(store->dirty());
    ASSERT_TRUE(store->commit());
    store->names().put({7}, "osprey");
    EXPECT_FALSE(store->dirty()) << "nothing is new";
  }
  auto store = open();
  EXPECT_EQ(store->names().find({7}), "osprey");
  EXPECT_EQ(store->names().find({8}), "kestrel");
  EXPECT_EQ(store->names().size(), 2u);
  run_sql("update names set node = 'nonsense' where name = 'kestrel'");
  store = nullptr;
  store = open();
  EXPECT_EQ(store->names().size(), 1u) << "what no Dunlin wrote is left out";
}

TEST_F(Store, KeepsTheNamesThatNodesHadBefore) {
  {
    auto store = open();
    store->names().put({8}, "heron");
    EXPECT_TRUE(store->names().former().empty());
    store->names().put({8}, "kestrel");
    EXPECT_EQ(store->names().former().at("heron"), overlay::PeerId{8});
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  auto store = open();
  EXPECT_EQ(store->names().former().at("heron"), overlay::PeerId{8});
  EXPECT_EQ(store->names().find({8}), "kestrel");
}

TEST_F(Store, ForgetsTheNamesThatWereToldFirst) {
  auto store = open();
  for (std::uint64_t i = 1; i <= NameTable::kNamesMax + 1; ++i) {
    store->names().put({i}, "n" + std::to_string(i));
  }
  EXPECT_EQ(store->names().size(), NameTable::kNamesMax);
  EXPECT_EQ(store->names().find({1}), "");
  ASSERT_TRUE(store->commit());
}

}  // namespace
}  // namespace dunlin::node::store_test
