// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <numeric>

#include "tests/node/sharing_world.h"

// Sharing, live: agents in cells, classes with weights, managers that die.
namespace dunlin::node {
namespace {

using std::chrono::seconds;

class Sharing : public SharingWorld {};

TEST_F(Sharing, ANodeThatNobodyAskedToShareKnowsNothingOfIt) {
  start(1);
  EXPECT_EQ(client().ok(request("share_list"))["version"], 0);
  EXPECT_EQ(client().ok(request("cells"))["cells"].size(), 0u);
  EXPECT_EQ(client().ok(request("audit"))["cells"], 0);
  EXPECT_EQ(client().ok(request("status"))["counters"]["cell_messages_sent"], 0);
}

TEST_F(Sharing, ClassesAreSetListedAndRemovedAnywhere) {
  start(3);
  const Json set = set_shares({{"gold", 3}, {"tin", 1}});
  EXPECT_EQ(set["version"], 1);
  EXPECT_TRUE(set["kept_by"].is_string()) << set;
  // Whoever is asked knows the newest table, and gives it the next version.
  const Json list = client(2).ok(request("share_list"));
  ASSERT_EQ(list["classes"].size(), 2u) << list;
  EXPECT_EQ(list["classes"][0]["name"], "gold");
  EXPECT_EQ(list["classes"][0]["percent"], 75.0);
  EXPECT_EQ(client(1).ok(request("share_set", {{"remove", {"tin"}}}))["version"], 2);
  EXPECT_TRUE(eventually([&] { return client(0).ok(request("share_list"))["version"] == 2; }));
}

TEST_F(Sharing, WhatMakesNoSenseIsRefusedWithTheCure) {
  start(1);
  const auto error = [&](Json set, Json remove) {
    return client().call(
        request("share_set", {{"set", std::move(set)}, {"remove", std::move(remove)}}))["error"];
  };
  const Json none = Json::array();
  EXPECT_EQ(error(none, none)["kind"], "usage");
  EXPECT_EQ(error({{{"name", "a b"}, {"weight", 1}}}, none)["kind"], "usage");
  EXPECT_EQ(error({{{"name", "gold"}, {"weight", 0}}}, none)["kind"], "usage");
  EXPECT_EQ(error(none, {"tin"})["kind"], "not_found");
  EXPECT_EQ(client().ok(request("share_list"))["version"], 0);
}

TEST_F(Sharing, ATreeOfCellsIsSeenAndAuditedFromAnyNode) {
  start(6);
  set_shares({{"gold", 3}, {"tin", 1}});
  ASSERT_TRUE(wait_for_tree(2, 6));
  const Json cells = client(4).ok(request("cells", {{"members", true}}));
  EXPECT_EQ(cells["cells"].size(), 3u) << cells;
  EXPECT_EQ(cells["cells"][0]["level"], 1);
  EXPECT_EQ(cells["cells"][1]["members"].size(), 3u) << cells;
  EXPECT_TRUE(wait_until_granted()) << client().ok(request("shares"));
  const Json shares = client(5).ok(request("shares"))["classes"];
  EXPECT_EQ(shares[0]["desired"], 9000);
  EXPECT_EQ(shares[1]["desired"], 3000);
  const Json one = client().ok(request("shares", {{"cell", cells["cells"][1]["cell"]}}));
  EXPECT_EQ(one["classes"][0]["desired"], 4500);
  const Json audit = client(3).ok(request("audit"));
  EXPECT_EQ(audit["conserved"], true) << audit;
  EXPECT_EQ(audit["sums"]["minted"], 12'000) << audit;
}

TEST_F(Sharing, AnAuditDoesNotPassOverACellThatIsGone) {
  start(
      4, {"--cell.cell_size=2", "--cell.cell_least=0", "--cell.lease=60s", "--cell.hint_life=60s"});
  set_shares({{"gold", 1}});
  ASSERT_TRUE(wait_for_tree(2, 4));
  const Json cells = client().ok(request("cells", {{"members", true}}))["cells"];
  // A cell goes with all who keep its books; the root's manager is not among them.
  const Json& doomed = cells[1]["manager"] == cells[0]["manager"] ? cells[2] : cells[1];
  for (const Json& each : doomed["members"]) agent_named(each["name"]).kill9();
  const Json audit = living().client().ok(request("audit", {{"patience_ns", 2'000'000'000}}));
  EXPECT_EQ(audit["conserved"], false) << audit;
  EXPECT_EQ(audit["off"].size(), 0u) << audit;
}

}  // namespace
}  // namespace dunlin::node
