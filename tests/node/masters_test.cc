// SPDX-License-Identifier: MIT
#include "tests/node/sharing_world.h"

// Federated placement, live: what any agent tells of its masters.
namespace dunlin::node {
namespace {

class Masters : public SharingWorld {};

TEST_F(Masters, AreSeenFromAnyAgentWhileTheyHaveJobs) {
  start(3, {"--frontend.placement=federated", "--federation.heartbeat=1s"});
  EXPECT_TRUE(client().ok(request("masters"))["masters"].empty());
  const std::uint32_t long_job = submit(*agents[1], "sleep 1000", 1);
  Json told;
  // All rows are known, and all are of its partitions.
  EXPECT_TRUE(eventually([&] {
    told = client(2).ok(request("masters"));
    std::size_t rows = 0;
    for (const Json& cell : told["cells"]) rows += cell["rows"].get<std::size_t>();
    return rows == 3 && told["masters"].size() == 1 && told["masters"][0]["partition"] == 3;
  })) << told;
  EXPECT_EQ(told["masters"][0]["name"], agents[1]->name());
  // The global master hears of its partition a moment later; until then tasks are probed for.
  EXPECT_TRUE(eventually([&] {
    const std::uint32_t job = submit(*agents[1], "true", 4);
    client(1).ok(request("wait", {{"numbers", Json::array({job})}}));
    told = client(2).ok(request("masters"));
    return told["masters"].size() == 1 && told["masters"][0]["launched"] >= 1;
  })) << told;
  client(1).ok(request("cancel", {{"number", long_job}}));
}

// It goes with the start that the master is told of, not by an answer to a worker.
TEST_F(Masters, ACommandOfAMebibyteIsStartedByTheView) {
  start(3, {"--frontend.placement=federated", "--federation.heartbeat=1s"});
  const std::uint32_t long_job = submit(*agents[1], "sleep 1000", 1);
  Json words = {"sh", "-c", "echo ${#1} ${#7}", "x"};
  for (int i = 0; i < 7; ++i) words.push_back(std::string(131'071, 'w'));
  const auto launched = [&] {
    const Json told = client(2).ok(request("masters"));
    return told["masters"].size() == 1 ? told["masters"][0].value("launched", 0) : 0;
  };
  EXPECT_TRUE(eventually([&] {
    const int before = launched();
    const std::uint32_t job = submit(*agents[1], "", 4, {{"command", words}});
    client(1).ok(request("wait", {{"numbers", Json::array({job})}}));
    for (std::uint32_t task = 0; task < 4; ++task) {
      EXPECT_EQ(output(*agents[1], job, task), "131071 131071\n");
    }
    return launched() > before;
  }));
  client(1).ok(request("cancel", {{"number", long_job}}));
}

TEST_F(Masters, AJobThatWaitsIsExplainedByTheView) {
  start(3, {"--frontend.placement=federated", "--federation.heartbeat=1s"});
  const Json large = client(1).ok(request("submit",
      {{"allow_unsatisfiable", true},
          {"groups",
              {{{"command", {"true"}}, {"demand", {{"cpu_milli", 10'000'000}}},
                  {"constraints", {"os=linux", "disk=none-such"}}}}}}));
  Json view;
  EXPECT_TRUE(eventually([&] {
    const Json told = client(1).ok(request("explain", {{"number", large["number"]}}));
    view = told["groups"][0]["view"];
    return view["rows"] == 3;
  })) << view;
  EXPECT_GE(view["cells"], 1);
  ASSERT_EQ(view["constraints"].size(), 2u);
  EXPECT_EQ(view["constraints"][0]["rows"], 3);
  EXPECT_EQ(view["constraints"][1]["rows"], 0);
  EXPECT_EQ(view["matching"], 0);
  EXPECT_EQ(view["with_room"], 0);
}

}  // namespace
}  // namespace dunlin::node
