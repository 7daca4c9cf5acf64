// SPDX-License-Identifier: MIT
#include "node/control/after/after_jobs.h"

#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class AfterJobsTest : public ClientTest {
 protected:
  static Json waiting_for(const std::string& job, const std::string& when = "ok") {
    return {{"after_jobs", {{{"job", job}, {"when", when}}}}, {"allow_unsatisfiable", true},
        {"groups", {{{"command", {"true"}}}}}};
  }
  /// Node 2, "osprey", answers the last question that it was asked.
  void answer(sched::JobEnd told) {
    const auto& sent = agent.scheduling.sent;
    for (auto each = sent.rbegin(); each != sent.rend(); ++each) {
      const auto* const asked = std::get_if<sched::EndRequest>(&each->second);
      if (asked == nullptr) continue;
      told.request = asked->request;
      told.job = asked->job;
      told.job.lineage = 77;
      session.requests().on_job_end({{2}, address_of(2)}, told);
      return;
    }
    ADD_FAILURE() << "it was not asked";
  }
  void know_osprey() {
    agent.hear_of(2, 4000);
    agent.hear_facts(2, "osprey", 4000);
  }
};

TEST_F(AfterJobsTest, AJobOfThisNodeIsFoundAtOnce) {
  const auto first = submit(1);
  const Json reply = ask("submit", waiting_for("1"));
  EXPECT_EQ(error_of(reply), "");
  const Json job = ask("job", {{"number", reply["ok"]["number"]}})["ok"];
  EXPECT_EQ(job["after_jobs"][0]["name"], "merlin." + std::to_string(first));
  EXPECT_EQ(job["after_jobs"][0]["state"], "open");
  EXPECT_EQ(job["reason"], "waits for job merlin.1 to succeed");
  EXPECT_EQ(job["state"], "waiting");
  const Json explained = ask("explain", {{"number", reply["ok"]["number"]}})["ok"];
  EXPECT_EQ(explained["groups"][0]["verdict"], "waits for job merlin.1 to succeed");
}

TEST_F(AfterJobsTest, LastIsTheNewestOfThisNode) {
  EXPECT_EQ(error_of(ask("submit", waiting_for("last"))),
      "not_found: --after: there is no last job here to wait for");
  submit(1);
  submit(1);
  const Json reply = ask("submit", waiting_for("last", "any"));
  const Json job = ask("job", {{"number", reply["ok"]["number"]}})["ok"];
  EXPECT_EQ(job["reason"], "waits for job merlin.2 to end");
}

TEST_F(AfterJobsTest, MistakesAreRefusedWithTheirCure) {
  EXPECT_THAT(error_of(ask("submit", waiting_for("7"))),
      HasSubstr("not_found: cannot wait for job 7: node merlin has no such job. It never was, or "
                "ended so long ago that it is forgotten: leave it out"));
  EXPECT_THAT(error_of(ask("submit", waiting_for("osprey.7"))),
      HasSubstr("not_found: --after: no node 'osprey' is known here"));
  EXPECT_EQ(error_of(ask("submit", waiting_for("7", "never"))),
      "usage: 'after_jobs[0].when' must be ok, any, failed or started");
  submit(1);
  Json twice = waiting_for("1");
  twice["after_jobs"].push_back({{"job", "1"}});
  EXPECT_EQ(error_of(ask("submit", twice)), "usage: --after: job 1 is named twice");
  EXPECT_EQ(ask("jobs")["ok"]["jobs"].size(), 1u) << "a refused job leaves no trace";
}

TEST_F(AfterJobsTest, AJobOfAnotherNodeIsAskedAfterThere) {
  know_osprey();
  EXPECT_EQ(ask("submit", waiting_for("osprey.7")), nullptr) << "not before it is known";
  answer({.standing = sched::JobStanding::open, .tasks = 3, .home = {}});
  const Json reply = advance();
  EXPECT_EQ(error_of(reply), "");
  const Json job = ask("job", {{"number", reply["ok"]["number"]}})["ok"];
  EXPECT_EQ(job["after_jobs"][0]["job"], "0000000000000002.7");
  EXPECT_EQ(job["after_jobs"][0]["name"], "osprey.7");
  const auto* const state = sched::find_job(agent.peer(), agent.id(), 1);
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(state->job().after_jobs[0].job.lineage, 77u) << "another of that number is another";
  EXPECT_EQ(state->job().after_jobs[0].address, address_of(2));
}

TEST_F(AfterJobsTest, AJobThatItsHomeDoesNotKnowIsRefused) {
  know_osprey();
  ask("submit", waiting_for("osprey.7"));
  answer({.standing = sched::JobStanding::unknown, .home = {}});
  EXPECT_THAT(error_of(advance()),
      HasSubstr("not_found: cannot wait for job osprey.7: node osprey has no such job"));
}

TEST_F(AfterJobsTest, ASilentHomeIsNamed) {
  know_osprey();
  EXPECT_EQ(ask("submit", waiting_for("osprey.7")), nullptr);
  const auto end = agent.time + std::chrono::seconds(3);
  Json reply;
  while (agent.time < end && reply.is_null()) {
    agent.time = std::max(session.due(), agent.time + std::chrono::milliseconds(1));
    reply = advance();
  }
  EXPECT_THAT(error_of(reply), HasSubstr("timeout: cannot wait for job osprey.7: node osprey (up"));
  EXPECT_THAT(error_of(reply), HasSubstr("does not answer, and no other has the job"));
  EXPECT_LE(agent.time, end - std::chrono::seconds(1));
}

TEST_F(AfterJobsTest, WhatIsSaidAgainDoesNotAskAgain) {
  submit(1);
  Json keyed = waiting_for("1");
  keyed["key"] = "0123456789abcdef0123456789abcdef";
  const Json first = ask("submit", keyed)["ok"];
  keyed["after_jobs"][0]["job"] = "99";  // As if it was forgotten meanwhile.
  EXPECT_EQ(ask("submit", keyed)["ok"], first);
}

TEST_F(AfterJobsTest, AJobThatWasCancelledByAnotherSaysWhich) {
  submit(1);
  const Json reply = ask("submit", waiting_for("1"));
  ask("cancel", {{"number", 1}});
  agent.time += std::chrono::seconds(1);
  agent.self.wake(agent.host());
  agent.deliver();
  const Json job = ask("job", {{"number", reply["ok"]["number"]}})["ok"];
  EXPECT_EQ(job["state"], "cancelled");
  EXPECT_EQ(job["cancelled_by"], "after");
  EXPECT_EQ(job["after_jobs"][0]["state"], "missed");
  EXPECT_EQ(
      job["reason"], "job merlin.1, which it waited for, did not succeed, which cancelled 1 task");
}

}  // namespace
}  // namespace dunlin::node
