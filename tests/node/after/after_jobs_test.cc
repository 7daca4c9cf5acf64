// SPDX-License-Identifier: MIT
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sstream>
#include <thread>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Jobs that wait for jobs of other agents, and commands that are run when a job has ended, with
// real agents that die in between.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class AfterJobsTest : public AgentWorld {
 protected:
  void start_two() {
    for (const char* const name : {"n0", "n1"}) add(name);
    for (const auto& agent : agents) agent->wait_until_up();
    for (const auto& agent : agents) wait_for_nodes(*agent, 2);
    wait_for_name();
  }
  /// n1 knows the name of n0.
  void wait_for_name() {
    EXPECT_TRUE(eventually(
        [&] { return n1().client().call(request("find", {{"name", "n0.1"}})).contains("ok"); }));
  }
  TestAgent& n0() { return *agents[0]; }
  TestAgent& n1() { return *agents[1]; }
  static Json after(const std::string& job, const std::string& when = "ok") {
    return {{"after_jobs", {{{"job", job}, {"when", when}}}}};
  }
  static Json on_end(const std::string& script) {
    return {{"on_end", {{"command", {"sh", "-c", script}}}}};
  }
  /// Submits `count` tasks of `sh -c script`, with more members of the job; returns its number.
  static std::uint32_t submit_job(
      TestAgent& at, const std::string& script, int count, const Json& more) {
    Json said = {{"groups",
        Json::array({{{"command", {"sh", "-c", script}}, {"count", count},
            {"demand", {{"cpu_milli", 500}, {"memory_mib", 16}}}}})}};
    said.update(more);
    return at.client().ok(request("submit", std::move(said)))["number"];
  }
  static Json job(TestAgent& at, std::uint32_t number) {
    return at.client().ok(request("job", {{"number", number}}));
  }
  static void restart(TestAgent& agent) {
    agent.kill9();
    agent.start();
    agent.wait_until_up();
  }
  std::string text_of(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(home + "/" + name).rdbuf();
    return text.str();
  }
};

TEST_F(AfterJobsTest, AJobStartsWhenThatOfAnotherNodeHasSucceeded) {
  start_two();
  const auto first = submit(n0(),
      "while ! test -e " + home + "/go; do sleep 0.05; done; date +%s%N > " + home + "/first", 1);
  const auto second =
      submit_job(n1(), "date +%s%N > " + home + "/second", 1, after("n0." + std::to_string(first)));
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(job(n1(), second)["reason"], "waits for job n0.1 to succeed");
  restart(n1());
  wait_for_name();
  restart(n0());
  std::ofstream(home + "/go") << "";
  EXPECT_EQ(finish(n1(), second)["done"], 1);
  EXPECT_LT(std::stoll(text_of("first")), std::stoll(text_of("second")));
  EXPECT_EQ(job(n1(), second)["after_jobs"][0]["state"], "met");
}

TEST_F(AfterJobsTest, AFailureCancelsUnlessAnyEndWillDo) {
  start_two();
  const auto first = submit(n0(), "sleep 1; exit 3", 1);
  const std::string name = "n0." + std::to_string(first);
  const auto strict = submit_job(n1(), "true", 2, after(name));
  const auto any = submit_job(n1(), "true", 2, after(name, "any"));
  EXPECT_EQ(finish(n1(), any)["done"], 2);
  EXPECT_EQ(finish(n1(), strict)["cancelled"], 2);
  EXPECT_EQ(job(n1(), strict)["cancelled_by"], "after");
  const auto shown = run_dunlin(n1().socket(), {"job", std::to_string(strict)});
  EXPECT_THAT(shown.out, HasSubstr("job n0.1: did not succeed"));
  EXPECT_THAT(shown.out, HasSubstr("which cancelled 2 tasks"));
  // It has ended already, and that is known at once.
  const auto late = submit_job(n1(), "true", 1, after(name, "any"));
  EXPECT_EQ(finish(n1(), late)["done"], 1);
}

TEST_F(AfterJobsTest, AJobMayStartSoLongAfterAnotherBegan) {
  start_two();
  const auto first = submit(n0(), "sleep 1000", 1);
  const std::string name = "n0." + std::to_string(first);
  EXPECT_TRUE(eventually([&] { return job(n0(), first)["counts"]["running"] == 1; }));
  const ProgramRun ran =
      run_dunlin(n1().socket(), {"run", "-q", "--after", name + ":started+5s", "--", "echo", "up"});
  EXPECT_EQ(ran.out, "up\n") << ran.err;
  EXPECT_GT(ran.seconds, 1.0);
  EXPECT_THAT(run_dunlin(n1().socket(), {"job", "last"}).out, HasSubstr("job n0.1: has begun"));
  EXPECT_THAT(
      run_dunlin(n1().socket(), {"job", "last", "--file"}).out, HasSubstr(":started+5s\"]\n"));
  const auto waits = submit_job(n1(), "true", 1,
      {{"after_jobs", {{{"job", name}, {"when", "started"}, {"delay_ns", 3'600'000'000'000}}}}});
  EXPECT_EQ(job(n1(), waits)["reason"], "waits for job n0.1 to have begun 1h ago");
  restart(n1());
  EXPECT_EQ(job(n1(), waits)["after_jobs"][0]["delay_ns"], 3'600'000'000'000);
  EXPECT_EQ(job(n1(), waits)["after_jobs"][0]["state"], "open");
}

TEST_F(AfterJobsTest, AJobMayRunOnlyIfAnotherFails) {
  start_two();
  const auto bad = submit(n0(), "sleep 1; exit 3", 1);
  const auto good = submit(n0(), "sleep 1", 1);
  const auto mends = submit_job(n1(), "true", 1, after("n0." + std::to_string(bad), "failed"));
  const auto in_vain = submit_job(n1(), "true", 1, after("n0." + std::to_string(good), "failed"));
  EXPECT_EQ(finish(n1(), mends)["done"], 1);
  EXPECT_EQ(finish(n1(), in_vain)["cancelled"], 1);
  EXPECT_EQ(job(n1(), mends)["after_jobs"][0]["when"], "failed");
  EXPECT_THAT(run_dunlin(n1().socket(), {"job", std::to_string(mends)}).out,
      HasSubstr("job n0." + std::to_string(bad) + ": has failed"));
  EXPECT_THAT(run_dunlin(n1().socket(), {"job", std::to_string(in_vain)}).out,
      HasSubstr("which it waited for, did not fail"));
}

TEST_F(AfterJobsTest, AHomeThatIsGoneIsNamed) {
  start_two();
  const auto first = submit(n0(), "sleep 30", 1);
  const auto second = submit_job(n1(), "true", 1, after("n0." + std::to_string(first)));
  n0().kill9();
  EXPECT_TRUE(eventually([&] {
    const auto reason = job(n1(), second)["reason"].get<std::string>();
    return reason.find("node n0 (") != std::string::npos &&
        reason.find("does not answer, and is asked again") != std::string::npos;
  }));
  const auto refused = run_dunlin(n1().socket(), {"submit", "--after", "n0.1", "--", "true"});
  EXPECT_EQ(refused.status, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("cannot wait for job n0.1: node n0 ("));
}

TEST_F(AfterJobsTest, TheCommandLineSaysWhatIsWrong) {
  auto& agent = add("a");
  agent.wait_until_up();
  const auto unknown = run_dunlin(agent.socket(), {"submit", "--after", "7", "--", "true"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("cannot wait for job 7: node a has no such job"));
  const auto wrong = run_dunlin(agent.socket(), {"submit", "--after", "7:never", "--", "true"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--after: '7:never' is not JOB, JOB:ok or JOB:any"));
  finish(agent, submit(agent, "true", 1));
  const auto run = run_dunlin(
      agent.socket(), {"run", "-q", "--after", "last", "--after", "1:any", "--", "echo", "now"});
  EXPECT_EQ(run.status, 2) << "one job, named twice";
  const auto good =
      run_dunlin(agent.socket(), {"run", "-q", "--after", "last", "--", "echo", "now"});
  EXPECT_EQ(good.out, "now\n") << good.err;
}

TEST_F(AfterJobsTest, ACommandIsRunOnceWhenTheJobHasEnded) {
  auto& agent = add("a");
  agent.wait_until_up();
  const std::string script =
      "echo \"$DUNLIN_JOB_ID $DUNLIN_STATE $DUNLIN_DONE $DUNLIN_FAILED "
      "$DUNLIN_CANCELLED ${DUNLIN_TASK_INDEX-none}\" >> " +
      home + "/ended; echo told; echo alas >&2; exit 7";
  const auto number = submit_job(agent, "exit $DUNLIN_TASK_INDEX", 2, on_end(script));
  finish(agent, number);
  EXPECT_TRUE(eventually([&] { return job(agent, number)["on_end"]["state"] == "failed"; }));
  EXPECT_EQ(text_of("ended"), "1 failed 1 1 0 none\n");
  EXPECT_EQ(job(agent, number)["on_end"]["status"], 7);
  EXPECT_THAT(run_dunlin(agent.socket(), {"job", "1"}).out, HasSubstr("failed, exit 7"));
  const auto wrote = run_dunlin(agent.socket(), {"logs", "--on-end", "1"});
  EXPECT_EQ(wrote.out, "told\n") << wrote.err;
  EXPECT_EQ(wrote.err, "alas\n");
  EXPECT_THAT(run_dunlin(agent.socket(), {"events", "--event", "end_command_*"}).out,
      HasSubstr("end_command_failed"));
  agent.client().ok(request("retry", {{"number", number}, {"failed", true}}));
  finish(agent, number);
  restart(agent);
  std::this_thread::sleep_for(2s);
  EXPECT_EQ(text_of("ended"), "1 failed 1 1 0 none\n") << "once";
}

// It began up to a second after that, and a user who had the job run again in that second never
// saw it run.
TEST_F(AfterJobsTest, ACommandBeginsBeforeAnybodyIsToldOfTheEnd) {
  auto& agent = add("a");
  agent.wait_until_up();
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    const auto number = submit_job(agent, "true", 1, on_end("echo ended >> " + home + "/ended"));
    agent.client().ok(request("wait", {{"numbers", {number}}}));
    EXPECT_NE(job(agent, number)["on_end"]["state"], "waiting") << i;
    agent.client().ok(request("retry", {{"number", number}, {"tasks", {0}}}));
    finish(agent, number);
    expected += "ended\n";
  }
  EXPECT_TRUE(eventually([&] { return text_of("ended") == expected; })) << text_of("ended");
  std::this_thread::sleep_for(1500ms);
  EXPECT_EQ(text_of("ended"), expected) << "once each";
}

TEST_F(AfterJobsTest, ACommandThatRunsOnIsTakenBackByTheNextAgent) {
  auto& agent = add("a", {"--worker.reattach_within=30s"});
  agent.wait_until_up();
  const auto number = submit_job(agent, "true", 1,
      on_end("echo begun >> " + home + "/ended; while ! test -e " + home +
          "/go; do sleep 0.05; done; echo done >> " + home + "/ended"));
  finish(agent, number);
  EXPECT_TRUE(eventually([&] { return text_of("ended") == "begun\n"; }));
  restart(agent);
  std::this_thread::sleep_for(1500ms);
  EXPECT_EQ(job(agent, number)["on_end"]["state"], "running") << "it is known to live on";
  std::ofstream(home + "/go") << "";
  EXPECT_TRUE(eventually([&] { return job(agent, number)["on_end"]["state"] == "done"; }));
  EXPECT_EQ(text_of("ended"), "begun\ndone\n");
}

TEST_F(AfterJobsTest, ACommandThatTakesTooLongIsStopped) {
  auto& agent = add("a", {"--on-end-timeout=1s"});
  agent.wait_until_up();
  const auto number = submit_job(agent, "true", 1, on_end("sleep 60"));
  finish(agent, number);
  EXPECT_TRUE(eventually([&] { return job(agent, number)["on_end"]["state"] == "failed"; }));
  EXPECT_EQ(job(agent, number)["on_end"]["outcome"], "time_limit");
}

// Its warden died with it, and so did the command: it is not run again.
TEST_F(AfterJobsTest, ACommandThatWasLostIsNotRunAgain) {
  auto& agent = add("a");
  agent.wait_until_up();
  const auto number =
      submit_job(agent, "true", 1, on_end("echo begun >> " + home + "/ended; sleep 60"));
  finish(agent, number);
  EXPECT_TRUE(eventually([&] { return text_of("ended") == "begun\n"; }));
  const pid_t warden = agent.warden();
  agent.kill9();
  ASSERT_GT(warden, 0);
  ::kill(warden, SIGKILL);
  agent.start();
  agent.wait_until_up();
  EXPECT_TRUE(eventually([&] { return job(agent, number)["on_end"]["state"] == "failed"; }));
  EXPECT_THAT(job(agent, number)["on_end"]["detail"].get<std::string>(), HasSubstr("lost"));
  EXPECT_EQ(text_of("ended"), "begun\n");
}

}  // namespace
}  // namespace dunlin::node
