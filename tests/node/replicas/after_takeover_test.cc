// SPDX-License-Identifier: MIT
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sstream>

#include "tests/node/replicas/replica_world.h"

// Jobs that wait for jobs with replicas, and commands for the end of such jobs, where the home is
// gone for good in between.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class AfterTakeover : public ReplicaWorld {
 protected:
  AfterTakeover() {
    for (const char* const name : {"n0", "n1", "n2", "n3"}) add(name, arguments_of(1));
    form_cell();
  }
  TestAgent& n1() const { return *agents[1]; }
  /// Submits a task of `sh -c script`, with more members of the job; returns the job's number.
  static std::uint32_t submit_job(TestAgent& at, const std::string& script, const Json& more = {}) {
    Json said = {{"groups",
        Json::array({{{"command", {"sh", "-c", script}},
            {"demand", {{"cpu_milli", 100}, {"memory_mib", 16}}}}})}};
    if (more.is_object()) said.update(more);
    return at.client().ok(request("submit", std::move(said)))["number"];
  }
  static Json after(const std::string& job, const std::string& when) {
    return {{"after_jobs", {{{"job", job}, {"when", when}}}}};
  }
  static Json on_end(const std::string& script) {
    return {{"on_end", {{"command", {"sh", "-c", script}}}}};
  }
  /// A script that waits for go(), and then does `more`.
  std::string when_told(const std::string& more) const {
    return "while ! test -e " + home + "/go; do sleep 0.1; done; " + more;
  }
  void go() const { std::ofstream(home + "/go") << ""; }
  std::string text_of(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(home + "/" + name).rdbuf();
    return text.str();
  }
  /// What became of the command for the end of a job of n0.
  Json end_of(std::uint32_t number) const {
    return job_at(n1(), number).value("on_end", Json::object());
  }
};

// Both the home of those that are waited for and that of one which waits.
TEST_F(AfterTakeover, JobsWaitThroughTheDeathOfAHome) {
  const auto good = submit_job(n0(), when_told("echo good >> " + home + "/order"));
  const auto bad = submit_job(n0(), when_told("exit 3"));
  const auto elsewhere = submit_job(n1(), when_told("true"));
  const std::string good_name = "n0." + std::to_string(good);
  const std::string bad_name = "n0." + std::to_string(bad);
  const auto then = submit_job(n1(), "echo then >> " + home + "/order", after(good_name, "ok"));
  const auto never = submit_job(n1(), "true", after(bad_name, "ok"));
  const auto any = submit_job(n1(), "true", after(bad_name, "any"));
  const auto of_lost = submit_job(n0(), "true", after("n1." + std::to_string(elsewhere), "ok"));
  for (const auto number : {good, bad, of_lost}) wait_for_standbys(number);
  lose_home();
  ASSERT_TRUE(eventually([&] { return taken_over(n1(), good); }));
  EXPECT_EQ(job_at(n1(), of_lost)["state"], "waiting");
  EXPECT_THAT(text_of("order"), "");
  go();
  EXPECT_EQ(finish(n1(), then)["done"], 1);
  EXPECT_EQ(text_of("order"), "good\nthen\n");
  EXPECT_EQ(finish(n1(), any)["done"], 1);
  EXPECT_EQ(finish(n1(), never)["cancelled"], 1);
  const Json waited = n1().client().ok(request("wait", {{"at", "n0"}, {"numbers", {of_lost}}}));
  EXPECT_EQ(waited["jobs"][0]["counts"]["done"], 1);
}

// Of three commands one ran before its home died, one ran at that moment, and one is yet to run.
TEST_F(AfterTakeover, ACommandForTheEndIsRunAtMostOnce) {
  const std::string say = "echo $DUNLIN_STATE >> " + home + "/";
  const auto before = submit_job(n0(), "true", on_end(say + "before"));
  const auto during = submit_job(n0(), "true", on_end(say + "during; sleep 1000"));
  const auto later = submit_job(n0(), when_told("exit 4"), on_end(say + "later"));
  EXPECT_TRUE(eventually([&] {
    return end_of(before)["state"] == "done" && text_of("during") == "done\n";
  })) << end_of(before);
  wait_for_standbys(later);
  const pid_t warden = n0().warden();
  lose_home();
  ASSERT_GT(warden, 1);
  ::kill(warden, SIGKILL);
  ASSERT_TRUE(eventually([&] { return taken_over(n1(), later); }));
  go();
  EXPECT_TRUE(eventually([&] { return end_of(later)["state"] == "done"; })) << end_of(later);
  EXPECT_EQ(text_of("later"), "failed\n");
  EXPECT_TRUE(eventually([&] { return end_of(during)["state"] == "failed"; })) << end_of(during);
  EXPECT_THAT(end_of(during)["detail"].get<std::string>(), HasSubstr("not run again"));
  EXPECT_EQ(end_of(before)["state"], "done");
  EXPECT_EQ(text_of("before"), "done\n");
  EXPECT_EQ(text_of("during"), "done\n");
}

}  // namespace
}  // namespace dunlin::node
