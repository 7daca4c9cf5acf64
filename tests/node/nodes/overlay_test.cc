// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>
#include <set>

#include "tests/node/program.h"
#include "tests/node/sharing_world.h"

// The nodes that real agents know, as any of them tells it.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class OverlayLive : public SharingWorld {
 protected:
  Json overlay_of(const std::string& node) {
    return client().ok(request("overlay", {{"at", node}}));
  }
  /// The names of its neighbours for which `wanted` is true.
  template <typename Wanted>
  std::set<std::string> names(const Json& told, Wanted wanted) {
    std::set<std::string> names;
    for (const Json& each : told["neighbours"]) {
      if (wanted(each)) names.insert(each["name"].get<std::string>());
    }
    return names;
  }
};

TEST_F(OverlayLive, AnyAgentSaysWhichNodesAnotherOneKnowsAndHowFarTheyAre) {
  start(3);
  const std::set<std::string> others = {"n0", "n2"};
  Json told;
  EXPECT_TRUE(eventually([&] {
    client(1).ok(request("nodes"));  // It hears their names by that, if not before.
    told = overlay_of("n1");
    const auto measured = names(told, [](const Json& each) { return each["rtt_ns"].is_number(); });
    const auto ranked = names(told, [](const Json& each) { return each["rank"].is_number(); });
    const auto linked =
        names(told, [](const Json& each) { return each["link_age_ns"].is_number(); });
    return measured == others && ranked == others && !linked.empty();
  })) << told;
  EXPECT_EQ(told["node_name"], "n1");
  EXPECT_EQ(told["utility"], 1.0) << "nothing runs there";
  for (const Json& each : told["neighbours"]) {
    EXPECT_EQ(each["state"], "up");
    EXPECT_GT(each["rtt_ns"], 0);
    EXPECT_LT(each["rtt_ns"], 5'000'000'000) << "on one machine, however busy";
    EXPECT_EQ(each["total"]["cpu_milli"], 2000);
  }
  EXPECT_EQ(told["cell"], nullptr) << "nobody shares";

  const std::string socket = agents[0]->socket();
  const ProgramRun shown = run_dunlin(socket, {"node", "overlay", "n1"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("node n1 knows 2 nodes: "));
  EXPECT_THAT(shown.out, HasSubstr("ROUND TRIP"));
  EXPECT_THAT(run_dunlin(socket, {"node", "overlay"}).out, HasSubstr("node n0 knows "));
  const Json json = Json::parse(run_dunlin(socket, {"node", "overlay", "n1", "--json"}).out);
  EXPECT_EQ(json["schema"], "dunlin.overlay/1");
  EXPECT_TRUE(json["neighbours"][0]["age_s"].is_number());
  const ProgramRun none = run_dunlin(socket, {"node", "overlay", "n11"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("n11"));
}

// Work at a node changes what others know of it: there is less of it that a task could have.
TEST_F(OverlayLive, ABusyNodeHasLessUtility) {
  start(3);
  const auto job = submit(*agents[0], "sleep 300", 12);  // As many as there is room for.
  const auto is_busy = [](const Json& each) {
    return each["utility"].get<double>() < 1 && each["free"]["cpu_milli"].get<int>() < 2000;
  };
  EXPECT_TRUE(eventually([&] {
    const Json told = overlay_of("n1");
    return told["utility"].get<double>() < 1 && std::ranges::any_of(told["neighbours"], is_busy);
  }));
  client().ok(request("cancel", {{"number", job}}));
}

TEST_F(OverlayLive, ANodeThatDiedIsNoNeighbourSoon) {
  start(3);
  EXPECT_TRUE(eventually([&] { return overlay_of("n1")["neighbours"].size() == 2; }));
  agents[2]->kill9();
  const auto all = [](const Json&) { return true; };
  EXPECT_TRUE(
      eventually([&] { return names(overlay_of("n1"), all) == std::set<std::string>{"n0"}; },
          std::chrono::seconds(60)));
}

TEST_F(OverlayLive, NodesOfACellNameItsManagerAndThoseThatKeepItsBooks) {
  start(3);
  set_shares({{"gold", 3}, {"tin", 1}});
  const auto manages = [](const Json& books) { return books["manages"] == true; };
  const auto is_so = [&](const TestAgent& agent, const TestAgent& manager) {
    const Json told = overlay_of(agent.name());
    const Json& cell = told["cell"];
    return !cell.is_null() && cell["standing"] == "member" &&
        cell["manager"]["name"] == manager.name() && cell["voters"].size() == 2 &&
        std::ranges::any_of(told["books"], manages) == (&agent == &manager);
  };
  EXPECT_TRUE(eventually(
      [&] {
        const TestAgent* const manager = manager_of_all();
        return manager != nullptr &&
            std::ranges::all_of(agents, [&](const auto& agent) { return is_so(*agent, *manager); });
      },
      std::chrono::seconds(120)));
}

}  // namespace
}  // namespace dunlin::node
