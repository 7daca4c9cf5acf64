// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "node/memory_kills.h"
#include "node/store/results.h"
#include "overlay/field_info.h"
#include "sched/listing/job_query.h"
#include "sched/peer/comeback.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/unit/node/control/client_test.h"

// The verbs jobs, job and tasks.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

ResultRow ended(std::uint32_t index, std::int32_t status) {
  ResultRow row{.report = {}, .worker = {1}};
  row.report.index = index;
  row.report.attempt = 1;
  row.report.outcome = sched::Outcome::exited;
  row.report.status = status;
  row.report.wall = std::chrono::milliseconds(10 * (index + 1));
  return row;
}

class ControlJobs : public ClientTest {
 protected:
  /// The tasks of a job that run here end so.
  void end_tasks(std::uint32_t job, const std::vector<ResultRow>& rows) {
    agent.deliver();
    std::vector<sched::Exit> exits;
    for (const ResultRow& row : rows) {
      exits.push_back(
          {.job = sched::find_job(agent.peer(), agent.id(), job)->id(), .report = row.report});
    }
    agent.self.on_exits(agent.host(), exits);
    agent.deliver();
    agent.rows = rows;
  }
};

TEST_F(ControlJobs, WhatIsWrongIsSaid) {
  struct Case {
    const char* verb;
    Json request;
    std::string error;
  };
  submit(2);
  const Case cases[] = {
      {"jobs", {{"all", 1}}, "usage: 'all' must be true or false"},
      {"jobs", {{"state", "lost"}}, "usage: 'state' must be " + overlay::one_of(sched::kJobStates)},
      {"job", Json::object(), "usage: 'number' must be a whole number from 1 to 4294967295"},
      {"job", {{"number", 0}}, "usage: 'number' must be a whole number from 1 to 4294967295"},
      {"job", {{"number", "1"}}, "usage: 'number' must be a whole number from 1 to 4294967295"},
      {"job", {{"number", 9}},
          "not_found: node merlin has no job 9; `dunlin jobs --all` lists those of the cluster"},
      {"tasks", {{"number", 9}},
          "not_found: node merlin has no job 9; `dunlin jobs --all` lists those of the cluster"},
      {"tasks", {{"number", 1}, {"state", "lost"}},
          "usage: 'state' must be all, waiting, running, cancelling, done, failed or cancelled"},
      {"tasks", {{"number", 1}, {"limit", 0}},
          "usage: 'limit' must be a whole number from 1 to 1000"},
      {"tasks", {{"number", 1}, {"from", -1}},
          "usage: 'from' must be a whole number from 0 to 4294967295"},
  };
  for (const auto& [verb, request, error] : cases) {
    EXPECT_EQ(error_of(ask(verb, request)), error) << verb << " " << request;
  }
}

// A job could not be read back: neither its environment nor what else its tasks began with.
TEST_F(ControlJobs, WhatWasAskedForIsTold) {
  const Json asked = {{"name", "train"},
      {"groups",
          {{{"command", {"true"}}, {"environment", {{"A", "b"}}}, {"directory", "/data"},
              {"umask", 63}, {"demand", {{"memory_mib", 0}}}, {"submit_directory", "/home"}}}}};
  ASSERT_EQ(error_of(ask("submit", asked)), "");
  EXPECT_FALSE(ask("job", {{"number", 1}})["ok"].contains("request"));
  const Json said = ask("job", {{"number", 1}, {"request", true}})["ok"]["request"];
  const Json& group = said.at("groups").at(0);
  EXPECT_EQ(group.at("environment"), Json({{"A", "b"}}));
  EXPECT_EQ(group.at("umask"), 63);
  EXPECT_EQ(group.at("submit_directory"), "/home");
  EXPECT_EQ(group.at("demand").at("memory_mib"), 0);
  EXPECT_EQ(group.at("demand").at("cpu_milli"), 1000) << "what it has where nothing is said";
}

TEST_F(ControlJobs, ListsUnfinishedOnesUnlessAllAreAskedFor) {
  const std::uint32_t first = submit(1);
  const std::uint32_t second = submit(3);
  ask("cancel", {{"number", first}});
  const Json unfinished = ask("jobs")["ok"]["jobs"];
  ASSERT_EQ(unfinished.size(), 1u);
  EXPECT_EQ(unfinished[0]["number"], second);
  EXPECT_EQ(unfinished[0]["name"], "train");
  EXPECT_EQ(unfinished[0]["tasks"], 3);
  EXPECT_EQ(unfinished[0]["demand"]["cpu_milli"], 1000);

  const Json all = ask("jobs", {{"all", true}})["ok"]["jobs"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["state"], "cancelled");
  EXPECT_EQ(all[0]["finished"], true);
}

TEST_F(ControlJobs, StateAndReasonFollowTheTasks) {
  const std::uint32_t job = submit(2, 3000);
  const auto said = [&] {
    const Json summary = ask("jobs", {{"all", true}})["ok"]["jobs"][0];
    return summary["state"].get<std::string>() + ": " + summary["reason"].get<std::string>();
  };
  EXPECT_EQ(said(), "waiting: being placed: 1 probe out");
  agent.deliver();
  EXPECT_EQ(agent.executor.launches.size(), 1u) << "4 CPUs have room for one";
  EXPECT_EQ(said(), "running: ") << "nothing is wrong with a job that gets on";
  ask("cancel", {{"number", job}, {"tasks", {1}}});
  EXPECT_EQ(ask("jobs")["ok"]["jobs"][0]["counts"]["cancelled"], 1);
}

TEST_F(ControlJobs, TellsOfOneJobWithItsFailures) {
  const std::uint32_t job = submit(2);
  end_tasks(job, {ended(0, 0), ended(1, 3)});
  AttemptRow lost{.report = {}, .worker = {2}, .lost = true};
  lost.report.index = 1;
  lost.report.attempt = 1;
  AttemptRow stopped{.report = ended(1, 9).report, .worker = {2}};
  stopped.report.attempt = 2;
  stopped.report.memory_peak = 7;
  stopped.report.out_bytes = 8;
  stopped.report.use.has_disk = true;
  stopped.report.use.disk_read = 9;
  agent.earlier[1] = {lost, stopped};
  const Json told = ask("job", {{"number", job}})["ok"];
  EXPECT_EQ(told["node_name"], "merlin");
  EXPECT_EQ(told["groups"][0]["command"], Json({"true"}));
  ASSERT_EQ(told["failed"].size(), 1u);
  EXPECT_EQ(told["failed"][0]["index"], 1);
  EXPECT_EQ(told["failed"][0]["status"], 3);
  EXPECT_EQ(told["failed"][0]["worker_name"], "merlin");
  // What was kept of an attempt was not told.
  const Json second = told["failed"][0]["attempts"].at(1);
  EXPECT_EQ(second["memory_peak_bytes"], 7);
  EXPECT_EQ(second["out_bytes"], 8);
  EXPECT_EQ(second["err_bytes"], 0);
  EXPECT_EQ(second["use"]["disk_read_bytes"], 9);
  EXPECT_EQ(Json::array({told["failed"][0]["attempts"].at(0)}),
      Json({{{"attempt", 1}, {"worker", "0000000000000002"}, {"worker_name", "0000000000000002"},
          {"lost", true}, {"lost_at_ns", 0}}}));
  // The tasks ran for 10 and 20 ms: interpolated, as the laboratory's percentiles are.
  EXPECT_EQ(told["run"],
      Json({{"p50", 15'000'000}, {"p99", 19'900'000}, {"max", 20'000'000}, {"count", 2}}));
  EXPECT_EQ(told["start"], nullptr) << "no attempt says when it started";
}

// People look for the input that failed, also when all is over and the lines are out of memory.
TEST_F(ControlJobs, TasksAreToldWithTheirLinesAfterTheEndToo) {
  const Json group = {
      {"entries", {"a.txt", "b.txt"}}, {"demand", {{"cpu_milli", 1000}}}, {"command", {"true"}}};
  const Json given = ask("submit",
      {{"name", "train"}, {"allow_unsatisfiable", true}, {"groups", Json::array({group})}});
  ASSERT_EQ(error_of(given), "");
  const std::uint32_t job = given["ok"]["number"];
  agent.rows = {ended(0, 0), ended(1, 3)};
  const auto entries = [&] {
    const Json told = ask("tasks", {{"number", job}})["ok"]["tasks"];
    return told[0].value("entry", "-") + " " + told[1].value("entry", "-");
  };
  EXPECT_EQ(entries(), "a.txt b.txt");
  ask("cancel", {{"number", job}});
  EXPECT_EQ(ask("jobs", {{"all", true}})["ok"]["jobs"][0]["finished"], true);
  EXPECT_EQ(entries(), "a.txt b.txt");
  EXPECT_EQ(ask("job", {{"number", job}})["ok"]["cancelled"][1]["entry"], "b.txt");
}

// Three that failed, of many: each read row between them would cost the loop.
TEST_F(ControlJobs, NoRowIsReadThatNobodyAskedFor) {
  const std::uint32_t job = submit(2'000);
  agent.rows.clear();
  for (std::uint32_t i = 0; i < 2'000; ++i) agent.rows.push_back(ended(i, 0));
  agent.rows_read.clear();
  ask("tasks", {{"number", job}, {"state", "running"}});
  for (const std::size_t rows : agent.rows_read) EXPECT_LE(rows, 4u) << "so many run";
  agent.rows_read.clear();
  Json told = ask("job", {{"number", job}});
  for (int turns = 0; told.is_null() && turns < 10; ++turns) {
    agent.time += FigureBook::kPause;
    told = advance();
  }
  EXPECT_EQ(told["ok"]["run"]["count"], 2'000);
  EXPECT_GT(agent.rows_read.size(), 4u);
  for (const std::size_t rows : agent.rows_read) EXPECT_LE(rows, FigureBook::kPiece);
}

// Whatever the status of their tasks.
TEST_F(ControlJobs, ProcessesThatWereKilledForWantOfMemoryAreCounted) {
  const std::uint32_t job = submit(3);
  agent.rows = {ended(0, 0), ended(1, 3), ended(2, 0)};
  EXPECT_EQ(ask("job", {{"number", job}})["ok"]["memory_kills"], 0);
  agent.rows[0].report.detail = memory_kills_text(2);
  agent.rows[1].report.detail = memory_kills_text(1);
  EXPECT_EQ(ask("job", {{"number", job}})["ok"]["memory_kills"], 3);
  const Json tasks = ask("tasks", {{"number", job}})["ok"]["tasks"];
  EXPECT_EQ(tasks[0]["memory_kills"], 2);
  EXPECT_EQ(tasks[1]["memory_kills"], 1);
  EXPECT_FALSE(tasks[2].contains("memory_kills"));
}

// What is printed for pasting must be the same job at every agent.
TEST_F(ControlJobs, AJobIsToldByTheNameThatItHasEverywhere) {
  const std::uint32_t number = submit(1);
  const std::string name = "merlin." + std::to_string(number);
  for (const char* const verb : {"job", "explain"}) {
    EXPECT_EQ(ask(verb, {{"number", number}})["ok"]["known_as"], name) << verb;
  }
  EXPECT_FALSE(ask("jobs")["ok"]["jobs"][0].contains("known_as")) << "a list names its own briefly";
}

// A host that was renamed: labels that people wrote down before go on being understood.
TEST_F(ControlJobs, AJobIsFoundByTheNameThatItsNodeHadBefore) {
  const std::uint32_t number = submit(1);
  agent.former["alpha"] = agent.id();
  EXPECT_EQ(
      ask("find", {{"name", "alpha." + std::to_string(number)}})["ok"]["node_name"], "merlin");
  // A node that has the name by now is meant, and no other.
  agent.hear_of(2, 4000);
  agent.hear_facts(2, "alpha", 4000);
  EXPECT_EQ(ask("find", {{"name", "alpha.7"}})["ok"]["node"], "0000000000000002");
}

TEST_F(ControlJobs, PagesOfTasks) {
  const std::uint32_t job = submit(5);
  const Json first = ask("tasks", {{"number", job}, {"limit", 2}})["ok"];
  EXPECT_EQ(first["tasks"].size(), 2u);
  EXPECT_EQ(first["next"], 2);
  const Json rest = ask("tasks", {{"number", job}, {"from", 2}})["ok"];
  ASSERT_EQ(rest["tasks"].size(), 3u);
  EXPECT_EQ(rest["tasks"][0], Json({{"index", 2}, {"state", "waiting"}}));
  EXPECT_EQ(rest["next"], nullptr);
  EXPECT_EQ(ask("tasks", {{"number", job}, {"state", "done"}})["ok"]["tasks"].size(), 0u);
}

// People count from 1, whichever home drives the job.
TEST_F(ControlJobs, ATaskThatALaterHomeRunsHasASmallNumber) {
  sched::Job made = test::job(1);
  made.id = {.home = agent.id(), .number = 1};
  sched::JobState job(std::move(made), agent.time, sched::first_after(1));
  ASSERT_TRUE(job.bind(0, {{2}, address_of(2)}, 1, agent.time));
  EXPECT_EQ(task_of(agent, job, 0)["attempt"], 1);
}

TEST_F(ControlJobs, TheLineOfATaskIsTold) {
  const Json reply = ask("submit",
      {{"groups", {{{"command", {"echo", "%{ENTRY}"}}, {"entries", {"left", "right"}}}}}});
  const Json tasks = ask("tasks", {{"number", reply["ok"]["number"]}})["ok"]["tasks"];
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[1]["entry"], "right");
}

// What ended long ago has numbers, but no tasks that could be told of, or run again.
TEST_F(ControlJobs, OfAPrunedJobTheNumbersAreTold) {
  sched::StoredJob stored{.job = test::job(3), .submitted = {}, .progress = {}, .tasks = {}};
  stored.job.id = {.home = agent.id(), .number = 1};
  stored.job.submitted_at = 1'000;
  stored.progress.ended = sched::EndFacts{.after = std::chrono::nanoseconds(50),
      .worst = sched::Outcome::signalled,
      .exit = 137,
      .failed = 2,
      .pruned = true};
  agent.self.comeback().restore(agent.host(), {stored});
  const Json job = ask("job", {{"number", 1}})["ok"];
  EXPECT_EQ(job["pruned"], true);
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["counts"]["failed"], 2);
  EXPECT_EQ(job["counts"]["done"], 1);
  EXPECT_EQ(job["exit"], 137);
  EXPECT_EQ(job["worst_outcome"], "signalled");
  EXPECT_EQ(job["ended_at_ns"], 1'050);
  EXPECT_EQ(job["reason"], "what became of each task is forgotten");
  const Json tasks = ask("tasks", {{"number", 1}})["ok"];
  EXPECT_EQ(tasks["pruned"], true);
  EXPECT_TRUE(tasks["tasks"].empty());
  EXPECT_TRUE(tasks["next"].is_null());
  EXPECT_THAT(error_of(ask("retry", {{"number", 1}})), HasSubstr("refused: "));
  EXPECT_THAT(error_of(ask("output", {{"number", 1}, {"task", 0}})), HasSubstr("is forgotten"));
  EXPECT_TRUE(ask("wait", {{"numbers", {1}}}).contains("ok")) << "it has ended";
  submit(1);
  EXPECT_EQ(ask("tasks", {{"number", 2}})["ok"]["pruned"], false);
}

// A task was told as done without a result, because the disk did not have it yet.
TEST_F(ControlJobs, WhatIsBeingWrittenIsWaitedFor) {
  const std::uint32_t job = submit(1);
  agent.writing = true;
  for (const char* const verb : {"job", "tasks"}) {
    agent.writing = true;
    EXPECT_EQ(ask(verb, {{"number", job}}), nullptr) << verb;
    agent.writing = false;
    EXPECT_EQ(error_of(advance()), "") << verb;
  }
  agent.writing = true;
  EXPECT_EQ(ask("tasks", {{"number", job}}), nullptr);
  agent.time += std::chrono::milliseconds(200);
  EXPECT_EQ(error_of(advance()), "") << "nobody waits for a disk that hangs";
  agent.writing = false;
  agent.error = "the disk is full";
  EXPECT_TRUE(ask("tasks", {{"number", job}}).is_object()) << "nobody waits for a full disk";
}

}  // namespace
}  // namespace dunlin::node
