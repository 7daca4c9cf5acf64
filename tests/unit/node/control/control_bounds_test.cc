// SPDX-License-Identifier: MIT
#include <chrono>
#include <set>
#include <stdexcept>

#include "node/control/control_protocol.h"
#include "tests/unit/node/control/client_test.h"

// One client against all others: what it says can neither kill an agent nor hold it up.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class ControlBoundsTest : public ClientTest {
 protected:
  /// The error of a request that is said as it stands.
  std::string error_of_text(const std::string& text) {
    connection->replies.clear();
    connection->say(text);
    return error_of(advance());
  }
};

TEST_F(ControlBoundsTest, RefusesADeepRequest) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(error_of_text(R"({"verb":"job","id":1,"job":"99","x":)" + deep + "}"),
      "usage: a request is refused that is nested deeper than 64 levels");
  EXPECT_EQ(error_of(ask("jobs")), "") << "it goes on";
}

TEST_F(ControlBoundsTest, RefusesAnObjectOfManyMembersAtOnce) {
  std::string members;
  for (int i = 0; i < 200'000; ++i) members += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of_text(R"({"verb":"hello","id":1,"newest":1,"x":{)" + members + "}}"),
      "usage: a request is refused that is an object of more than 4096 members");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

TEST_F(ControlBoundsTest, RefusesAMemberThatIsSaidTwice) {
  EXPECT_EQ(error_of_text(R"({"verb":"jobs","id":1,"verb":"drain"})"),
      "usage: a request is refused that is an object that says 'verb' twice");
}

TEST_F(ControlBoundsTest, ManyVariablesAreReadInOnePass) {
  Json environment = Json::object();
  for (int i = 0; i < 1024; ++i) environment["V" + std::to_string(i)] = "x";
  const Json job = {{"allow_unsatisfiable", true},
      {"groups", {{{"command", {"true"}}, {"environment", environment}}}}};
  EXPECT_EQ(error_of(ask("submit", job)), "");
  environment["V"] = "one too many";
  EXPECT_EQ(error_of(ask(
                "submit", {{"groups", {{{"command", {"true"}}, {"environment", environment}}}}})),
      "usage: 'groups[0].environment' must be an object of at most 1024 members");
}

TEST_F(ControlBoundsTest, ANumberThatIsRepeatedCountsOnce) {
  const auto number = submit(1);
  Json numbers = Json::array();
  for (int i = 0; i < 100'000; ++i) numbers.push_back(number);
  EXPECT_EQ(ask("wait", {{"numbers", numbers}, {"progress", true}})["ok"]["progress"].size(), 1u);
}

TEST_F(ControlBoundsTest, AFaultIsTheAnswerToItsRequestAlone) {
  std::string told;
  agent.accounts.on_fault([&](const Account&, std::string_view verb, std::string_view fault) {
    told = std::string(verb) + ": " + std::string(fault);
  });
  agent.hear_of(2, 4000);
  agent.dial = [](const overlay::Endpoint&) -> std::shared_ptr<ControlConnection> {
    throw std::runtime_error("out of order");
  };
  EXPECT_THAT(error_of(ask("job", {{"at", "0000000000000002"}, {"number", 3}})),
      HasSubstr("io: this agent has a fault, and could not do that (out of order)"));
  EXPECT_EQ(told, "job: out of order");
  EXPECT_EQ(session.account()->failed, 1u);
  EXPECT_EQ(error_of(ask("jobs")), "") << "it goes on";
}

TEST_F(ControlBoundsTest, ABatchOfRequestsGivesWay) {
  agent.pace = 1ms;
  ControlSession greedy(agent, connection, Principal{.user = "mallory"}, requests);
  for (int i = 0; i < 100; ++i) connection->say(R"({"verb":"hello","id":1,"newest":1})");
  EXPECT_LE(connection->replies.size(), 4u);
  EXPECT_TRUE(connection->paused) << "it has to wait with more";
  EXPECT_LE(greedy.due(), agent.now()) << "the rest is for the next turn";

  const auto theirs = std::make_shared<FakeConnection>();
  ControlSession other(agent, theirs, Principal{.user = "alice"}, requests);
  theirs->say(R"({"verb":"hello","id":1,"newest":1})");
  EXPECT_EQ(theirs->replies.size(), 1u) << "in the same turn";

  for (int turn = 0; turn < 100 && connection->paused; ++turn) {
    agent.accounts.begin_turn();
    const std::size_t before = connection->replies.size();
    greedy.advance();
    EXPECT_LE(connection->replies.size() - before, 4u);
  }
  EXPECT_EQ(connection->replies.size(), 100u) << "none is lost";
  EXPECT_FALSE(connection->paused);
  EXPECT_EQ(greedy.due(), overlay::kNever);
}

TEST_F(ControlBoundsTest, RequestsUnderWayTakeTurns) {
  const auto number = submit(1);
  agent.pace = 1ms;
  ControlSession greedy(agent, connection, Principal{.user = "mallory"}, requests);
  connection->replies.clear();
  for (int id = 1; id <= 10; ++id) {
    agent.accounts.begin_turn();
    connection->say(
        Json{{"verb", "wait"}, {"id", id}, {"numbers", {number}}, {"progress", true}}.dump());
  }
  std::set<std::int64_t> served;
  for (int turn = 0; turn < 10; ++turn) {
    agent.accounts.begin_turn();
    connection->replies.clear();
    greedy.advance();
    EXPECT_LE(connection->replies.size(), 3u);
    for (const Json& reply : connection->replies) served.insert(reply["id"].get<std::int64_t>());
  }
  EXPECT_EQ(served.size(), 10u) << "none is passed over for good";
}

TEST_F(ControlBoundsTest, AFloodOfQuestionsAsksTheNodesOnce) {
  agent.hear_of(2, 4000);
  const auto asked = [&] {
    return std::ranges::count_if(agent.scheduling.sent,
        [](const auto& each) { return each.first.id == overlay::PeerId{2}; });
  };
  const auto before = asked();
  for (int i = 0; i < 200; ++i) {
    connection->say(Json{{"verb", "nodes"}, {"id", i}}.dump());
    agent.time += 10us;
  }
  EXPECT_LE(asked() - before, Census::kBurst);
  agent.time += 2 * kNodesWait;
  connection->replies.clear();
  advance();
  agent.time += 2 * kNodesWait;
  advance();
  EXPECT_EQ(connection->replies.size(), 200u) << "all are answered";
}

TEST_F(ControlBoundsTest, OneUserFollowsWithOnlySoMany) {
  ControlSession mallory(agent, connection, Principal{.user = "mallory"}, requests);
  const auto follow = [&](ControlSession& who, int id) {
    connection->replies.clear();
    connection->say(Json{{"verb", "events"}, {"id", id}, {"follow", true}}.dump());
    who.advance();
    return error_of(connection->replies.back());
  };
  for (int id = 1; id <= 8; ++id) EXPECT_EQ(follow(mallory, id), "");
  EXPECT_THAT(follow(mallory, 9),
      HasSubstr("refused: 8 clients follow the events of this agent, 8 of them of one user"));
  ControlSession bob(agent, connection, Principal{.user = "bob"}, requests);
  EXPECT_EQ(follow(bob, 1), "");
}

}  // namespace
}  // namespace dunlin::node
