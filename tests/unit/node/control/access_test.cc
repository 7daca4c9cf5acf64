// SPDX-License-Identifier: MIT
#include <map>
#include <set>

#include "node/agent_options.h"
#include "node/store/results.h"
#include "tests/unit/node/control/client_test.h"

// Who may make which request, verb by verb: docs/design/control-protocol.md, "Who may ask what".
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

/// Clients of one agent, each another user.
class AccessTest : public ::testing::Test {
 protected:
  struct Client {
    explicit Client(AgentServices& agent, Principal who)
        : session(agent, connection, std::move(who), requests) {}

    Json ask(const std::string& verb, Json request = Json::object()) {
      request["verb"] = verb;
      request["id"] = 1;
      connection->replies.clear();
      connection->say(request.dump());
      session.advance();
      return connection->replies.empty() ? Json(nullptr) : connection->replies.back();
    }
    bool refused(const std::string& verb, const Json& request) {
      const Json reply = ask(verb, request);
      return reply.is_object() && reply.contains("error") && reply["error"]["kind"] == "refused";
    }

    std::shared_ptr<FakeConnection> connection = std::make_shared<FakeConnection>();
    std::uint64_t requests = 0;
    ControlSession session;
  };

  static Json job_of(int priority = 50, const std::string& owner = "") {
    return {{"name", "train"}, {"owner", owner}, {"allow_unsatisfiable", true},
        {"groups", {{{"command", {"secret"}}, {"priority", priority}}}}};
  }
  static Json asked_by(Json request, const std::string& user, bool administrator) {
    request["speaker"] = {{"user", user}, {"administrator", administrator}};
    return request;
  }
  const ActionRow& last_action() const { return agent.noted.rows.back(); }

  FakeAgent agent;
  Client alice{agent, {.user = "alice"}};
  Client bob{agent, {.user = "bob"}};
  Client root{agent, {.user = "root", .administrator = true}};
  Client stream{agent, {.administrator = true, .remote = true}};
};

/// A request that is sound but for who makes it.
Json request_of(const std::string& verb, std::uint32_t job) {
  if (verb == "submit" || verb == "submit_begin") return {{"groups", {{{"command", {"true"}}}}}};
  if (verb == "drain") return {{"on", false}};
  if (verb == "profile_forget") return {{"all", true}};
  if (verb == "share_set") return {{"set", {{{"name", "gold"}, {"weight", 5}}}}};
  if (verb == "plan_set") return {{"policy", "deadline"}};
  if (verb == "cells_write_off") return {{"cell", "0123456789abcdef"}};
  if (verb == "node_forget" || verb == "node") return {{"node", "heron"}};
  if (verb == "take_over") return {{"job", "1"}};
  if (verb == "find") return {{"name", "1"}};
  if (verb == "wait") return {{"numbers", {job}}};
  if (verb == "set") return {{"number", job}, {"priority", 40}};
  return {{"number", job}};
}

// Every verb × owner, other, administrator, holder of the key, and users that agents speak for.
TEST_F(AccessTest, EachVerbIsForWhomThePageSays) {
  const std::set<std::string> of_owner = {"job", "tasks", "timeline", "task_bins", "explain",
      "watch", "output", "attach", "cancel", "hold", "release", "requeue", "retry", "set"};
  const std::set<std::string> of_administrators = {"drain", "node_forget", "share_set", "plan_set",
      "cells_write_off", "take_over", "audit_log", "attach_here"};
  for (const std::string_view each : control_verbs()) {
    const std::string verb(each);
    SCOPED_TRACE(verb);
    const Json accepted = alice.ask("submit", job_of());
    const Json request = request_of(verb, accepted["ok"]["number"].get<std::uint32_t>());
    const bool owned = of_owner.contains(verb);
    const bool ruled = of_administrators.contains(verb);
    const auto refused = [&](const Principal& who, const Json& said) {
      return Client(agent, who).refused(verb, said);
    };
    const Principal key{.administrator = true, .remote = true};
    EXPECT_EQ(refused({.user = "bob"}, request), owned || ruled);
    EXPECT_EQ(refused(key, asked_by(request, "bob", false)), owned || ruled);
    EXPECT_EQ(refused({.user = "alice"}, request), ruled);
    EXPECT_EQ(refused(key, asked_by(request, "alice", false)), ruled);
    EXPECT_FALSE(refused({.user = "root", .administrator = true}, request));
    EXPECT_FALSE(refused(key, asked_by(request, "carol", true)));
    EXPECT_FALSE(refused(key, request)) << "whoever holds the key";
  }
}

TEST_F(AccessTest, WhoAsksIsToldWhetherThatIsAnAdministrator) {
  const Json alices = alice.ask("whoami")["ok"];
  EXPECT_EQ(alices, (Json{{"user", "alice"}, {"administrator", false}}));
  EXPECT_EQ(root.ask("whoami")["ok"]["administrator"], true);
  EXPECT_EQ(stream.ask("whoami")["ok"], (Json{{"user", ""}, {"administrator", true}}));
  const Json told = stream.ask("whoami", asked_by(Json::object(), "bob", false))["ok"];
  EXPECT_EQ(told, (Json{{"user", "bob"}, {"administrator", false}}));
}

// What a user's jobs take is that user's business.
TEST_F(AccessTest, UsersSeeAndForgetTheirOwnProfiles) {
  for (const char* const owner : {"alice", "bob"})
    agent.profiles.put({owner, "train", ""}, {.tasks = 1});
  const auto seen = [](Client& client, const Json& request = Json::object()) {
    return client.ask("profiles", request)["ok"]["profiles"].size();
  };
  EXPECT_EQ(seen(alice), 1u);
  EXPECT_EQ(seen(root), 2u);
  EXPECT_EQ(seen(root, {{"owner", "bob"}}), 1u);
  EXPECT_TRUE(alice.refused("profiles", {{"owner", "bob"}}));
  EXPECT_TRUE(alice.refused("profile_forget", {{"owner", "bob"}, {"all", true}}));
  EXPECT_EQ(alice.ask("profile_forget", Json::object())["error"]["kind"], "usage");
  EXPECT_EQ(alice.ask("profile_forget", {{"job", "other"}})["error"]["kind"], "not_found");
  EXPECT_EQ(alice.ask("profile_forget", {{"job", "train"}})["ok"]["forgotten"], 1);
  EXPECT_EQ(last_action().verb, "profile_forget");
  EXPECT_EQ(seen(root), 1u);
}

TEST_F(AccessTest, ARefusalSaysWhoseTheJobIs) {
  alice.ask("submit", job_of());
  const Json reply = bob.ask("cancel", {{"number", 1}});
  EXPECT_EQ(reply["error"]["text"],
      "job merlin.1 belongs to alice, and you are bob; `dunlin jobs` shows its line");
  EXPECT_THAT(bob.ask("drain", {{"on", true}})["error"]["text"].get<std::string>(),
      HasSubstr("root, members of the group dunlin-admin, and holders of the cluster key"));
  EXPECT_EQ(root.ask("cancel", {{"number", 1}})["ok"]["cancelled"], 1);
}

// The kernel names the user of a local client; what the client says of itself does not count.
TEST_F(AccessTest, AJobBelongsToItsSpeaker) {
  const auto owner = [&](Client& client, const Json& request) {
    const Json reply = client.ask("submit", request);
    const Json number = {{"number", reply["ok"]["number"]}};
    return root.ask("job", number)["ok"]["owner"].get<std::string>();
  };
  EXPECT_EQ(owner(alice, job_of(50, "bob")), "alice");
  EXPECT_TRUE(alice.refused("submit", asked_by(job_of(), "root", true))) << "she is no delegate";
  EXPECT_EQ(owner(alice, asked_by(job_of(), "alice", true)), "alice");
  EXPECT_EQ(owner(root, job_of(50, "bob")), "root");
  EXPECT_EQ(owner(stream, job_of(50, "bob")), "bob") << "a holder of the key says whose it is";
  EXPECT_EQ(owner(stream, asked_by(job_of(50, "bob"), "alice", false)), "alice");
  EXPECT_TRUE(bob.refused("cancel", asked_by({{"number", 1}}, "root", true)));
}

TEST_F(AccessTest, OthersSeeTheLineOfAJobAndNotWhatItRuns) {
  alice.ask("submit", job_of());
  const sched::Report ended = {.index = 0,
      .attempt = 1,
      .outcome = sched::Outcome::not_found,
      .detail = "command 'secret' not found"};
  agent.rows.push_back({.report = ended, .worker = {.value = 1}});
  agent.deliver();
  agent.hear(1, sched::Message(sched::Done{.job = {1}, .reports = {agent.rows.front().report}}));
  for (const char* const verb : {"jobs", "top"}) {
    Json request = {{"all", true}};
    const std::string seen = bob.ask(verb, request).dump();
    EXPECT_THAT(seen, HasSubstr("train")) << verb;
    EXPECT_THAT(seen, ::testing::Not(HasSubstr("secret"))) << verb;
  }
  EXPECT_THAT(alice.ask("job", {{"number", 1}}).dump(), HasSubstr("secret"));
}

TEST_F(AccessTest, PriorityIsBoundedForUsersAlone) {
  EXPECT_EQ(alice.ask("submit", job_of(51))["error"]["text"],
      "priority 51 is for administrators; others may ask for 50 at most (agent.priority_max)");
  EXPECT_TRUE(stream.refused("submit", asked_by(job_of(51), "alice", false)));
  EXPECT_FALSE(root.refused("submit", job_of(100)));
  EXPECT_FALSE(stream.refused("submit", job_of(100)));
  agent.config.agent.priority_max = 60;
  EXPECT_FALSE(alice.refused("submit", job_of(60)));
}

TEST_F(AccessTest, QuotasCountUnfinishedJobsAndTasksOfOneUser) {
  agent.config.agent.jobs_per_user = 2;
  EXPECT_FALSE(alice.refused("submit", job_of()));
  EXPECT_FALSE(alice.refused("submit", job_of()));
  EXPECT_EQ(alice.ask("submit", job_of())["error"]["text"],
      "alice has 2 unfinished jobs at this agent, and agent.jobs_per_user is 2; wait for some to "
      "end, submit to another node, or ask an administrator");
  EXPECT_FALSE(bob.refused("submit", job_of()));
  EXPECT_FALSE(root.refused("submit", job_of()));
  alice.ask("cancel", {{"number", 1}});
  EXPECT_FALSE(alice.refused("submit", job_of())) << "one has ended";

  agent.config.agent.jobs_per_user = 0;
  agent.config.agent.tasks_per_user = 12;
  Json ten = job_of();
  ten["groups"][0]["count"] = 10;
  EXPECT_FALSE(alice.refused("submit", ten)) << "2 + 10";
  EXPECT_TRUE(alice.refused("submit", job_of()));
}

TEST_F(AccessTest, QuotasCountTheBytesOfWhatIsUnfinished) {
  agent.config.agent.job_mebibytes_per_user = 1;
  Json large = job_of();
  const std::string word(60'000, 'x');
  large["groups"][0]["command"] = {"echo", word, word, word};
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(alice.refused("submit", large)) << i;
  EXPECT_THAT(alice.ask("submit", large)["error"]["text"].get<std::string>(),
      HasSubstr("agent.job_mebibytes_per_user is 1"));
  EXPECT_FALSE(alice.refused("submit", job_of())) << "a small one has room";
  EXPECT_FALSE(bob.refused("submit", large));
  EXPECT_FALSE(root.refused("submit", large));
  alice.ask("cancel", {{"number", 1}});
  EXPECT_FALSE(alice.refused("submit", large)) << "one has ended";
}

// A job that comes in pieces takes memory long before it is one: with two uploads on each of its
// connections a user could have an agent hold forty times what its jobs may have.
TEST_F(AccessTest, UploadsCountWhileTheyAreUnderWay) {
  agent.config.agent.job_mebibytes_per_user = 1;
  const auto begin = [](Client& who) {
    return who.ask("submit_begin",
        {{"allow_unsatisfiable", true},
            {"groups", {{{"command", {"echo", "%{ENTRY}"}}, {"count", 0}}}}})["ok"]["upload"];
  };
  const Json lines(10, std::string(60'000, 'x'));
  const auto add = [&](Client& who, const Json& upload) {
    return who.ask("submit_lines", {{"upload", upload}, {"lines", lines}});
  };
  const Json first = begin(alice);
  EXPECT_TRUE(add(alice, first).contains("ok"));
  EXPECT_GT(agent.accounts.of("alice")->upload_bytes, 600'000u);
  Client elsewhere(agent, {.user = "alice"});
  const Json second = begin(elsewhere);
  EXPECT_THAT(add(elsewhere, second)["error"]["text"].get<std::string>(),
      HasSubstr("alice has 1 MiB of unfinished uploads at this agent, and "
                "agent.job_mebibytes_per_user is 1"));
  EXPECT_EQ(add(elsewhere, second)["error"]["text"], "no upload 1 here");
  EXPECT_TRUE(add(bob, begin(bob)).contains("ok"));
  const Json of_root = begin(root);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(add(root, of_root).contains("ok"));

  EXPECT_EQ(alice.ask("submit_end", {{"upload", first}})["ok"]["tasks"], 10);
  EXPECT_EQ(agent.accounts.of("alice")->upload_bytes, 0u);
  {
    Client leaves(agent, {.user = "alice"});
    EXPECT_TRUE(add(leaves, begin(leaves)).contains("ok"));
  }
  EXPECT_EQ(agent.accounts.of("alice")->upload_bytes, 0u) << "uploads end with their connection";
}

// It is no job yet as long as the homes of those before it are asked.
TEST_F(AccessTest, AnUploadCountsUntilItIsAJob) {
  agent.hear_of(2, 4000);
  agent.hear_facts(2, "osprey", 4000);
  const Json upload = alice.ask("submit_begin",
      {{"after_jobs", {{{"job", "osprey.7"}, {"when", "ok"}}}}, {"allow_unsatisfiable", true},
          {"groups", {{{"command", {"echo", "%{ENTRY}"}}, {"count", 0}}}}})["ok"]["upload"];
  alice.ask("submit_lines", {{"upload", upload}, {"lines", Json(10, std::string(60'000, 'x'))}});
  EXPECT_EQ(alice.ask("submit_end", {{"upload", upload}}), nullptr);
  EXPECT_GT(agent.accounts.of("alice")->upload_bytes, 600'000u);
}

TEST_F(AccessTest, ATaskOfNoCpuIsRefused) {
  Json none = job_of();
  none["groups"][0]["demand"] = {{"cpu_milli", 0}};
  EXPECT_EQ(alice.ask("submit", none)["error"]["kind"], "usage");
}

TEST_F(AccessTest, TheLogTellsWhoDidWhatAndWhatWasRefused) {
  alice.ask("submit", job_of());
  EXPECT_EQ(last_action().user, "alice");
  EXPECT_EQ(last_action().verb, "submit");
  EXPECT_EQ(last_action().object, "job 1 (train), 1 task");
  bob.ask("cancel", {{"number", 1}});
  EXPECT_EQ(last_action().user, "bob");
  EXPECT_EQ(last_action().object, "job 1");
  EXPECT_TRUE(last_action().refused);
  stream.ask("cancel", asked_by({{"number", 1}}, "alice", false));
  EXPECT_EQ(last_action().user, "alice");
  EXPECT_TRUE(last_action().remote);
  EXPECT_FALSE(last_action().refused);
  const Json log = root.ask("audit_log", {{"user", "alice"}})["ok"];
  ASSERT_EQ(log["actions"].size(), 2u);
  EXPECT_EQ(log["actions"][0]["verb"], "cancel") << "newest first";
  EXPECT_EQ(log["actions"][1]["object"], "job 1 (train), 1 task");
}

}  // namespace
}  // namespace dunlin::node
