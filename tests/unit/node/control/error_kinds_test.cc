// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>

#include "node/control/control_protocol.h"
#include "node/control/stopping.h"
#include "node/ids.h"
#include "tests/unit/node/control/home/relay_test.h"

// Kinds of errors that version 2 of the protocol has, and what clients and agents of version 1 make
// of them.
namespace dunlin::node {
namespace {

constexpr ErrorKind kNewer[] = {
    ErrorKind::forbidden, ErrorKind::busy, ErrorKind::quota, ErrorKind::conflict};
constexpr ErrorKind kOlder[] = {ErrorKind::usage, ErrorKind::not_found, ErrorKind::refused,
    ErrorKind::io, ErrorKind::corrupt, ErrorKind::timeout, ErrorKind::elsewhere};

/// What a client of that version is told.
Json told(const Error& error, std::uint32_t protocol) {
  FakeConnection connection;
  Reply(connection, 1, protocol).fail(error);
  return connection.replies.back()["error"];
}
/// The same, where another agent says it.
Json passed(Json error, std::uint32_t protocol) {
  FakeConnection connection;
  EXPECT_FALSE(Reply(connection, 1, protocol).pass({{"id", 9}, {"error", std::move(error)}}));
  EXPECT_EQ(connection.replies.back()["id"], 1);
  return connection.replies.back()["error"];
}

TEST(ControlErrorKinds, OfVersion2AreRefusedToClientsOfVersion1) {
  for (const ErrorKind kind : kNewer) {
    const std::string word(word_of(kind));
    EXPECT_EQ(told({kind, "no"}, 1), (Json{{"kind", "refused"}, {"text", "no"}})) << word;
    EXPECT_EQ(told({kind, "no"}, 2), (Json{{"kind", word}, {"text", "no"}}));
    EXPECT_EQ(passed({{"kind", word}, {"text", "no"}}, 1)["kind"], "refused") << word;
    EXPECT_EQ(passed({{"kind", word}, {"text", "no"}}, 2)["kind"], word);
  }
}

TEST(ControlErrorKinds, OfVersion1AreTheSameToAll) {
  for (const ErrorKind kind : kOlder) {
    const std::string word(word_of(kind));
    for (const std::uint32_t protocol : {1u, 2u}) {
      EXPECT_EQ(told({kind, "no"}, protocol)["kind"], word);
      EXPECT_EQ(passed({{"kind", word}, {"text", "no"}}, protocol)["kind"], word);
      EXPECT_EQ(told(about_to_stop("soon"), protocol)["kind"], "stopping");
      EXPECT_EQ(told(never_given("none"), protocol)["never"], true);
      // Of an agent that is newer than this one, or odd.
      EXPECT_EQ(passed({{"kind", "full"}}, protocol)["kind"], "full");
      EXPECT_EQ(passed({{"kind", 7}}, protocol)["kind"], 7);
      EXPECT_TRUE(passed(nullptr, protocol).is_null());
    }
  }
}

TEST(ControlErrorKinds, ABusyAgentSaysWhenToComeAgain) {
  EXPECT_EQ(too_busy("no room", 5).value(), (Error{ErrorKind::busy, "no room", 0, 5}));
  for (const std::uint32_t protocol : {1u, 2u}) {
    EXPECT_EQ(told({ErrorKind::busy, "no", 0, 5}, protocol)["retry_ns"], 5);
    EXPECT_FALSE(told({ErrorKind::busy, "no"}, protocol).contains("retry_ns"));
    EXPECT_EQ(passed({{"kind", "busy"}, {"retry_ns", 5}}, protocol)["retry_ns"], 5);
  }
}

/// A client of merlin, which passes requests on to osprey; and bob, who may do less.
class ControlErrorKindsTest : public RelayTest {
 protected:
  void speak(int version) {
    EXPECT_EQ(ask("hello", {{"newest", version}})["ok"]["protocol"], std::min(version, 2));
  }
  /// The kind of the error that bob is answered with; he speaks that version, if it is none of 0.
  std::string told_bob(int version, const std::string& verb, Json request) {
    auto theirs = std::make_shared<FakeConnection>();
    ControlSession session(agent, theirs, Principal{.user = "bob"}, requests);
    if (version != 0) {
      theirs->say(Json{{"verb", "hello"}, {"id", 1}, {"newest", version}}.dump());
    }
    request["verb"] = verb;
    request["id"] = 2;
    theirs->say(request.dump());
    session.advance();
    Json last = theirs->replies.back();
    const Json error = verb == "subscribe" ? last["ok"]["jobs"][0]["error"] : last["error"];
    return error.is_object() ? error["kind"].get<std::string>() : "";
  }
};

TEST_F(ControlErrorKindsTest, AClientSaysWhichVersionItSpeaks) {
  const Json number = {{"number", submit(1)}};
  for (const auto& [version, kind] : {std::pair(0, "refused"), std::pair(1, "refused"),
           std::pair(2, "forbidden"), std::pair(99, "forbidden")}) {
    SCOPED_TRACE(version);
    EXPECT_EQ(told_bob(version, "cancel", number), kind);
    EXPECT_EQ(told_bob(version, "drain", {{"on", true}}), kind);
    EXPECT_EQ(told_bob(version, "profiles", {{"owner", "alice"}}), kind);
  }
}

TEST_F(ControlErrorKindsTest, ASubscriptionTellsItsErrorsSo) {
  const std::uint32_t number = submit(1);
  const std::string name = to_string(agent.id()) + "." + std::to_string(number);
  const Json wishes = {{"jobs", Json::array({{{"job", name}}})}};
  EXPECT_EQ(told_bob(1, "subscribe", wishes), "refused");
  EXPECT_EQ(told_bob(2, "subscribe", wishes), "forbidden");
}

TEST_F(ControlErrorKindsTest, EachMeaningHasItsOwn) {
  agent.config.agent.jobs_per_user = 1;
  const Json job = {{"allow_unsatisfiable", true}, {"groups", {{{"command", {"true"}}}}}};
  EXPECT_EQ(told_bob(2, "submit", job), "");
  EXPECT_EQ(told_bob(2, "submit", job), "quota");
  EXPECT_EQ(told_bob(1, "submit", job), "refused");
  agent.config.agent.jobs_per_user = 0;
  Json urgent = job;
  urgent["groups"][0]["priority"] = 99;
  EXPECT_EQ(told_bob(2, "submit", urgent), "forbidden");
  Json large = job;
  large.erase("allow_unsatisfiable");
  large["groups"][0]["demand"] = {{"cpu_milli", 900'000}};
  EXPECT_EQ(told_bob(2, "submit", large), "refused") << "no node could run it";
  speak(2);
  const Json number = {{"number", submit(1)}};
  ask("cancel", number);
  EXPECT_THAT(error_of(ask("hold", number)), ::testing::StartsWith("conflict: "));
}

TEST_F(ControlErrorKindsTest, ManyRequestsOnOneConnectionAreTooManyForAMoment) {
  speak(2);
  const Json number = {{"numbers", {submit(1)}}};
  for (std::size_t id = 1; id <= kControlStreamsMax; ++id) {
    Json request = number;
    request["verb"] = "wait";
    request["id"] = 1000 + id;
    agent.accounts.begin_turn();
    connection->say(request.dump());
  }
  agent.accounts.begin_turn();
  const Json reply = ask("wait", number);
  EXPECT_THAT(error_of(reply), ::testing::StartsWith("busy: too many requests"));
  EXPECT_GT(reply["error"]["retry_ns"], 0);
}

TEST_F(ControlErrorKindsTest, OtherAgentsAreToldWhichVersionThisOneSpeaks) {
  ask("job", {{"job", "osprey.7"}});
  const auto said = [&](const char* verb) {
    return std::ranges::find_if(
        home->replies, [verb](const Json& each) { return each["verb"] == verb; });
  };
  ASSERT_NE(said("hello"), home->replies.end());
  EXPECT_EQ(*said("hello"),
      (Json{{"verb", "hello"}, {"id", 0}, {"newest", 2},
          {"speaker", {{"user", ""}, {"administrator", true}}}}));
  EXPECT_LT(said("hello"), said("job")) << "or the first error would be one of version 1";
}

// The far agent is newer than the client, or older, or both are new.
TEST_F(ControlErrorKindsTest, ErrorsOfOtherAgentsReachEachClientAsItUnderstandsThem) {
  std::uint64_t id = 0;
  const auto far = [&](const char* kind) {
    EXPECT_TRUE(ask("job", {{"job", "osprey.7"}}).is_null());
    answer({{"id", ++id}, {"error", {{"kind", kind}, {"text", "no"}}}});
    return error_of(advance());
  };
  EXPECT_EQ(far("forbidden"), "refused: no") << "it said no hello";
  EXPECT_EQ(far("refused"), "refused: no");
  speak(1);
  EXPECT_EQ(far("busy"), "refused: no");
  EXPECT_EQ(far("quota"), "refused: no");
  speak(2);
  for (const char* const kind : {"forbidden", "busy", "quota", "conflict", "refused", "usage"}) {
    EXPECT_EQ(far(kind), std::string(kind) + ": no");
  }
  EXPECT_EQ(dialed.size(), 1u);
}

// An agent older than `hello` calls it a wrong request, which is no answer to anything else.
TEST_F(ControlErrorKindsTest, AnAgentThatKnowsNoHelloIsUnderstood) {
  EXPECT_TRUE(ask("job", {{"job", "osprey.7"}}).is_null());
  answer({{"id", 0}, {"error", {{"kind", "usage"}, {"text", "unknown verb 'hello'"}}}});
  EXPECT_TRUE(advance().is_null());
  answer({{"id", 1}, {"ok", {{"name", "a"}}}, {"end", true}});
  EXPECT_EQ(advance()["ok"]["name"], "a");
}

}  // namespace
}  // namespace dunlin::node
