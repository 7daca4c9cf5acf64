// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/node/store/store_fixture.h"

// The log of who did what.
namespace dunlin::node::store_test {
namespace {

TEST_F(Store, KeepsTheLastActions) {
  const auto action = [](const std::string& user, std::int64_t at) {
    return ActionRow{.at = at, .user = user, .verb = "cancel", .object = "job 1"};
  };
  {
    auto store = open();
    store->actions().put(action("alice", 10));
    store->actions().put(action("bob", 20));
    EXPECT_TRUE(store->dirty());
    EXPECT_TRUE(store->actions().list("", 9)->empty()) << "not committed yet";
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  auto store = open();
  store->actions().put(action("alice", 30));
  ASSERT_TRUE(store->commit());
  const auto all = store->actions().list("", 9);
  ASSERT_TRUE(all) << all.error().text;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ(all->front().number, 3) << "newest first";
  EXPECT_EQ(store->actions().list("alice", 9)->size(), 2u);
  EXPECT_EQ(store->actions().list("alice", 1)->front().at, 30);

  run_sql("update actions set user = 'eve' where number = 2");
  EXPECT_EQ(store->actions().list("", 9)->size(), 2u) << "a row that was changed is left out";
  EXPECT_THAT(store->damage().lines(), ::testing::ElementsAre(::testing::HasSubstr("action 2")));

  run_sql("update actions set number = number + 1000000");
  store = nullptr;
  store = open();
  store->actions().put(action("carol", 40));
  ASSERT_TRUE(store->commit());
  run_sql("update actions set number = 1 where number = 1000001");
  store->actions().put(action("carol", 50));
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->actions().list("carol", 9)->size(), 2u);
  EXPECT_EQ(store->actions().list("carol", 9)->front().number, 1'000'005);
}

// Beside what users did themselves, in rows as they always were.
TEST_F(Store, KeepsWhoSpokeForWhom) {
  auto store = open();
  const auto put = [&](const std::string& user, const std::string& delegate, std::int64_t at,
                       bool refused = false) {
    store->actions().put({.at = at,
        .user = user,
        .delegate = delegate,
        .verb = "cancel",
        .object = "job 1",
        .refused = refused});
  };
  put("alice", "", 10);
  put("alice", "dunlin-web", 20);
  put("alicia", "dunlin-web", 30);
  put("alice", "dunlin-web", 40, true);
  put("alice", "dunlin-web", 41, true);
  store->actions().settle(0, true);
  ASSERT_TRUE(store->commit());
  store = nullptr;
  store = open();
  const auto hers = store->actions().list("alice", 9);
  ASSERT_TRUE(hers) << hers.error().text;
  std::vector<std::pair<std::int64_t, std::string>> told;
  for (const ActionRow& row : *hers) {
    EXPECT_EQ(row.user, "alice");
    told.emplace_back(row.at, row.delegate);
  }
  using Told = std::pair<std::int64_t, std::string>;
  EXPECT_THAT(told,
      ::testing::ElementsAre(
          Told(41, "dunlin-web"), Told(40, "dunlin-web"), Told(20, "dunlin-web"), Told(10, "")));
  EXPECT_EQ(store->actions().list("", 9)->size(), 5u);
  EXPECT_EQ(store->actions().list("dunlin-web", 9)->size(), 0u) << "it did nothing for itself";
  EXPECT_EQ(store->actions().list("ali", 9)->size(), 0u);
}

// Whatever one user does, what others did stays.
TEST_F(Store, KeepsTheLastActionsOfEachUser) {
  auto store = open();
  const auto put = [&](const std::string& user, std::int64_t at) {
    store->actions().put({.at = at, .user = user, .verb = "cancel", .object = "job 1"});
  };
  put("root", 1);
  for (std::int64_t i = 0; i < 2 * ActionTable::kUserActionsMax; ++i) {
    put("mallory", i);
    if (i % 1000 == 0) {
      ASSERT_TRUE(store->commit());
    }
  }
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->actions().list("root", 9)->size(), 1u);
  const auto kept = static_cast<std::int64_t>(store->actions().list("mallory", 1u << 20)->size());
  EXPECT_GE(kept, ActionTable::kUserActionsMax);
  EXPECT_LE(kept, ActionTable::kUserActionsMax * 11 / 10);
  EXPECT_EQ(store->actions().list("mallory", 1)->front().at, 2 * ActionTable::kUserActionsMax - 1);
}

// A full disk fails one commit after the other, for hours: if each counted what it did not keep,
// the next one that succeeds would delete what others did.
TEST_F(Store, CountsNoActionsOfACommitThatFailed) {
  constexpr int kUsers = 12;
  constexpr std::size_t kActions = 6000;
  auto store = open();
  const auto put = [&](const std::string& user, const std::string& verb) {
    store->actions().put({.at = 1, .user = user, .verb = verb, .object = "job 1"});
  };
  for (int user = 0; user < kUsers; ++user) {
    for (std::size_t i = 0; i < kActions; ++i) put("user" + std::to_string(user), "cancel");
  }
  put("root", "fails");
  run_sql(
      "create trigger full before insert on actions when new.verb = 'fails' begin "
      "select raise(abort, 'no room'); end");
  EXPECT_FALSE(store->commit());
  run_sql("drop trigger full");
  ASSERT_TRUE(store->commit());
  for (int user = 0; user < kUsers; ++user) {
    EXPECT_EQ(store->actions().list("user" + std::to_string(user), 1u << 20)->size(), kActions);
  }
}

TEST_F(Store, CountsEqualRefusalsOfAMinute) {
  auto store = open();
  constexpr std::int64_t kMinute = GroupedRefusals::kWithin;
  const auto refuse = [&](const std::string& object, std::int64_t at) {
    store->actions().put(
        {.at = at, .user = "mallory", .verb = "drain", .object = object, .refused = true});
  };
  const auto objects = [&] {
    store->actions().settle(10 * kMinute);
    EXPECT_TRUE(store->commit());
    std::vector<std::string> told;
    const auto rows = store->actions().list("mallory", 1000);
    for (const ActionRow& row : *rows) told.push_back(row.object);
    return told;
  };
  for (int i = 0; i < 100'000; ++i) refuse("n1", 1 + i);
  refuse("n2", 5);
  refuse("n1", 2 * kMinute);
  EXPECT_THAT(objects(), ::testing::ElementsAre("n1", "n1, 99999 times more", "n2", "n1"));

  for (int i = 0; i < 100'000; ++i) refuse("job " + std::to_string(i), 10 * kMinute + 1);
  store->actions().settle(0, true);
  const auto all = objects();
  EXPECT_EQ(all.size(), 4u + GroupedRefusals::kGroupsPerUser + 2);
  EXPECT_EQ(all.front(), "others, 99967 times more");
}

}  // namespace
}  // namespace dunlin::node::store_test
