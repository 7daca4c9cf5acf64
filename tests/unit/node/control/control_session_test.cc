// SPDX-License-Identifier: MIT
#include "node/control/control_session.h"

#include <cstddef>

#include "node/control/control_protocol.h"
#include "tests/unit/node/control/client_test.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

using ControlSessionTest = ClientTest;

TEST_F(ControlSessionTest, RefusesWhatIsNoRequest) {
  const std::pair<const char*, const char*> cases[] = {
      {"nonsense", "usage: a request must be one JSON object"},
      {"[1]", "usage: a request must be one JSON object"},
      {R"({"verb": "jobs"})", "usage: a request must have a number as its 'id'"},
      {R"({"verb": "jobs", "id": "one"})", "usage: a request must have a number as its 'id'"},
      {R"({"verb": "dance", "id": 1})",
          "usage: unknown verb 'dance'; is the agent older than the client?"},
      {R"({"id": 1})", "usage: unknown verb ''; is the agent older than the client?"},
  };
  for (const auto& [text, error] : cases) {
    connection->say(text);
    EXPECT_EQ(error_of(connection->replies.back()), error) << text;
  }
  EXPECT_EQ(requests, std::size(cases)) << "every request counts";
}

TEST_F(ControlSessionTest, RepliesCarryTheNumberOfTheirRequest) {
  connection->say(R"({"verb": "jobs", "id": 7})");
  const Json reply = advance();
  EXPECT_EQ(reply["id"], 7);
  EXPECT_EQ(reply["ok"]["jobs"], Json::array());
  EXPECT_EQ(reply["end"], true);
}

TEST_F(ControlSessionTest, StopEndsTheRequestThatItNames) {
  agent.hear_of(2, 4000);
  EXPECT_EQ(ask("nodes"), nullptr) << "it waits for the other node";
  EXPECT_EQ(ask("stop", {{"request", 1}})["ok"], Json::object());
  agent.time += std::chrono::minutes(1);
  connection->replies.clear();
  EXPECT_EQ(advance(), nullptr);
  EXPECT_EQ(session.due(), overlay::kNever);
}

TEST_F(ControlSessionTest, OneConnectionHasOnlySoManyRequestsUnderWay) {
  agent.hear_of(2, 4000);
  for (std::size_t i = 0; i < kControlStreamsMax; ++i) EXPECT_EQ(ask("nodes"), nullptr);
  EXPECT_THAT(error_of(ask("nodes")), HasSubstr("refused: too many requests under way"));
}

}  // namespace
}  // namespace dunlin::node
