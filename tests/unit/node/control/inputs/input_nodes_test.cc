// SPDX-License-Identifier: MIT
#include "node/control/inputs/input_nodes.h"

#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// What clients say of the inputs of tasks, and what they are told.
namespace dunlin::node {
namespace {

class InputNodesTest : public ClientTest {
 protected:
  static Json job_with(const Json& inputs, int count = 2) {
    return {{"allow_unsatisfiable", true},
        {"groups",
            {{{"name", "map"}, {"command", {"true"}}, {"count", count}, {"inputs", inputs},
                {"demand",
                    {{"cpu_milli", 500000}, {"rates", {{"disk_read", 100}, {"net_out", 5}}}}}}}}};
  }
  std::string own_name() const { return agent.peer().self().name; }
};

TEST_F(InputNodesTest, NamesBecomeNodesAndUnknownOnesAreTold) {
  const Json told = ask("submit", job_with({"64M@" + own_name() + ",nowhere", "1G@nowhere"}))["ok"];
  EXPECT_EQ(told["unknown_nodes"], Json::array({"nowhere"}));
  const Json number = told["number"];
  const Json inputs = ask("job", {{"number", number}})["ok"]["groups"][0]["inputs"];
  EXPECT_EQ(inputs["known_nodes"], 1);
  EXPECT_EQ(inputs["unknown_nodes"], 1);
  EXPECT_EQ(inputs["unknown"], Json::array({"nowhere"}));
  EXPECT_EQ(inputs["mib"], 64 + 1024);
  EXPECT_EQ(inputs["nodes"], Json::array({{{"name", own_name()}, {"waiting", 1}}}));
  EXPECT_EQ(inputs["disk_read"], 100);
  const Json group = ask("explain", {{"number", number}})["ok"]["groups"][0];
  EXPECT_EQ(group["inputs"], inputs);
  EXPECT_EQ(group["demand"]["rates"], Json({{"net_in", 100}, {"net_out", 5}}));
}

TEST_F(InputNodesTest, AJobWithoutInputsHasNone) {
  const Json told = ask("submit", job_with(Json::array()))["ok"];
  EXPECT_EQ(told["unknown_nodes"], Json::array());
  const Json group = ask("job", {{"number", told["number"]}})["ok"]["groups"][0];
  EXPECT_EQ(group["inputs"], nullptr);
  EXPECT_EQ(group["demand"]["rates"], Json({{"disk_read", 100}, {"net_out", 5}}));
}

TEST_F(InputNodesTest, MistakesNameTheInput) {
  EXPECT_EQ(error_of(ask("submit", job_with({"64M@a", "64M"}))),
      "usage: 'inputs[1]': '64M' is no input: it names no node; write its size and the nodes that "
      "have it, such as 2G@node1,node2");
  EXPECT_EQ(error_of(ask("submit", job_with({"1M@a", "1M@b"}, 3))),
      "usage: group map: 2 inputs for 3 tasks: give each task one, or all of them the same");
  EXPECT_EQ(error_of(ask("submit", job_with({7}))).find("usage: 'groups[0].inputs"), 0u);
}

}  // namespace
}  // namespace dunlin::node
