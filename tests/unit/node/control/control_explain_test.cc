// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// The verb explain.
namespace dunlin::node {
namespace {

using ControlExplain = ClientTest;

TEST_F(ControlExplain, VerdictsNameWhatStandsInTheWay) {
  struct Case {
    const char* what;
    std::uint32_t cpu;
    Json constraints;
    bool drained;
    const char* verdict;
  };
  const Case cases[] = {
      {"room", 1000, Json::array(), false,
          "the request is sound, and 1 node has room for it: it starts within moments"},
      {"too large", 64'000, Json::array(), false,
          "the request cannot be met: the one node known cannot ever fit 64 cpu; largest: merlin, "
          "4 cpu; it starts when a larger node joins"},
      {"no such node", 1000, {"disk=fast"}, false,
          "the request cannot be met: no node satisfies disk=fast; it starts when such a node "
          "joins"},
      {"all drain", 1000, Json::array(), true,
          "the request is sound: it starts when a node that could fit takes tasks again: merlin "
          "(draining for 0s)"},
      {"too large for the one that drains", 64'000, Json::array(), true,
          "it starts when a node is up and takes tasks"},
  };
  for (const Case& each : cases) {
    ask("drain", {{"on", each.drained}});
    const Json submitted = ask("submit",
        {{"allow_unsatisfiable", true},
            {"groups",
                {{{"command", {"true"}}, {"demand", {{"cpu_milli", each.cpu}}},
                    {"constraints", each.constraints}}}}});
    ASSERT_EQ(error_of(submitted), "") << each.what;
    const Json told = ask("explain", {{"number", submitted["ok"]["number"]}})["ok"];
    EXPECT_EQ(told["groups"][0]["verdict"], each.verdict) << each.what;
    EXPECT_EQ(told["groups"][0]["census"]["known"], 1) << each.what;
    EXPECT_EQ(told["not_up"].size(), each.drained ? 1u : 0u) << each.what;
  }
}

TEST_F(ControlExplain, SaysWhichNodeThatFitsTakesNoTasksAndForHowLong) {
  agent.hear_of(2, 16'000);
  agent.hear_facts(2, "osprey", 16'000);
  const std::uint32_t job = submit(1, 8000);
  sched::Facts drains{.request = 1, .name = "osprey", .incarnation = 1, .draining = true};
  drains.total = {.cpu = 16'000, .memory = 8192, .custom = {}};
  agent.hear(2, drains);
  agent.time += std::chrono::seconds(30);
  agent.hear(2, drains);
  Json told = ask("explain", {{"number", job}})["ok"];
  EXPECT_EQ(told["groups"][0]["census"]["aside"], 1);
  EXPECT_EQ(told["groups"][0]["verdict"],
      "the request is sound: it starts when a node that could fit takes tasks again: osprey "
      "(draining for 30s)");
  EXPECT_EQ(told["reason"], "no node that could fit takes tasks: osprey (draining for 30s)");
}

TEST_F(ControlExplain, ABusyNodeIsWaitedFor) {
  submit(1, 4000);
  agent.deliver();
  const std::uint32_t second = submit(1, 4000);
  agent.deliver();
  const Json group = ask("explain", {{"number", second}})["ok"]["groups"][0];
  EXPECT_EQ(group["verdict"], "the request is sound: it starts when one node has 4 cpu free");
  EXPECT_EQ(group["census"]["could_fit"], 1);
  EXPECT_EQ(group["census"]["fit_now"], 0);
  ASSERT_FALSE(group["probes"].empty());
  EXPECT_EQ(group["probes"][0]["holder_name"], "merlin");
  EXPECT_EQ(group["probes"][0]["queued"], true);
}

// "5 nodes have room for it: it starts within moments" was said by old news, while every probe
// stood in a queue.
TEST_F(ControlExplain, QueuedProbesKnowBetterThanOldNews) {
  agent.hear_of(2, 8000);
  const std::uint32_t job = submit(1, 8000);
  const auto group = [&] { return ask("explain", {{"number", job}})["ok"]["groups"][0]; };
  EXPECT_EQ(group()["verdict"],
      "the request is sound, and 1 node has room for it: it starts within moments");
  const auto& state = sched::frontend_of(agent.peer()).jobs().at(job);
  const std::vector<sched::Probe> probes = sched::frontend_of(agent.peer()).probes(state, 0);
  for (const sched::Probe& each : probes) {
    sched::Queued queued;
    queued.job = state.id();
    queued.probe = each.id;
    agent.hear(2, queued);
  }
  ASSERT_EQ(group()["probes"][0]["queued"], true);
  EXPECT_EQ(group()["census"]["fit_now"], 1);
  EXPECT_EQ(group()["verdict"],
      "the request is sound: it waits in the queues of nodes, and starts when one has 8 cpu free");
}

TEST_F(ControlExplain, AJobThatHasNothingToWaitFor) {
  const std::uint32_t job = submit(1);
  agent.deliver();
  EXPECT_EQ(ask("explain", {{"number", job}})["ok"]["groups"][0]["verdict"], "no task of it waits");
  EXPECT_EQ(error_of(ask("explain", {{"number", 7}})),
      "not_found: node merlin has no job 7; `dunlin jobs --all` lists those of the cluster");
}

}  // namespace
}  // namespace dunlin::node
