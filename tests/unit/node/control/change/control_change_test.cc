// SPDX-License-Identifier: MIT
#include "node/agent_options.h"
#include "node/control/control_handlers.h"
#include "node/store/results.h"
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// The verbs hold, release, requeue, retry and set.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class ControlChange : public ClientTest {
 protected:
  Json job(std::uint32_t number) { return ask("job", {{"number", number}})["ok"]; }
  std::string last_action() const {
    const ActionRow& row = agent.noted.rows.back();
    return row.verb + " " + row.object;
  }
};

TEST_F(ControlChange, AJobIsHeldAndReleased) {
  const auto number = submit(3);
  EXPECT_EQ(ask("hold", {{"number", number}})["ok"], Json({{"held", true}, {"waiting", 3}}));
  EXPECT_EQ(last_action(), "hold job 1");
  EXPECT_EQ(job(number)["state"], "held");
  EXPECT_EQ(job(number)["reason"], "on hold: it starts no task until `dunlin release merlin.1`");
  EXPECT_EQ(
      ask("explain", {{"number", number}})["ok"]["groups"][0]["verdict"], job(number)["reason"]);
  EXPECT_EQ(ask("jobs", {{"state", "held"}})["ok"]["totals"]["held"], 1);
  agent.deliver();
  EXPECT_TRUE(agent.executor.launches.empty());
  EXPECT_EQ(ask("release", {{"number", number}})["ok"], Json({{"held", false}, {"waiting", 3}}));
  EXPECT_EQ(job(number)["state"], "waiting");
  agent.deliver();
  EXPECT_EQ(agent.executor.launches.size(), 3u);
}

TEST_F(ControlChange, AJobIsSubmittedOnHold) {
  const Json reply = ask("submit", {{"hold", true}, {"groups", {{{"command", {"true"}}}}}});
  EXPECT_EQ(job(reply["ok"]["number"].get<std::uint32_t>())["state"], "held");
}

TEST_F(ControlChange, AnArrayIsATaskForEachIndex) {
  const auto error = [&](Json group) {
    group["command"] = {"true"};
    return error_of(ask("submit", {{"groups", {std::move(group)}}}));
  };
  EXPECT_EQ(error({{"array", "4-8:2%1"}}), "");
  const Json tasks = ask("tasks", {{"number", 1}})["ok"]["tasks"];
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[2]["entry"], "8");
  EXPECT_EQ(job(1)["groups"][0]["at_once"], 1);
  agent.deliver();
  EXPECT_EQ(agent.executor.launches.size(), 1u);
  EXPECT_EQ(ask("explain", {{"number", 1}})["ok"]["groups"][0]["verdict"],
      "at most 1 of its tasks run at once, and so many do: the next starts when one of them ends");
  EXPECT_THAT(error({{"array", "9-1"}}), HasSubstr("'9-1' ends before it begins"));
  EXPECT_THAT(error({{"array", "1-9"}, {"count", 2}}), HasSubstr("array' must be given without"));
}

TEST_F(ControlChange, WithoutTasksNamedThoseThatFailedOrWereCancelledRunAgain) {
  const auto number = submit(3);
  ask("cancel", {{"number", number}, {"tasks", {0, 2}}});
  EXPECT_EQ(ask("retry", {{"number", number}, {"failed", true}})["ok"], Json({{"retried", 0}}));
  EXPECT_EQ(ask("retry", {{"number", number}})["ok"], Json({{"retried", 2}}));
  EXPECT_EQ(last_action(), "retry job 1, 2 tasks");
  EXPECT_EQ(job(number)["counts"]["waiting"], 3);
  ask("cancel", {{"number", number}});
  EXPECT_EQ(job(number)["state"], "cancelled");
  EXPECT_EQ(ask("retry", {{"number", number}, {"tasks", {1}}})["ok"], Json({{"retried", 1}}));
  EXPECT_EQ(job(number)["finished"], false);
  EXPECT_EQ(job(number)["counts"]["cancelled"], 2);
}

// Its attempt goes on until it is known that the node is down, and nobody should wait for that
// unawares.
TEST_F(ControlChange, ARequeueNamesNodesThatDoNotAnswer) {
  agent.hear_of(2, 8000);
  agent.hear_facts(2, "osprey", 8000);
  const auto number = submit(2, 8000);  // More than this node has.
  const sched::JobId id = sched::frontend_of(agent.peer()).jobs().at(number).id();
  agent.hear(2,
      sched::GetTask{.job = id, .group = 0, .probe = 1, .request = 1, .incarnation = 1, .room = 2});
  ASSERT_EQ(job(number)["counts"]["running"], 2);
  EXPECT_EQ(ask("requeue", {{"number", number}, {"tasks", {0}}})["ok"],
      Json({{"requeued", 1}, {"silent_nodes", Json::array()}}));
  agent.time += std::chrono::seconds(20);
  ask("nodes");
  agent.time = session.due();
  ASSERT_EQ(advance()["ok"]["nodes"][1]["state"], "suspect");
  const Json told = ask("requeue", {{"number", number}, {"tasks", {1}}})["ok"];
  EXPECT_EQ(told["requeued"], 1);
  ASSERT_EQ(told["silent_nodes"].size(), 1u);
  EXPECT_THAT(told["silent_nodes"][0].get<std::string>(), HasSubstr("osprey (suspect"));
}

TEST_F(ControlChange, WhatIsSetIsTold) {
  const auto number = submit(1);
  agent.time += std::chrono::seconds(40);
  const auto submitted = job(number)["submitted_at_ns"].get<std::int64_t>();
  EXPECT_EQ(
      ask("set", {{"number", number}, {"priority", 7}, {"deadline_ns", 60'000'000'000}})["ok"],
      Json({{"priority", 7}, {"deadline_ns", 100'000'000'000},
          {"due_at_ns", submitted + 100'000'000'000}}))
      << "a request counts from now";
  EXPECT_EQ(last_action(), "set job 1, priority 7, a deadline");
  EXPECT_EQ(job(number)["priority"], 7);
  EXPECT_EQ(ask("set", {{"number", number}, {"deadline_ns", 0}})["ok"],
      Json({{"priority", 7}, {"deadline_ns", 0}, {"due_at_ns", 0}}));
  EXPECT_EQ(job(number)["priority"], 7);
}

TEST_F(ControlChange, AWrongRequestChangesNothing) {
  const auto number = submit(2);
  const std::pair<const char*, Json> wrong[] = {{"hold", {{"number", 9}}},
      {"retry", {{"number", number}, {"tasks", {2}}}},
      {"retry", {{"number", number}, {"tasks", {0}}}}, {"set", {{"number", number}}},
      {"set", {{"number", number}, {"priority", 101}}},
      {"set", {{"number", number}, {"deadline_ns", -1}}}};
  const std::string errors[] = {"node merlin has no job 9", "'tasks' must be a list of the job's",
      "has not ended: cancel it first", "'priority' must be given, or 'deadline_ns'",
      "'priority' must be a whole number from 0 to 100", "'deadline_ns' must be a whole number"};
  for (std::size_t i = 0; i < std::size(errors); ++i) {
    EXPECT_THAT(error_of(ask(wrong[i].first, wrong[i].second)), HasSubstr(errors[i]));
  }
  EXPECT_EQ(job(number)["state"], "waiting");
  agent.error = "the disk is full";
  EXPECT_EQ(error_of(ask("hold", {{"number", number}})),
      "io: held, but this could not be stored yet: the disk is full");
}

// The priority that users may have, and their quotas, hold for a job that is there already.
TEST_F(ControlChange, LimitsOfUsersHold) {
  agent.config.agent.jobs_per_user = 1;
  ControlSession alice(agent, connection, {.user = "alice"}, requests);
  const auto ask_as_alice = [&](const char* verb, Json request) {
    request["verb"] = verb;
    request["id"] = 1;
    connection->replies.clear();
    connection->say(request.dump());
    alice.advance();
    return connection->replies.back();
  };
  const Json one = {{"allow_unsatisfiable", true}, {"groups", {{{"command", {"true"}}}}}};
  ask_as_alice("submit", one);
  EXPECT_THAT(error_of(ask_as_alice("set", {{"number", 1}, {"priority", 51}})),
      HasSubstr("(agent.priority_max)"));
  EXPECT_EQ(error_of(ask_as_alice("set", {{"number", 1}, {"priority", 50}})), "");
  ask_as_alice("cancel", {{"number", 1}});
  ask_as_alice("submit", one);
  EXPECT_THAT(
      error_of(ask_as_alice("retry", {{"number", 1}})), HasSubstr("agent.jobs_per_user is 1"));
  ask_as_alice("cancel", {{"number", 2}});
  EXPECT_EQ(ask_as_alice("retry", {{"number", 1}})["ok"], Json({{"retried", 1}}));
}

}  // namespace
}  // namespace dunlin::node
