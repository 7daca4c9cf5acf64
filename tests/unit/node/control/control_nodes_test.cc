// SPDX-License-Identifier: MIT
#include "node/agent_options.h"
#include "node/control/control_handlers.h"
#include "tests/unit/node/control/client_test.h"

// The verbs status, params, nodes, top and drain.
namespace dunlin::node {
namespace {

using ControlNodes = ClientTest;

TEST_F(ControlNodes, StatusIsOfTheAgentAndItsPeer) {
  submit(1);
  const Json status = ask("status")["ok"];
  EXPECT_EQ(status["name"], "merlin");
  EXPECT_EQ(status["cluster"], "test");
  EXPECT_EQ(status["uptime_ns"], 60'000'000'000);
  EXPECT_EQ(status["state"], "up");
  EXPECT_EQ(status["jobs"], 1);
  EXPECT_EQ(status["store_error"], nullptr);
  EXPECT_EQ(status["counters"]["commits"], 3);
  agent.error = "the disk is full";
  EXPECT_EQ(ask("status")["ok"]["store_error"], "the disk is full");
}

TEST_F(ControlNodes, StatusTellsTheRoomOnItsDisk) {
  EXPECT_TRUE(ask("status")["ok"]["disk"].is_null());
  agent.disk = {.size = 1000, .free = 60, .needed = 50};
  const Json disk = ask("status")["ok"]["disk"];
  EXPECT_EQ(disk, Json({{"size_bytes", 1000}, {"free_bytes", 60}, {"needed_bytes", 50}}));
}

TEST_F(ControlNodes, StatusCountsTheNodesThatAreMissed) {
  agent.ask_for_facts();
  agent.hear_of(2, 8000);
  agent.hear_of(3, 8000);
  agent.hear_facts(2, "osprey", 8000);
  agent.hear_facts(3, "heron", 8000);
  Json states = ask("status")["ok"]["node_states"];
  EXPECT_EQ(states["up"], 3) << states;
  EXPECT_EQ(states["down"], 0);
  // A node that said good-bye is not missed.
  agent.hear_farewell(2);
  states = ask("status")["ok"]["node_states"];
  EXPECT_EQ(states["up"], 2) << states;
  EXPECT_EQ(states["down"], 0);
  // One that falls silent is.
  agent.time += std::chrono::seconds(20);
  ask("nodes");
  agent.time = session.due();
  advance();
  states = ask("status")["ok"]["node_states"];
  EXPECT_EQ(states["suspect"], 1) << states;
}

TEST_F(ControlNodes, StatusTellsHowLongAJobWaitsForItsFirstTask) {
  const auto wait = [this] { return ask("status")["ok"]["longest_wait_ns"]; };
  EXPECT_EQ(wait(), 0);
  const std::uint32_t number = submit(2, 64'000);  // No node here is so large.
  agent.time += std::chrono::seconds(90);
  submit(1, 64'000);
  EXPECT_EQ(wait(), 90'000'000'000);
  ask("hold", {{"number", number}});
  EXPECT_EQ(wait(), 0) << "one on hold does not wait for room";
  ask("release", {{"number", number}});
  EXPECT_EQ(wait(), 90'000'000'000);
  ask("cancel", {{"number", number}});
  EXPECT_EQ(wait(), 0);
}

TEST_F(ControlNodes, ParamsTellTheValueInEffect) {
  agent.config.agent.name = "merlin";
  const Json params = ask("params")["ok"]["params"];
  const auto name =
      std::ranges::find(params, "agent.name", [](const Json& each) { return each["key"]; });
  ASSERT_NE(name, params.end());
  EXPECT_EQ((*name)["value"], "merlin");
  EXPECT_EQ((*name)["default"], "");
}

TEST_F(ControlNodes, ANodeAloneAnswersAtOnce) {
  const Json reply = ask("nodes")["ok"];
  EXPECT_EQ(reply["self"], "0000000000000001");
  ASSERT_EQ(reply["nodes"].size(), 1u);
  EXPECT_EQ(reply["nodes"][0]["name"], "merlin");
  EXPECT_EQ(reply["nodes"][0]["state"], "up");
  EXPECT_EQ(reply["nodes"][0]["free"]["cpu_milli"], 4000);
}

TEST_F(ControlNodes, OthersAreAskedAndWaitedForALittle) {
  agent.hear_of(2, 8000);
  EXPECT_EQ(ask("nodes"), nullptr);
  ASSERT_EQ(agent.scheduling.sent.size(), 1u);
  EXPECT_EQ(agent.scheduling.sent[0].first.id.value, 2u);
  EXPECT_TRUE(std::holds_alternative<sched::FactsRequest>(agent.scheduling.sent[0].second));
  agent.hear_facts(2, "osprey", 8000);
  const Json nodes = advance()["ok"]["nodes"];
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1]["name"], "osprey");
  EXPECT_EQ(nodes[1]["facts"], true);
  EXPECT_EQ(nodes[1]["free"]["cpu_milli"], 1000);
}

TEST_F(ControlNodes, ASilentNodeIsListedAsGossipHasIt) {
  agent.hear_of(2, 8000);
  EXPECT_EQ(ask("nodes"), nullptr);
  agent.time = session.due();
  const Json node = advance()["ok"]["nodes"][1];
  EXPECT_EQ(node["name"], "0000000000000002");
  EXPECT_EQ(node["facts"], false);
  EXPECT_EQ(node["state"], "up");
  EXPECT_EQ(node["free"]["cpu_milli"], 8000);

  agent.time += std::chrono::seconds(20);
  ask("nodes");
  agent.time = session.due();
  const Json suspect = advance()["ok"]["nodes"][1];
  EXPECT_EQ(suspect["state"], "suspect");
  EXPECT_EQ(suspect["free"], nullptr);
}

TEST_F(ControlNodes, ANodeThatCannotBeReachedWhereItSaysIsNamedWithTheCure) {
  agent.hear_of(2, 8000);
  agent.unreached[{2}] = {.told = overlay::Address::v4(0xac110001, 7700),
      .works = overlay::Address::v4(0x0a000002, 7700)};
  agent.notes = {"osprey and heron tell others one address"};
  EXPECT_EQ(ask("nodes"), nullptr);
  agent.hear_facts(2, "osprey", 8000);
  const Json reply = advance()["ok"];
  EXPECT_EQ(reply["address_notes"][0], "osprey and heron tell others one address");
  EXPECT_EQ(reply["nodes"][0]["unreachable"], nullptr);
  const Json node = reply["nodes"][1];
  EXPECT_EQ(node["state"], "unreachable");
  EXPECT_EQ(node["unreachable"]["told"], "172.17.0.1:7700");
  EXPECT_EQ(node["unreachable"]["reached_at"], "10.0.0.2:7700");
  EXPECT_NE(node["unreachable"]["what"].get<std::string>().find("--advertise 10.0.0.2:7700"),
      std::string::npos);
}

TEST_F(ControlNodes, ANodeThatSaysNothingHasTheNameThatItHadBefore) {
  agent.hear_of(2, 8000);
  agent.remembered[{2}] = "osprey";
  EXPECT_EQ(ask("nodes"), nullptr);
  agent.time = session.due();
  EXPECT_EQ(advance()["ok"]["nodes"][1]["name"], "osprey");
}

TEST_F(ControlNodes, ANameThatIsAskedForIsWaitedForALittle) {
  agent.asking_names = true;
  EXPECT_EQ(ask("nodes"), nullptr);
  agent.asking_names = false;
  EXPECT_EQ(advance()["ok"]["nodes"].size(), 1u);
}

// Sums and a grid, by the same knowledge as the list has.
TEST_F(ControlNodes, BinsCountWhatTheListTells) {
  agent.hear_of(2, 8000);
  agent.asking_names = true;  // Names are not told, so they are not waited for.
  EXPECT_EQ(ask("node_bins"), nullptr);
  agent.hear_facts(2, "osprey", 8000);
  const Json told = advance()["ok"];
  EXPECT_EQ(told["self"], "0000000000000001");
  EXPECT_EQ(told["total"], 2);
  EXPECT_EQ(told["totals"], (Json{{"up", 2}}));
  EXPECT_EQ(told["capacity"]["cpu_milli"], 12'000);
  EXPECT_EQ(told["capacity"]["cpu_free_milli"], 5000);
  ASSERT_EQ(told["cells"].size(), 2u);
  EXPECT_EQ(told["cells"][0], (Json{{"memory", 0}, {"cpu", 0}, {"nodes", {{"up", 1}}}}));
  EXPECT_EQ(told["cells"][1], (Json{{"memory", 10}, {"cpu", 17}, {"nodes", {{"up", 1}}}}));

  agent.time += std::chrono::seconds(20);
  ask("node_bins");
  agent.time = session.due();
  const Json later = advance()["ok"];
  EXPECT_EQ(later["totals"]["suspect"], 1);
  EXPECT_EQ(later["cells"].size(), 1u) << "nobody knows what is free at a node that is silent";
  EXPECT_EQ(later["capacity"]["cpu_milli"], 4000);
}

// A wrong key, a firewall and another family of addresses look alike.
TEST_F(ControlNodes, AnAgentThatFindsNoContactSaysSo) {
  for (const char* const verb : {"nodes", "status"}) {
    EXPECT_EQ(ask(verb)["ok"]["not_joined"], "") << verb;
  }
  agent.alone = "not joined: 10.0.0.7:7700 has not answered for 20 s";
  agent.time += std::chrono::seconds(1);  // Whoever asks at the same moment shares an answer.
  for (const char* const verb : {"nodes", "status"}) {
    EXPECT_EQ(ask(verb)["ok"]["not_joined"], agent.alone) << verb;
  }
}

TEST_F(ControlNodes, ASickNodeSaysWhy) {
  EXPECT_EQ(ask("status")["ok"]["sick"], "");
  agent.fall_sick("the disk is full");
  const Json status = ask("status")["ok"];
  EXPECT_EQ(status["state"], "sick");
  EXPECT_EQ(status["sick"], "the disk is full");
  const Json node = ask("nodes")["ok"]["nodes"][0];
  EXPECT_EQ(node["state"], "sick");
  EXPECT_EQ(node["sick"], "the disk is full");
}

TEST_F(ControlNodes, SlotsAreCountedByWhatTheyDo) {
  const Json available = {{"all", 4}, {"available", 4}, {"occupied", 0}, {"busy", 0}, {"down", 0}};
  const Json down = {{"all", 4}, {"available", 0}, {"occupied", 0}, {"busy", 0}, {"down", 4}};
  EXPECT_EQ(ask("status")["ok"]["slots"], available);
  EXPECT_EQ(ask("nodes")["ok"]["nodes"][0]["slots"], available);
  agent.time += std::chrono::seconds(1);  // Whoever asks at the same moment shares an answer.
  agent.fall_sick("the disk is full");
  EXPECT_EQ(ask("status")["ok"]["slots"], down);
  EXPECT_EQ(ask("nodes")["ok"]["nodes"][0]["slots"], down);
}

TEST_F(ControlNodes, TopTellsOfUnfinishedJobs) {
  const std::uint32_t ended = submit(1);
  submit(2);
  ask("cancel", {{"number", ended}});
  const Json top = ask("top")["ok"];
  EXPECT_EQ(top["status"]["name"], "merlin");
  EXPECT_EQ(top["nodes"].size(), 1u);
  ASSERT_EQ(top["jobs"].size(), 1u);
  EXPECT_EQ(top["jobs"][0]["tasks"], 2);
}

TEST_F(ControlNodes, DrainSaysWhatIsWrong) {
  agent.hear_of(2, 4000);
  agent.hear_facts(2, "osprey", 4000);
  agent.hear_of(3, 4000);
  agent.hear_facts(3, "osprey", 4000);
  const std::pair<Json, const char*> cases[] = {
      {Json::object(), "usage: 'on' must be true or false"},
      {{{"on", "yes"}}, "usage: 'on' must be true or false"},
      {{{"on", true}, {"node", "heron"}}, "not_found: no node 'heron'; `dunlin nodes` lists them"},
      {{{"on", true}, {"node", "osprey"}}, "usage: 2 nodes are called 'osprey'; name it by its id"},
  };
  for (const auto& [request, error] : cases) {
    EXPECT_EQ(error_of(ask("drain", request)), error) << request;
  }
}

TEST_F(ControlNodes, DrainsItsOwnNodeAtOnce) {
  agent.ask_for_facts();  // Its own facts are then in its list, too.
  EXPECT_EQ(ask("drain", {{"on", true}})["ok"],
      Json({{"node", "0000000000000001"}, {"name", "merlin"}, {"draining", true}, {"running", 0}}));
  EXPECT_EQ(ask("status")["ok"]["state"], "draining");
  ask("drain", {{"on", false}, {"node", "merlin"}});
  EXPECT_EQ(ask("status")["ok"]["state"], "up");
}

TEST_F(ControlNodes, ADrainSaysWhoWhenAndWhy) {
  agent.ask_for_facts();
  ask("drain", {{"on", true}, {"reason", "new disk"}, {"lasts_ns", 1'000'000'000}});
  const Json drain = ask("status")["ok"]["drain"];
  EXPECT_EQ(drain["reason"], "new disk");
  EXPECT_THAT(drain["by"].get<std::string>(), ::testing::EndsWith("@merlin"));
  EXPECT_GT(drain["since_ns"].get<std::int64_t>(), 0);
  EXPECT_EQ(
      drain["until_ns"].get<std::int64_t>() - drain["since_ns"].get<std::int64_t>(), 1'000'000'000);
  // As a client does that waits for the last task.
  ask("drain", {{"on", true}});
  EXPECT_EQ(ask("status")["ok"]["drain"], drain);
  ask("drain", {{"on", false}});
  EXPECT_EQ(ask("status")["ok"]["drain"], nullptr);
  EXPECT_THAT(error_of(ask("drain", {{"on", false}, {"reason", "x"}})),
      ::testing::HasSubstr("'on' must be true, where a reason or an end is given"));
}

TEST_F(ControlNodes, AsksAnotherNodeToDrainUntilItAnswers) {
  agent.hear_of(2, 4000);
  agent.hear_facts(2, "osprey", 4000);
  EXPECT_EQ(ask("drain", {{"on", true}, {"node", "osprey"}}), nullptr);
  agent.time = session.due();
  EXPECT_EQ(advance(), nullptr);
  EXPECT_EQ(agent.scheduling.sent.size(), 2u) << "asked again";
  session.requests().on_drain_reply({3}, {.request = 1, .running = 9});
  EXPECT_EQ(advance(), nullptr) << "another node's answer is none";
  session.requests().on_drain_reply({2}, {.request = 1, .running = 5});
  EXPECT_EQ(advance()["ok"]["running"], 5);
}

TEST_F(ControlNodes, ANodeThatDoesNotAnswerTimesOut) {
  agent.hear_of(2, 4000);
  EXPECT_EQ(ask("drain", {{"on", true}, {"node", "0000000000000002"}}), nullptr);
  agent.time += std::chrono::seconds(2);
  EXPECT_EQ(error_of(advance()), "timeout: 0000000000000002 does not answer");
}

}  // namespace
}  // namespace dunlin::node
