// SPDX-License-Identifier: MIT
#include "tests/node/sharing_world.h"

// Plans, live: agents in a cell, the rule that an operator sets, and what the manager tells.
namespace dunlin::node {
namespace {

class Plans : public SharingWorld {};

TEST_F(Plans, AreSetShownAndEndedAnywhere) {
  start(3);
  const Json none = client().ok(request("plan"));
  EXPECT_EQ(none["policy"], "off");
  EXPECT_TRUE(none["cells"].empty());
  const Json set = client(1).ok(request("plan_set", {{"policy", "edf"}, {"spare", "priority"}}));
  EXPECT_EQ(set["policy"], "edf");
  EXPECT_EQ(set["spare"], "priority");
  EXPECT_TRUE(set["kept_by"].is_string()) << set;
  submit(*agents[2], "sleep 1000", 2);
  // Two cells may stand for a while before they merge: the job is in the plan of one.
  const auto planned = [&] {
    const Json plan = client().ok(request("plan"));
    for (const Json& cell : plan["cells"]) {
      if (cell["jobs"].size() == 1 && cell["jobs"][0]["slots"] == 2) return true;
    }
    return false;
  };
  EXPECT_TRUE(eventually(planned)) << client().ok(request("plan"));
  // Classes come and go beside it.
  set_shares({{"gold", 3}});
  EXPECT_EQ(client(2).ok(request("plan"))["policy"], "edf");
  EXPECT_EQ(client(2).ok(request("plan_set", {{"policy", "off"}}))["policy"], "off");
  EXPECT_TRUE(eventually([&] { return client().ok(request("plan"))["policy"] == "off"; }));
  EXPECT_TRUE(eventually([&] { return !planned(); }));
  EXPECT_EQ(client().ok(request("share_list"))["classes"].size(), 1u);
}

TEST_F(Plans, WhatMakesNoSenseIsRefusedWithTheCure) {
  start(1);
  const auto error = [&](const Json& rule) {
    return client().call(request("plan_set", rule))["error"];
  };
  EXPECT_EQ(error({{"policy", "best"}})["kind"], "usage");
  EXPECT_NE(
      error({{"policy", "best"}})["text"].get<std::string>().find("assured"), std::string::npos);
  EXPECT_EQ(error(Json::object())["kind"], "usage");
  EXPECT_EQ(error({{"policy", "edf"}, {"spare", "x"}})["kind"], "usage");
  EXPECT_EQ(error({{"policy", "priority"}, {"reserve", 1001}})["kind"], "usage");
  EXPECT_EQ(error({{"policy", "workload"}, {"horizon_ns", 0}})["kind"], "usage");
}

}  // namespace
}  // namespace dunlin::node
