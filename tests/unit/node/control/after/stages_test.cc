// SPDX-License-Identifier: MIT
#include "node/control/after/stages.h"

#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// What clients are told of the stages of a job.
namespace dunlin::node {
namespace {

using sched::TaskState;

class StagesTest : public ClientTest {
 protected:
  static Json group(const std::string& name, int count, const std::vector<std::string>& after) {
    return {{"name", name}, {"command", {"true"}}, {"count", count}, {"after", after},
        {"demand", {{"cpu_milli", 500000}}}};
  }
  static Json staged() {
    return {{"allow_unsatisfiable", true},
        {"groups", {group("reduce", 2, {"map"}), group("map", 3, {})}}};
  }
  /// The number of the job.
  Json submit_staged() { return ask("submit", staged())["ok"]["number"]; }
  Json job(const Json& number) { return ask("job", {{"number", number}})["ok"]; }
  Json explained(const Json& number) { return ask("explain", {{"number", number}})["ok"]; }
};

TEST_F(StagesTest, AGroupSaysWhatItWaitsFor) {
  const Json number = submit_staged();
  const Json groups = job(number)["groups"];
  EXPECT_EQ(groups[0]["after"],
      Json::array({{{"group", "map"}, {"tasks", 3}, {"left", 3}, {"state", "open"}}}));
  EXPECT_EQ(groups[1]["after"], Json::array());
  EXPECT_EQ(
      explained(number)["groups"][0]["verdict"], "group reduce waits for map: 3 of 3 tasks left");
  EXPECT_EQ(explained(number)["groups"][0]["after"][0]["left"], 3);
  EXPECT_NE(
      explained(number)["groups"][1]["verdict"], "group reduce waits for map: 3 of 3 tasks left");
}

TEST_F(StagesTest, TasksThatWaitedInVainSayWhy) {
  const Json number = submit_staged();
  // Task 2 is the first of map, for groups count in the order of the file.
  EXPECT_EQ(error_of(ask("cancel", {{"number", number}, {"tasks", {2}}})), "");
  const Json told = job(number);
  EXPECT_EQ(told["counts"]["cancelled"], 3);
  EXPECT_EQ(told["groups"][0]["after"][0]["state"], "missed");
  ask("cancel", {{"number", number}, {"tasks", {3, 4}}});
  EXPECT_EQ(job(number)["state"], "cancelled");
  EXPECT_EQ(job(number)["cancelled_by"], "") << "the job as a whole was not";
  EXPECT_EQ(job(number)["reason"],
      "group map did not succeed, which cancelled 2 tasks of group reduce, which waits for it");
}

TEST_F(StagesTest, MistakesNameTheGroup) {
  Json unknown = staged();
  unknown["groups"][1]["after"] = Json::array({"mpa"});
  EXPECT_EQ(error_of(ask("submit", unknown)),
      "usage: 'groups[1].after[0]': no group is named 'mpa'; there are: reduce, map");
  Json circle = staged();
  circle["groups"][1]["after"] = Json::array({"reduce"});
  EXPECT_EQ(error_of(ask("submit", circle)),
      "usage: 'groups[0].after[0]': group reduce waits for map, which waits for reduce: none of "
      "them could ever start");
  Json number = staged();
  number["groups"][0]["after"] = Json::array({7});
  EXPECT_EQ(error_of(ask("submit", number)).find("usage: 'groups[0].after"), 0u);
}

}  // namespace
}  // namespace dunlin::node
