// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "tests/node/sharing_world.h"

// A cluster that had nothing to do for a while is as good as one that never stood still, whatever
// places its tasks. With federated placement the masters of a frontend are gone by then, and are
// made anew: had their numbers begun anew, members would have answered with what they once said.
namespace dunlin::node {
namespace {

class IdleSpellsLive : public SharingWorld, public ::testing::WithParamInterface<std::string> {
 protected:
  /// The most tasks that a global master has launched, of those that there are.
  int launched() {
    int launched_max = 0;
    const Json told = client(0).ok(request("masters"));
    for (const Json& master : told["masters"]) {
      launched_max = std::max(launched_max, master["launched"].get<int>());
    }
    return launched_max;
  }
  /// Each task is done by the first attempt: none was bound to a node that never started it.
  void run_one_job() {
    TestAgent& at = *agents[1];
    const auto job = submit(at, "true", 4);
    EXPECT_EQ(finish(at, job)["done"], 4);
    const Json listed = at.client().ok(request("tasks", {{"number", job}}));
    for (const Json& task : listed["tasks"]) EXPECT_EQ(task["attempt"], 1) << listed;
  }
};

TEST_P(IdleSpellsLive, JobsAfterThemStartAtOnce) {
  // Lost is what never started, and not what a busy machine is slow with.
  start(3,
      {"--frontend.placement=" + GetParam(), "--frontend.task_lease=15s",
          "--federation.heartbeat=500ms", "--federation.lease=2s"});
  const bool federated = GetParam() == "federated";
  int launched_max = 0;
  for (int spell = 0; spell < 3 && !HasFailure(); ++spell) {
    for (int i = 0; i < 3; ++i) run_one_job();
    if (federated) {
      // Until a master knows its partition tasks are probed for.
      EXPECT_TRUE(eventually([&] {
        run_one_job();
        return launched() > launched_max || HasFailure();
      }));
      launched_max = launched();
      EXPECT_TRUE(eventually([&] { return client(0).ok(request("masters"))["masters"].empty(); }));
    } else {
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Placements,
    IdleSpellsLive,
    ::testing::Values("random", "gradient", "adaptive", "tman", "federated"),
    [](const auto& placement) { return placement.param; });

}  // namespace
}  // namespace dunlin::node
