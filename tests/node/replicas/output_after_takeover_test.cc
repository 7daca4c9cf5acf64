// SPDX-License-Identifier: MIT
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <utility>
#include <vector>

#include "node/base64.h"
#include "tests/node/replicas/replica_world.h"

// Limits of output together with replicas. What tasks write is kept by the agents that ran them,
// and no part of the protocol: so agents are tried here, and not the swarm.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class OutputAfterTakeover : public ReplicaWorld {
 protected:
  OutputAfterTakeover() {
    for (const std::string name : {"n0", "n1", "n2", "n3"}) {
      std::vector<std::string> arguments = arguments_of(1);
      arguments.push_back("--output-task-limit=64KiB");
      if (name != "n0") arguments.push_back("--attributes=stays=yes");
      add(name, arguments);
    }
    form_cell();
  }
  /// What n1 has of a task of n0's job, and the last reply.
  std::pair<std::string, Json> read(std::uint32_t number, int task) const {
    std::string text;
    const auto take = [&](const Json& part) { text += decode_base64(part.value("data", "")); };
    const Json last =
        agents[1]->client().call(request("output", of_n0(number, {{"task", task}})), take);
    if (last.contains("ok")) take(last["ok"]);
    return {text, last};
  }
};

// A task writes more than is kept, its home is lost in between, and another one writes less.
TEST_F(OutputAfterTakeover, WhatWasCutIsSaidByTheNextHome) {
  const std::string script =
      "head -c 200000 /dev/zero | tr '\\0' x; echo; test $DUNLIN_TASK_INDEX = 0 || exit 0; "
      "while ! test -e " +
      home + "/go; do sleep 0.1; done";
  const Json stays = {{"constraints", {"stays=yes"}}};  // Not at the node that will be gone.
  const auto large = submit(n0(), script, 2, stays);
  const auto small =
      submit(n0(), "echo small; while ! test -e " + home + "/go; do sleep 0.1; done", 1, stays);
  wait_for_standbys(large);
  wait_for_standbys(small);
  ASSERT_TRUE(eventually([&] { return job_at(n0(), large)["counts"]["done"] == 1; }));
  lose_home();
  ASSERT_TRUE(eventually([&] { return taken_over(*agents[1], large); }));
  std::ofstream(home + "/go") << "";
  ASSERT_TRUE(eventually([&] { return job_at(*agents[1], large)["counts"]["done"] == 2; }));
  ASSERT_TRUE(eventually([&] { return job_at(*agents[1], small)["counts"]["done"] == 1; }));
  const auto [whole, fine] = read(small, 0);
  EXPECT_TRUE(fine.contains("ok")) << fine.dump();
  EXPECT_EQ(whole, "small\n");
  for (int task = 0; task < 2; ++task) {
    const auto [text, last] = read(large, task);
    EXPECT_FALSE(text.empty()) << "task " << task;
    EXPECT_LE(text.size(), 64u * 1024) << "task " << task;
    EXPECT_EQ(text.find_first_not_of('x'), std::string::npos);
    ASSERT_TRUE(last.contains("error")) << "task " << task << ": " << last.dump().substr(0, 300);
    EXPECT_THAT(last["error"]["text"].get<std::string>(), HasSubstr("200001 bytes"));
  }
}

}  // namespace
}  // namespace dunlin::node
