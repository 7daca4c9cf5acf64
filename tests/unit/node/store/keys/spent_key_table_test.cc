// SPDX-License-Identifier: MIT
#include "node/store/keys/spent_key_table.h"

#include "node/wall_clock.h"
#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

sched::SpentKey spent(std::uint64_t hash, const std::string& owner = "anna") {
  return {.hash = hash,
      .id = id(static_cast<std::uint32_t>(hash % 1000)),
      .owner = owner,
      .name = "fit",
      .tasks = 3};
}

TEST_F(Store, KeepsTheKeysOfJobsThatAreForgotten) {
  const std::int64_t before = wall_clock_ns();
  {
    auto store = open();
    store->jobs().put_spent_key(spent(~std::uint64_t{0}));
    store->jobs().put_spent_key(spent(7));
    store->jobs().put_spent_key(spent(7, "bob"));
    EXPECT_TRUE(store->dirty());
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  const auto kept = open()->spent_keys().load();
  ASSERT_TRUE(kept) << kept.error().text;
  ASSERT_EQ(kept->size(), 2u) << "of one key the first counts";
  EXPECT_EQ(kept->front().key, spent(~std::uint64_t{0})) << "the oldest first";
  EXPECT_EQ(kept->back().key, spent(7));
  EXPECT_GE(kept->front().spent_at, before);
}

// They count for a day; but a wall clock that was wrong for some days must not take them away.
TEST_F(Store, ForgetsKeysAfterAMonth) {
  auto store = open();
  store->jobs().put_spent_key(spent(1));
  store->jobs().put_spent_key(spent(2));
  ASSERT_TRUE(store->commit());
  run_sql("update spent_keys set spent_at = spent_at - 30 * 86400 * 1000000000 where hash = 1");
  run_sql("update spent_keys set spent_at = spent_at - 3 * 86400 * 1000000000 where hash = 2");
  store->jobs().put_spent_key(spent(3));
  ASSERT_TRUE(store->commit());
  const auto kept = store->spent_keys().load();
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 2u);
  EXPECT_EQ(kept->front().key.hash, 2u);
  EXPECT_EQ(kept->back().key.hash, 3u);
}

TEST_F(Store, ManyKeysOfOneUserPushOutNoneOfOthers) {
  auto store = open();
  store->jobs().put_spent_key(spent(1));
  for (std::uint64_t hash = 2; hash < sched::SpentKeys::kMax + 50; ++hash) {
    store->jobs().put_spent_key(spent(hash, "mallory"));
  }
  ASSERT_TRUE(store->commit());
  const auto kept = store->spent_keys().load();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), sched::SpentKeys::kMax);
  EXPECT_EQ(kept->front().key, spent(1));
}

}  // namespace
}  // namespace dunlin::node::store_test
