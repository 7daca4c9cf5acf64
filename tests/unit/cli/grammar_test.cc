// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/line.h"
#include "tools/dunlin/exit_status.h"

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Grammar, FlagsEndWhereTheCommandBegins) {
  const Line line({"run", "--cpus", "2", "echo", "-n", "hi"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_EQ(line->run.job.cpus, "2");
  EXPECT_EQ(line->run.job.count, 1u);
  EXPECT_THAT(line->run.job.command, ElementsAre("echo", "-n", "hi"));
}

TEST(Grammar, JobsSayWhenTheyShouldHaveEnded) {
  const auto request =
      job_request(Line({"submit", "--deadline", "10m", "true"})->submit.job, "/here");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(to_json(*request).at("deadline_ns"), 600'000'000'000);
  const auto without = job_request(Line({"run", "true"})->run.job, "/here");
  EXPECT_FALSE(to_json(*without).contains("deadline_ns"));
}

TEST(Grammar, MetricsAreOneOfThree) {
  EXPECT_EQ(Line({"metrics", "--textfile", "x.prom"})->metrics.textfile, "x.prom");
  EXPECT_TRUE(Line({"metrics", "--alerts"})->metrics.alerts);
  EXPECT_TRUE(Line({"metrics", "--grafana"})->metrics.board);
  EXPECT_NE(Line({"metrics", "--alerts", "--grafana"}).problem(), "");
  EXPECT_NE(Line({"metrics", "--grafana", "--textfile", "x.prom"}).problem(), "");
}

TEST(Grammar, JobsSayWhoseShareTheyUse) {
  const Line run({"run", "--class", "web", "true"});
  const Line submit({"submit", "--class", "web", "true"});
  for (const JobFlags* const flags : {&run->run.job, &submit->submit.job}) {
    const auto request = job_request(*flags, "/here");
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->service_class, "web");
    EXPECT_EQ(to_json(*request).at("class"), "web");
  }
  // Whoever says nothing says nothing.
  const auto request = job_request(Line({"run", "true"})->run.job, "/here");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_FALSE(to_json(*request).contains("class"));
}

TEST(Grammar, TwoDashesEndOurFlags) {
  const Line line({"run", "--", "echo", "--cpus", "9"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_EQ(line->run.job.cpus, "");
  EXPECT_THAT(line->run.job.command, ElementsAre("echo", "--cpus", "9"));
}

TEST(Grammar, TwoDashesAfterFlags) {
  const Line line({"run", "-c", "2", "--env", "A=1", "--env", "B=2", "--", "env", "-i"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_THAT(line->run.job.environment, ElementsAre("A=1", "B=2"));
  EXPECT_THAT(line->run.job.command, ElementsAre("env", "-i"));
}

TEST(Grammar, TheCommandsOwnDashesAreKept) {
  EXPECT_THAT(Line({"run", "git", "log", "--", "file"})->run.job.command,
      ElementsAre("git", "log", "--", "file"));
  EXPECT_THAT(Line({"run", "--", "git", "log", "--", "file"})->run.job.command,
      ElementsAre("git", "log", "--", "file"));
}

TEST(Grammar, MistypedFlagsAreNamed) {
  EXPECT_EQ(Line({"run", "--cpu", "2", "echo", "hi"}).problem(),
      "no such flag: --cpu (did you mean --cpus?)");
  EXPECT_EQ(Line({"jobs", "--al"}).problem(), "no such flag: --al (did you mean --all?)");
  EXPECT_EQ(Line({"jbos"}).problem(), "no such command: jbos (did you mean jobs?)");
  EXPECT_EQ(Line({"frobnicate"}).problem(), "no such command: frobnicate (dunlin --help)");
  EXPECT_EQ(Line({"jobs", "12"}).problem(), "one word too many: 12 (dunlin jobs --help)");
}

TEST(Grammar, MistypedCommandsAreNamedNotWhatFollowsThem) {
  EXPECT_EQ(Line({"runn", "--", "echo"}).problem(), "no such command: runn (did you mean run?)");
  EXPECT_EQ(
      Line({"runn", "--cpus", "2", "echo"}).problem(), "no such command: runn (did you mean run?)");
  EXPECT_EQ(
      Line({"node", "drian", "merlin"}).problem(), "no such command: drian (did you mean drain?)");
  EXPECT_EQ(
      Line({"cells", "lost", "--yes"}).problem(), "no such command: lost (dunlin cells --help)");
  EXPECT_EQ(Line({"--jsn", "nodes"}).problem(), "no such flag: --jsn (did you mean --json?)");
  EXPECT_EQ(Line({"node", "drain", "a", "b"}).problem(),
      "one word too many: b (dunlin node drain --help)");
}

TEST(Grammar, GlobalFlagsMayStandBeforeTheCommand) {
  const Line line({"--json", "--address", "/a b/[c]", "--no-color", "--key=k", "nodes", "-q"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_TRUE(line->globals.json);
  EXPECT_TRUE(line->globals.no_colour);
  EXPECT_TRUE(line->nodes.quiet);
  EXPECT_EQ(line->globals.agent.address, "/a b/[c]");
  EXPECT_EQ(line->globals.agent.key, "k");
  EXPECT_TRUE(line->action);

  const Line run({"--address", "here", "run", "echo", "--address", "there"});
  EXPECT_EQ(run->globals.agent.address, "here");
  EXPECT_THAT(run->run.job.command, ElementsAre("echo", "--address", "there"));
  EXPECT_EQ(Line({"--json", "node", "drain", "merlin"})->drain.node, "merlin");
}

TEST(Grammar, GlobalFlagsMustMeanSomethingToTheCommand) {
  EXPECT_EQ(Line({"--json", "logs"}).problem(), "no such flag: --json (dunlin logs --help)");
  EXPECT_EQ(Line({"--json", "dev"}).problem(), "no such flag: --json (dunlin dev --help)");
  EXPECT_EQ(Line({"--address", "x", "version"}).problem(),
      "no such flag: --address (dunlin version --help)");
}

/// The output of a line that asks for help.
std::string printed_by(const std::vector<std::string>& words) {
  const Line line(words);
  EXPECT_EQ(line.problem(), "");
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(line->action && line->action() == Result<int>(kSuccess));
  std::fflush(stdout);
  return ::testing::internal::GetCapturedStdout();
}

TEST(Grammar, HelpIsACommandToo) {
  EXPECT_THAT(printed_by({"help"}), HasSubstr("Begin with `dunlin dev`"));
  EXPECT_THAT(printed_by({"help", "run"}), HasSubstr("Usage: dunlin run [OPTIONS] [command...]"));
  EXPECT_THAT(printed_by({"help", "run"}), HasSubstr("--each-line FILE"));
  EXPECT_THAT(printed_by({"help", "node", "drain"}), HasSubstr("Usage: dunlin node drain"));
  const auto unknown = Line({"help", "runn"})->action();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().text, "no such command: runn (did you mean run?)");
}

TEST(Grammar, FilesAndCommandsExcludeEachOther) {
  const auto both = job_request(Line({"submit", "-f", "job.toml", "echo"})->submit.job, "/here");
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().text, HasSubstr("--file job.toml says what to run"));
  EXPECT_NE(Line({"submit", "-f", "job.toml", "--cpus", "2"}).problem(), "");
  EXPECT_NE(Line({"submit", "--each-line", "x", "-n", "3", "echo"}).problem(), "");
  EXPECT_EQ(Line({"submit", "-f", "job.toml", "--name", "x", "--dry-run"}).problem(), "");
}

TEST(Grammar, ReadsADemand) {
  const Line line(
      {"run", "-n", "4", "-c", "0.5", "--memory", "100M", "--resource", "gpu=1", "--constraint",
          "arch=x86_64", "--priority", "70", "-t", "00:01:30", "--retries", "2", "true"});
  EXPECT_EQ(line.problem(), "");
  const auto group = line.group();
  ASSERT_TRUE(group) << group.error().text;
  EXPECT_EQ(group->count, 4u);
  EXPECT_EQ(group->demand.cpu, 500u);
  EXPECT_EQ(group->demand.memory, 100u);
  EXPECT_EQ(group->demand.custom.at(0).name, "gpu");
  EXPECT_EQ(group->constraints.size(), 1u);
  EXPECT_EQ(group->priority, 70);
  EXPECT_EQ(group->retries, 2);
  EXPECT_EQ(group->time_limit, std::chrono::seconds(90));
  EXPECT_EQ(group->spec.directory, "/here");
  EXPECT_EQ(group->spec.submit_directory, "/here");
}

TEST(Grammar, WrongValuesNameTheirFlag) {
  const auto problem_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.push_back("true");
    const auto group = Line(words).group();
    return group ? std::string("fine") : group.error().text;
  };
  EXPECT_THAT(problem_of({"--cpus", "many"}), HasSubstr("--cpus"));
  EXPECT_THAT(problem_of({"--memory", "4"}), HasSubstr("--memory"));
  EXPECT_THAT(problem_of({"--resource", "gpu=x"}), HasSubstr("--resource"));
  EXPECT_THAT(problem_of({"--time-limit", "90"}), HasSubstr("--time-limit"));
  EXPECT_THAT(problem_of({"--env", "=x"}), HasSubstr("NAME=value"));
  EXPECT_NE(Line({"run", "--priority", "101", "true"}).problem(), "");
  EXPECT_THAT(job_request(Line({"run", "--deadline", "soon", "true"})->run.job, "/").error().text,
      HasSubstr("--deadline: 'soon' is no deadline"));
  EXPECT_THAT(Line({"run", "--class", "My web", "true"}).group().error().text,
      HasSubstr("--class: \"My web\" is no name of a class"));
}

TEST(Grammar, UnknownPlaceholdersAreUsageErrors) {
  const auto group = Line({"run", "echo", "%{TASK_IDNEX}"}).group();
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().kind, ErrorKind::usage);
  EXPECT_THAT(group.error().text, HasSubstr("TASK_IDNEX"));
  EXPECT_TRUE(Line({"run", "echo", "{}", "100%", "%{TASK_INDEX}"}).group());
}

TEST(Grammar, LinesBecomeTheLastArgument) {
  const auto appended = Line({"run", "--each-line", "list", "gzip", "-k"}).group();
  ASSERT_TRUE(appended) << appended.error().text;
  EXPECT_EQ(appended->spec.command.back().text, "%{ENTRY}");
  EXPECT_EQ(appended->each_line, "/here/list");
  const auto placed = Line({"run", "--each-line", "-", "cp", "%{ENTRY}", "/tmp"}).group();
  ASSERT_TRUE(placed) << placed.error().text;
  EXPECT_EQ(placed->spec.command.back().text, "/tmp");
  EXPECT_EQ(placed->each_line, "-");
  EXPECT_FALSE(Line({"run", "echo", "%{ENTRY}"}).group()) << "there are no lines";
}

TEST(Grammar, PathsBeginWhereTheUserIs) {
  const auto group =
      Line({"run", "--cwd", "sub", "--stdout", "out.%{TASK_INDEX}", "--stderr", "none", "true"})
          .group();
  ASSERT_TRUE(group);
  EXPECT_EQ(group->spec.directory, "/here/sub");
  EXPECT_EQ(group->spec.stdout_path, "/here/out.%{TASK_INDEX}");
  EXPECT_EQ(group->spec.stderr_path, "none");
  EXPECT_EQ(Line({"run", "--cwd", "none", "true"}).group()->spec.directory, "");
}

TEST(Grammar, ACommandIsNeeded) {
  const auto group = Line({"run", "--cpus", "2"}).group();
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().kind, ErrorKind::usage);
}

// Whoever wants one command must not pay for the flags of all.
TEST(Grammar, OnlyTheNamedCommandIsDescribed) {
  CLI::App app("test", "dunlin");
  Invocation invocation;
  add_commands(app, invocation, all_commands(), "jobs");
  EXPECT_NE(app.get_subcommand("jobs")->get_option_no_throw("--all"), nullptr);
  EXPECT_EQ(app.get_subcommand("run")->get_option_no_throw("--cpus"), nullptr);
}

TEST(Grammar, ATimelineIsNoListOfTasks) {
  EXPECT_TRUE(Line({"job", "12", "--timeline"})->job.timeline);
  EXPECT_NE(Line({"job", "12", "--timeline", "--tasks"}).problem(), "");
}

TEST(Grammar, BinsAreNoListOfTasksAndNoTimeline) {
  EXPECT_TRUE(Line({"job", "12", "--bins"})->job.bins);
  for (const char* const other : {"--tasks", "--attempts", "--file", "--timeline"}) {
    EXPECT_NE(Line({"job", "12", "--bins", other}).problem(), "") << other;
  }
}

TEST(Grammar, ANodeIsShown) {
  const Line line({"node", "show", "merlin", "--tasks"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_EQ(line->node_show.node, "merlin");
  EXPECT_TRUE(line->node_show.tasks);
  EXPECT_NE(Line({"node", "show"}).problem(), "");
}

TEST(Grammar, TheOverlayOfANodeIsShown) {
  EXPECT_EQ(Line({"node", "overlay"})->node_overlay.node, "") << "that of the agent";
  const Line line({"node", "overlay", "merlin", "--wide"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_EQ(line->node_overlay.node, "merlin");
  EXPECT_TRUE(line->node_overlay.columns.wide);
  EXPECT_NE(Line({"node", "overlay", "merlin", "osprey"}).problem(), "");
}

TEST(Grammar, NodeDrain) {
  const Line line(
      {"node", "drain", "merlin", "--deadline", "5m", "--reason", "new disk", "--until", "18:00"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_EQ(line->drain.node, "merlin");
  EXPECT_EQ(line->drain.reason, "new disk");
  EXPECT_EQ(line->drain.until, "18:00");
  EXPECT_NE(Line({"node"}).problem(), "");
  EXPECT_NE(Line({"node", "drain"}).problem(), "");
}

TEST(Grammar, SharingIsSetInPairs) {
  EXPECT_THAT(Line({"share", "set", "gold", "5", "tin", "3"})->share_set,
      ElementsAre("gold", "5", "tin", "3"));
  EXPECT_THAT(Line({"share", "remove", "gold"})->share_remove, ElementsAre("gold"));
  EXPECT_EQ(Line({"share", "list", "--json"}).problem(), "");
  EXPECT_NE(Line({"share"}).problem(), "");
  EXPECT_EQ(Line({"plan", "set", "edf", "--spare", "priority"})->plan.spare, "priority");
  EXPECT_EQ(Line({"plan", "show", "--json"}).problem(), "");
  EXPECT_NE(Line({"plan", "set", "best"}).problem(), "");
  EXPECT_NE(Line({"plan"}).problem(), "");
  EXPECT_NE(Line({"share", "set"}).problem(), "");
  EXPECT_NE(Line({"share", "remove"}).problem(), "");
}

}  // namespace
}  // namespace dunlin::cli
