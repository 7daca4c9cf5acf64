// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <map>

#include "node/agent_options.h"
#include "node/store/results.h"
#include "tests/unit/node/control/home/relay_test.h"

// Processes that speak for users: docs/design/security.md, "Delegates".
namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Users as a test makes them up.
class KeptRights final : public RightsBook {
 public:
  const UserRights* find(const std::string& user) const override {
    const auto found = rights.find(user);
    return found == rights.end() ? nullptr : &found->second;
  }
  void look_up(const std::string& user) override { asked.push_back(user); }

  std::map<std::string, UserRights> rights;
  std::vector<std::string> asked;
};

class DelegatesTest : public RelayTest {
 protected:
  DelegatesTest() {
    agent.config.agent.delegates = "dunlin-slurm, dunlin-web";
    book.rights["alice"] = {.name = "alice"};
    book.rights["bob"] = {.name = "bob"};
    book.rights["root"] = {.name = "root", .administrator = true};
    book.rights["eve"] = {};
    gateway = open("dunlin-web");
  }
  std::unique_ptr<ControlSession> open(const std::string& user, bool administrator = false) {
    theirs = std::make_shared<FakeConnection>();  // The last one ends with its session.
    auto made = std::make_unique<ControlSession>(
        agent, theirs, Principal{.user = user, .administrator = administrator}, requests);
    made->look_up_by(book);
    theirs->say(R"({"verb":"hello","id":0,"newest":2})");
    return made;
  }
  void say(ControlSession& by, int id, const std::string& verb, Json request, const Json& speaker) {
    request["verb"] = verb;
    request["id"] = id;
    if (!speaker.is_null()) request["speaker"] = speaker;
    theirs->say(request.dump());
    by.advance();
  }
  /// The last reply to a request for that user; null if there is none yet.
  Json asked_for(const Json& user, const std::string& verb, Json request = Json::object()) {
    theirs->replies.clear();
    say(*gateway, 1, verb, std::move(request), user.is_string() ? Json{{"user", user}} : user);
    return theirs->replies.empty() ? Json(nullptr) : theirs->replies.back();
  }
  static Json job() {
    return {
        {"name", "train"}, {"allow_unsatisfiable", true}, {"groups", {{{"command", {"true"}}}}}};
  }
  std::uint32_t submitted_for(const Json& user) {
    const Json reply = asked_for(user, "submit", job());
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"]["number"].get<std::uint32_t>();
  }
  std::string owner_for(const Json& user) {
    const std::uint32_t number = submitted_for(user);
    return sched::frontend_of(agent.peer()).jobs().at(number).job().owner;
  }

  KeptRights book;
  std::shared_ptr<FakeConnection> theirs;
  std::unique_ptr<ControlSession> gateway;
};

TEST_F(DelegatesTest, ActForTheUserWhomTheyName) {
  const Json number = {{"number", submitted_for("alice")}};
  EXPECT_EQ(owner_for("bob"), "bob");
  EXPECT_EQ(error_of(asked_for("bob", "cancel", number)),
      "forbidden: job merlin." + number["number"].dump() +
          " belongs to alice, and you are bob; `dunlin jobs` shows its line");
  EXPECT_EQ(asked_for("alice", "cancel", number)["ok"]["cancelled"], 1);
}

TEST_F(DelegatesTest, AreBelievedNothingButTheName) {
  const Json on = {{"on", false}};
  EXPECT_THAT(error_of(asked_for("alice", "drain", on)), StartsWith("forbidden: "));
  EXPECT_THAT(error_of(asked_for(
                  {{"user", "alice"}, {"administrator", true}, {"delegate", "root"}}, "drain", on)),
      StartsWith("forbidden: administrators alone may do that, and you are alice"));
  EXPECT_THAT(error_of(asked_for("root", "audit_log")), "") << "whom the agent knows for one";
  // However a user is called by a delegate: the kernel calls that user alice.
  book.rights["ALICE"] = {.name = "alice"};
  EXPECT_EQ(owner_for("ALICE"), "alice");
}

TEST_F(DelegatesTest, ThatNameNobodyActForThemselves) {
  for (const Json& nobody : {Json(), Json::object(), Json{{"user", ""}}, Json{{"user", nullptr}},
           Json{{"user", "dunlin-web"}, {"administrator", true}}}) {
    EXPECT_EQ(owner_for(nobody), "dunlin-web") << nobody;
    EXPECT_THAT(error_of(asked_for(nobody, "drain", {{"on", false}})), StartsWith("forbidden: "));
    EXPECT_EQ(agent.noted.rows.back().delegate, "");
  }
}

TEST_F(DelegatesTest, MustNameUsersWhoAreThere) {
  EXPECT_EQ(error_of(asked_for("eve", "jobs")),
      "refused: dunlin-web speaks for user 'eve', and this machine has no such user");
  book.rights["carol"] = {.trouble = EIO};
  EXPECT_THAT(error_of(asked_for("carol", "jobs")), StartsWith("io: user 'carol', for whom"));
  EXPECT_THAT(error_of(asked_for(Json{{"user", 7}}, "jobs")), HasSubstr("'speaker.user' must be"));
  EXPECT_THAT(error_of(asked_for(Json(7), "jobs")), HasSubstr("'speaker' must be an object"));
}

TEST_F(DelegatesTest, AreThoseWhomTheAgentIsToldOf) {
  for (const char* const user : {"alice", "dunlin", "dunlin-web2", "root"}) {
    gateway = open(user, user == std::string("root"));
    EXPECT_THAT(error_of(asked_for("bob", "jobs")),
        StartsWith("forbidden: you are " + std::string(user) + ", and speak for user 'bob'"));
    EXPECT_EQ(owner_for(user), user) << "for itself whoever may";
  }
  gateway = open("dunlin-slurm");
  EXPECT_EQ(owner_for("bob"), "bob");
  agent.config.agent.delegates = "";
  gateway = open("");
  EXPECT_THAT(error_of(asked_for("bob", "jobs")), StartsWith("forbidden: "));
}

// A user's database may take long to answer, and requests keep their order meanwhile.
TEST_F(DelegatesTest, WaitUntilItIsKnownWhatTheUserMayDo) {
  book.rights.erase("alice");
  theirs->replies.clear();
  for (int id = 1; id <= 2; ++id) say(*gateway, id, "submit", job(), {{"user", "alice"}});
  EXPECT_TRUE(theirs->replies.empty());
  EXPECT_EQ(book.asked.front(), "alice");
  say(*gateway, 3, "submit", job(), {{"user", "bob"}});
  ASSERT_EQ(theirs->replies.size(), 1u) << "others go on";
  EXPECT_EQ(theirs->replies[0]["id"], 3);
  book.rights["alice"] = {.name = "alice"};
  // Before those that wait have heard of it: this one must not pass them.
  theirs->say(Json{{"verb", "jobs"}, {"id", 4}, {"speaker", {{"user", "alice"}}}}.dump());
  EXPECT_EQ(theirs->replies.size(), 1u);
  for (int turn = 0; turn < 3; ++turn) gateway->advance();
  std::vector<int> ids;
  for (const Json& reply : theirs->replies) ids.push_back(reply["id"].get<int>());
  EXPECT_THAT(ids, ElementsAre(3, 1, 2, 4));
  EXPECT_EQ(theirs->replies.back()["ok"]["jobs"].size(), 3u);
}

TEST_F(DelegatesTest, AreTakenAtTheirWordInTheLog) {
  const std::uint32_t number = submitted_for("alice");
  const ActionRow& row = agent.noted.rows.back();
  EXPECT_EQ(row.user, "alice");
  EXPECT_EQ(row.delegate, "dunlin-web");
  EXPECT_EQ(row.verb, "submit");
  EXPECT_FALSE(row.remote);
  asked_for("bob", "cancel", {{"number", number}});
  EXPECT_TRUE(agent.noted.rows.back().refused);
  EXPECT_EQ(agent.noted.rows.back().delegate, "dunlin-web");
  const Json log = asked_for("root", "audit_log", {{"user", "alice"}})["ok"]["actions"];
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0]["user"], "alice");
  EXPECT_EQ(log[0]["delegate"], "dunlin-web");
}

TEST_F(DelegatesTest, AreChargedAsTheUserWhomTheyName) {
  const auto account = [&](const char* user) { return agent.accounts.of(user); };
  const auto at = static_cast<std::size_t>(Place::client);
  gateway->hold(HeldPlace(Place::client, account("dunlin-web")));
  asked_for(Json(), "jobs");
  EXPECT_EQ(account("dunlin-web")->places[at], 1u) << "it has named nobody yet";
  const auto before = account("dunlin-web")->requests;
  asked_for("alice", "jobs");
  EXPECT_EQ(account("alice")->places[at], 1u);
  EXPECT_EQ(account("dunlin-web")->places[at], 0u);
  EXPECT_EQ(account("alice")->requests, 1u);
  EXPECT_EQ(account("dunlin-web")->requests, before);
  asked_for("bob", "jobs");
  EXPECT_EQ(account("bob")->requests, 1u);
  EXPECT_EQ(account("alice")->places[at], 1u) << "that of the first one named";
  // Followers are places, too; and quotas of jobs are each user's.
  asked_for("bob", "events", {{"follow", true}});
  EXPECT_EQ(account("bob")->places[static_cast<std::size_t>(Place::follower)], 1u);
  agent.config.agent.jobs_per_user = 1;
  submitted_for("alice");
  EXPECT_THAT(error_of(asked_for("alice", "submit", job())), StartsWith("quota: alice has 1 "));
  submitted_for("bob");
}

TEST_F(DelegatesTest, AreNamedToOtherAgents) {
  EXPECT_TRUE(asked_for("alice", "job", {{"job", "osprey.7"}}).is_null());
  EXPECT_EQ(heard()["speaker"],
      (Json{{"user", "alice"}, {"administrator", false}, {"delegate", "dunlin-web"}}));
  // And so another agent hears of it, which trusts this one as it does in all else.
  auto stream = std::make_shared<FakeConnection>();
  ControlSession far(agent, stream, Principal{.administrator = true, .remote = true}, requests);
  Json request = job();
  request["verb"] = "submit";
  request["id"] = 1;
  request["speaker"] = heard()["speaker"];
  stream->say(request.dump());
  EXPECT_EQ(agent.noted.rows.back().user, "alice");
  EXPECT_EQ(agent.noted.rows.back().delegate, "dunlin-web");
  EXPECT_TRUE(agent.noted.rows.back().remote);
}

}  // namespace
}  // namespace dunlin::node
