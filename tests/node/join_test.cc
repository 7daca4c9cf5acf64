// SPDX-License-Identifier: MIT
#include <chrono>
#include <gmock/gmock.h>
#include <regex>
#include <thread>

#include "tests/node/agent_world.h"

// Contacts with names: some that resolve, some that do not.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

TEST_F(AgentWorld, AContactThatDoesNotResolveStopsNothing) {
  TestAgent& first = add("a");
  const std::string port = std::to_string(first.port());
  agents.push_back(std::make_unique<TestAgent>("b", home + "/b", key,
      std::vector<std::string>{"--join=no-such-host.invalid,localhost:" + port}));
  TestAgent& second = *agents.back();
  second.start();
  second.wait_until_up();
  wait_for_nodes(second, 2);
  EXPECT_TRUE(
      eventually([&] { return second.log().find("contact_unresolved") != std::string::npos; }));
  // It is asked again after a second and after two more, and is named once.
  std::this_thread::sleep_for(std::chrono::seconds(4));
  const std::string log = second.log();
  const std::regex told("contact_unresolved host=no-such-host.invalid");
  EXPECT_EQ(std::distance(std::sregex_iterator(log.begin(), log.end(), told), {}), 1) << log;
  EXPECT_THAT(log, HasSubstr("cure="));
}

TEST_F(AgentWorld, AContactThatIsNoAddressIsRefused) {
  agents.push_back(std::make_unique<TestAgent>(
      "a", home + "/a", key, std::vector<std::string>{"--join=host:port:x,10.0.0.1:y"}));
  agents[0]->start();
  EXPECT_EQ(agents[0]->wait(), 2);
  EXPECT_THAT(agents[0]->log(), HasSubstr("agent.join: '10.0.0.1:y': 'y' is no port"));
}

}  // namespace
}  // namespace dunlin::node
