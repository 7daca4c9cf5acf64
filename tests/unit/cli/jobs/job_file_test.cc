// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_file.h"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/constraints.h"
#include "tests/support/scratch.h"
#include "tests/unit/cli/jobs/parsed_file.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

TEST(JobFile, JobsBeforeMayHaveToFail) {
  const auto request =
      parse("after_jobs = [\"12:failed\", \"13:ended\"]\n[[group]]\ncommand = \"true\"\n");
  ASSERT_TRUE(request) << request.error().text;
  ASSERT_EQ(request->after.size(), 2u);
  EXPECT_TRUE(request->after[0].failed);
  EXPECT_FALSE(request->after[0].any);
  EXPECT_TRUE(request->after[1].any) << "another word for it";
  EXPECT_EQ(to_json(*request).at("after_jobs").at(0).at("when"), "failed");
  EXPECT_EQ(to_json(*request).at("after_jobs").at(1).at("when"), "any");
}

TEST(JobFile, JobsBeforeMayNeedToHaveBegun) {
  const auto request = parse(
      "after_jobs = [\"12:started\", \"merlin.7:started+10m\", \"last:started+30s\"]\n"
      "[[group]]\ncommand = \"true\"\n");
  ASSERT_TRUE(request) << request.error().text;
  ASSERT_EQ(request->after.size(), 3u);
  EXPECT_EQ(request->after[0].job, "12");
  EXPECT_EQ(request->after[0].begun_for, 0s);
  EXPECT_EQ(request->after[1].job, "merlin.7");
  EXPECT_EQ(request->after[1].begun_for, 10min);
  EXPECT_EQ(request->after[2].begun_for, 30s);
  EXPECT_EQ(after_words(request->after[1]), "began 10m ago");
  const Json said = to_json(*request).at("after_jobs");
  EXPECT_EQ(said.at(0), (Json{{"job", "12"}, {"when", "started"}}));
  EXPECT_EQ(
      said.at(1), (Json{{"job", "merlin.7"}, {"when", "started"}, {"delay_ns", 600'000'000'000}}));
  EXPECT_THAT(problem("after_jobs = [\"12:started+5\"]\n[[group]]\ncommand = \"true\"\n"),
      HasSubstr("'5' is no time: write 90s or 1h30m"));
  EXPECT_THAT(problem("after_jobs = [\"12:started+4000d\"]\n[[group]]\ncommand = \"true\"\n"),
      HasSubstr("'4000d': the time must be at most 3650d"));
  EXPECT_THAT(problem("after_jobs = [\"12:startet\"]\n[[group]]\ncommand = \"true\"\n"),
      HasSubstr("JOB:started or JOB:started+10m"));
}

TEST(JobFile, NoTaskMayRunTwice) {
  EXPECT_EQ(parse("rerun = \"never\"\n[[group]]\ncommand = \"true\"\n")->rerun, "never");
  EXPECT_THAT(problem("rerun = \"once\"\n"), HasSubstr("rerun: must be \"always\" or \"never\""));
}

TEST(JobFile, AJobMayBeginLater) {
  EXPECT_EQ(parse("begin = \"2h\"\n[[group]]\ncommand = \"true\"\n")->begin, 2h);
  EXPECT_THAT(problem("begin = 3\n"), HasSubstr("begin: must be a string such as \"10m\""));
  EXPECT_THAT(problem("begin = \"soon\"\n"), HasSubstr("begin: 'soon' is no begin"));
}

TEST(JobFile, LabelsAreATable) {
  const auto request = parse(R"(
comment = "third try"
labels = { team = "a", "site/rack" = "7" }
[[group]]
command = "true"
)");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->comment, "third try");
  ASSERT_EQ(request->labels.size(), 2u);
  EXPECT_EQ(request->labels[0], (sched::Label{.key = "site/rack", .value = "7"}));
  EXPECT_THAT(problem("labels = { team = 3 }\n"), HasSubstr("labels: must hold strings"));
  EXPECT_THAT(problem("labels = \"team=a\"\n"), HasSubstr("labels: must be a table"));
  EXPECT_THAT(problem("labels = { \"a b\" = \"c\" }\n"), HasSubstr("'a b=c' is no label"));
  EXPECT_THAT(problem("comment = 3\n"), HasSubstr("comment: must be a string"));
}

TEST(JobFile, EverythingAGroupCanSay) {
  const auto request = parse(R"(
name = "render"
class = "web"
deadline = "2h"
[[group]]
name = "frames"
command = ["./render", "%{TASK_INDEX}"]
count = 100
cpus = 2
memory = "4G"
resources = { gpu = 1 }
constraints = ["arch=x86_64", "kernel>=6.1"]
priority = 70
retries = 1
time_limit = "1h30m"
duration = "10m"
env = { LEVEL = "9" }
cwd = "/data"
stdout = "none"
stderr = "err.%{TASK_INDEX}"
[[group]]
command = "echo a | tr a b"
cpus = 0.5
each_line = "list.txt"
)");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->name, "render");
  EXPECT_EQ(request->service_class, "web");
  EXPECT_EQ(request->deadline, 2h);
  ASSERT_EQ(request->groups.size(), 2u);
  const GroupRequest& first = request->groups[0];
  EXPECT_EQ(first.name, "frames");
  EXPECT_EQ(first.spec.command[1].text, "%{TASK_INDEX}");
  EXPECT_EQ(first.count, 100u);
  EXPECT_EQ(first.demand.cpu, 2000u);
  EXPECT_EQ(first.demand.memory, 4096u);
  ASSERT_EQ(first.demand.custom.size(), 1u);
  EXPECT_EQ(first.demand.custom[0].name, "gpu");
  ASSERT_EQ(first.constraints.size(), 2u);
  EXPECT_EQ(to_string(first.constraints[1]), "kernel>=6.1");
  EXPECT_EQ(first.priority, 70);
  EXPECT_EQ(first.retries, 1);
  EXPECT_EQ(first.time_limit, 90min);
  EXPECT_EQ(first.duration, 10min);
  EXPECT_EQ(first.spec.environment[0].value, "9");
  EXPECT_EQ(first.spec.directory, "/data");
  EXPECT_EQ(first.spec.stdout_path, "none");
  const GroupRequest& second = request->groups[1];
  EXPECT_EQ(second.spec.command[0].text, "/bin/sh");
  EXPECT_EQ(second.spec.command[2].text, "echo a | tr a b");
  EXPECT_EQ(second.demand.cpu, 500u);
  EXPECT_EQ(second.each_line, "list.txt");
  EXPECT_EQ(second.spec.directory, "/here");
}

TEST(JobFile, AJobMayBeHeldAndAGroupBeAnArray) {
  auto request = parse(
      "hold = true\n[[group]]\ncommand = [\"./render\", \"%{ENTRY}\"]\narray = \"0-99:2%10\"\n");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_TRUE(request->held);
  EXPECT_TRUE(complete(*request)) << "%{ENTRY} is an index here";
  const Json json = to_json(*request);
  EXPECT_EQ(json["hold"], true);
  EXPECT_EQ(json["groups"][0]["array"], "0-99:2%10");
  EXPECT_FALSE(json["groups"][0].contains("count"));

  EXPECT_EQ(problem("hold = 1\n"), "job.toml:1: hold: must be true or false");
  const auto incomplete = [](const std::string& keys) {
    auto parsed = parse("[[group]]\ncommand = \"true\"\n" + keys);
    const auto done = complete(parsed.value());
    return done ? "" : done.error().text;
  };
  EXPECT_THAT(incomplete("array = \"9-1\"\n"),
      StartsWith("job.toml:1: array: '9-1' ends before it begins"));
  EXPECT_THAT(
      incomplete("array = \"1-9\"\ncount = 3\n"), HasSubstr("one of them says how many tasks"));
}

TEST(JobFile, UnknownKeysAreNamedWithTheirLine) {
  EXPECT_THAT(problem("name = \"a\"\n[[group]]\ncommand = [\"x\"]\ncpu = 2\n"),
      StartsWith("job.toml:4: unknown key 'cpu'"));
  EXPECT_THAT(problem("nmae = \"a\"\n"), StartsWith("job.toml:1: unknown key 'nmae'"));
}

TEST(JobFile, AGroupMayAskForRates) {
  const auto request = parse(R"(
[[group]]
command = ["x"]
disk_read = "100M/s"
disk_write = "50M/s"
net_in = "1G/s"
net_out = "1K/s"
)");
  ASSERT_TRUE(request) << request.error().text;
  const sched::Resources& demand = request->groups.at(0).demand;
  EXPECT_EQ(demand.disk_read, 100u * 1024);
  EXPECT_EQ(demand.disk_write, 50u * 1024);
  EXPECT_EQ(demand.net_in, 1024u * 1024);
  EXPECT_EQ(demand.net_out, 1u);
}

TEST(JobFile, WrongValuesAreNamedWithTheirLine) {
  const std::string head = "[[group]]\ncommand = [\"x\"]\n";
  EXPECT_THAT(
      problem(head + "count = \"many\"\n"), StartsWith("job.toml:3: count: must be an int"));
  EXPECT_THAT(problem(head + "count = 0\n"), StartsWith("job.toml:3: count"));
  EXPECT_THAT(problem(head + "cpus = true\n"), StartsWith("job.toml:3: cpus"));
  EXPECT_THAT(problem(head + "cpus = -1\n"), StartsWith("job.toml:3: cpus"));
  EXPECT_THAT(problem(head + "memory = 4\n"), StartsWith("job.toml:3: memory"));
  EXPECT_THAT(problem(head + "memory = \"4\"\n"), StartsWith("job.toml:3: memory"));
  EXPECT_THAT(problem(head + "net_in = \"4M\"\n"),
      StartsWith("job.toml:3: net_in: '4M' is a size; a rate is by the second: 4M/s"));
  EXPECT_THAT(problem(head + "disk_read = 4\n"),
      StartsWith("job.toml:3: disk_read: must be a string such as \"100M/s\""));
  EXPECT_THAT(problem(head + "priority = 101\n"), StartsWith("job.toml:3: priority"));
  EXPECT_THAT(problem(head + "time_limit = \"90\"\n"), StartsWith("job.toml:3: time_limit"));
  EXPECT_THAT(problem(head + "env = { \"a b\" = \"1\" }\n"), StartsWith("job.toml:3: env"));
  EXPECT_THAT(problem(head + "constraints = [\"=x\"]\n"), StartsWith("job.toml:3: constraints"));
  EXPECT_THAT(problem("deadline = 90\n" + head), StartsWith("job.toml:1: deadline: must be a"));
  EXPECT_THAT(problem("deadline = \"soon\"\n" + head), StartsWith("job.toml:1: deadline: 'soon'"));
  EXPECT_THAT(problem("class = \"My web\"\n" + head), StartsWith("job.toml:1: class: \"My web\""));
  EXPECT_THAT(problem("class = 3\n" + head), StartsWith("job.toml:1: class: must be a string"));
  EXPECT_THAT(problem("[[group]]\ncommand = []\n"), StartsWith("job.toml:2: command"));
  EXPECT_THAT(problem("[[group]]\ncommand = [1]\n"), StartsWith("job.toml:2: command"));
}

TEST(JobFile, BoundsAreThoseOfTheAgentInTheUnitsOfTheFile) {
  const std::string head = "[[group]]\ncommand = [\"x\"]\n";
  EXPECT_EQ(
      problem(head + "time_limit = \"100d\"\n"), "job.toml:3: time_limit: must be at most 49d");
  EXPECT_EQ(
      problem(head + "duration = \"4000d\"\n"), "job.toml:3: duration: must be at most 3650d");
  EXPECT_TRUE(parse(head + "duration = \"400d\"\n"));
  EXPECT_EQ(problem("checkpoint_time = \"25h\"\n" + head),
      "job.toml:1: checkpoint_time: must be at most 1d");
  EXPECT_EQ(problem(head + "count = 2000000\n"),
      "job.toml:3: count: must be an integer from 1 to 1000000");
  EXPECT_EQ(problem(head + "name = \"" + std::string(200, 'n') + "\"\n"),
      "job.toml:3: name: must be a string of at most 127 bytes");
  auto two = parse(head + "count = 600000\n" + head + "count = 600000\n");
  ASSERT_TRUE(two);
  EXPECT_THAT(complete(*two).error().text, HasSubstr("1200000 tasks; a job has at most 1000000"));
}

TEST(JobFile, MemoryOfNoneIsSaid) {
  auto job = parse("[[group]]\ncommand = [\"x\"]\nmemory = \"0M\"\nat_once = 5\n");
  ASSERT_TRUE(job) << job.error().text;
  const Json group = to_json(*job).at("groups").at(0);
  EXPECT_EQ(group.at("demand").at("memory_mib"), 0);
  EXPECT_EQ(group.at("at_once"), 5);
}

// What is wrong with a group as a whole is found later, and named with its line all the same.
TEST(JobFile, ABadGroupIsNamedWithItsLine) {
  const auto wrong = [](const std::string& keys) {
    auto job = parse_job_file(
        "[[group]]\ncommand = [\"x\"]\n\n[[group]]\nname = \"b\"\n" + keys, "job.toml", "/here");
    EXPECT_TRUE(job) << job.error().text;
    const auto fine = complete(*job);
    return fine ? "" : fine.error().text;
  };
  EXPECT_THAT(wrong("command = [\"x\"]\ncpus = 0\n"),
      StartsWith("job.toml:4: group b: tasks that take 0 CPUs"));
  EXPECT_THAT(wrong("command = [\"%{NOPE}\"]\n"),
      StartsWith("job.toml:4: group b: unknown placeholder '%{NOPE}'"));
  EXPECT_THAT(wrong("command = [\"x\"]\ncount = 2\neach_line = \"f\"\n"),
      StartsWith("job.toml:4: group b: count and each_line: one of them"));
  EXPECT_THAT(wrong("command = [\"x\"]\narray = \"0-3\"\nat_once = 2\n"),
      StartsWith("job.toml:4: group b: array and at_once: the array says it"));
  EXPECT_THAT(wrong("command = [\"%{ENTRY}\"]\n"),
      HasSubstr("a line of each_line or an index of array, and"));
  GroupRequest group;
  EXPECT_EQ(group.lines_place(), "--each-line: ");
  group.where = "job.toml:4: ";
  EXPECT_EQ(group.lines_place(), "job.toml:4: each_line: ");
}

// Its user has written no option.
TEST(JobFile, ABadJobIsToldInTheWordsOfFiles) {
  const auto wrong = [](const std::string& keys, const std::string& of_group = "") {
    auto job = parse(keys + "[[group]]\ncommand = [\"x\"]\n" + of_group);
    EXPECT_TRUE(job) << job.error().text;
    const auto fine = complete(*job);
    return fine ? "" : fine.error().text;
  };
  EXPECT_THAT(wrong("on_preempt = \"requeue\"\ncheckpoint_time = \"5s\"\n"),
      HasSubstr(": use on_preempt checkpoint"));
  EXPECT_THAT(wrong("rerun = \"never\"\n", "retries = 3\n"), HasSubstr("and rerun says never"));
  EXPECT_THAT(
      wrong("rerun = \"never\"\non_preempt = \"suspend\"\n"), HasSubstr("leave out on_preempt"));
}

TEST(JobFile, MalformedTomlIsNamedWithItsLine) {
  EXPECT_THAT(problem("name = \"a\"\n[[group\n"), StartsWith("job.toml:2: "));
  EXPECT_THAT(problem("name = \n"), StartsWith("job.toml:1: "));
  EXPECT_THAT(problem("\xff\xfe"), StartsWith("job.toml:1: "));
  // Faults of toml++ 3.3: see config/toml.h.
  EXPECT_THAT(problem("[[ ["), StartsWith("job.toml:1: "));
  EXPECT_THAT(problem("\u00e9 = 1"), StartsWith("job.toml:1: "));
}

TEST(JobFile, NeedsSomethingToRun) {
  EXPECT_THAT(problem(""), HasSubstr("no [[group]]"));
  EXPECT_THAT(problem("[[group]]\nname = \"a\"\n"), HasSubstr("needs a command"));
  EXPECT_THAT(problem("group = 3\n"), HasSubstr("[[group]]"));
}

TEST(JobFile, GroupsAreBounded) {
  std::string text;
  for (int i = 0; i < 257; ++i) text += "[[group]]\ncommand = [\"x\"]\n";
  EXPECT_THAT(problem(text), HasSubstr("more than 256 groups"));
}

TEST(JobFile, OversizeIsRefusedUnread) {
  const std::string path = ::testing::TempDir() + "/oversize.toml";
  const std::string line(1023, '#');
  std::ofstream file(path);
  for (int i = 0; i < 8 * 1024 + 1; ++i) file << line << '\n';
  file.close();
  const auto request = read_job_file(path, "/here");
  std::remove(path.c_str());
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().text, HasSubstr("larger than 8 MiB"));
}

TEST(JobFile, MissingFileSaysSo) {
  const auto request = read_job_file("/nonexistent/job.toml", "/here");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().kind, ErrorKind::usage) << "status 2, as for a file of --each-line";
  EXPECT_EQ(request.error().text, "--file: /nonexistent/job.toml: No such file or directory");
}

TEST(JobFile, GroupsMayWaitForOthers) {
  const auto request = parse(R"(
[[group]]
name = "reduce"
command = "cat"
after = ["map"]
[[group]]
name = "map"
command = "true"
)");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->groups[0].after, std::vector<std::string>{"map"});
  EXPECT_EQ(to_json(*request)["groups"][0]["after"][0], "map");
  EXPECT_FALSE(to_json(*request)["groups"][1].contains("after"));
}

TEST(JobFile, MistakesInStagesNameTheirLine) {
  const auto with = [](const std::string& after, const std::string& name = "reduce") {
    return problem(
        "[[group]]\nname = \"map\"\ncommand = \"true\"\nafter = [ ]\n[[group]]\nname = \"" + name +
        "\"\ncommand = \"true\"\nafter = " + after + "\n");
  };
  EXPECT_EQ(with("\"map\""), "job.toml:8: after: must be a list of groups such as [\"map\"]");
  EXPECT_EQ(with("[1]"), "job.toml:8: after: must be a list of strings");
  EXPECT_EQ(with("[\"map\",\n\"mpa\"]"),
      "job.toml:9: after: no group is named 'mpa'; there are: map, reduce");
  EXPECT_EQ(with("[\"reduce\"]"), "job.toml:8: after: group reduce cannot wait for itself");
  EXPECT_EQ(
      with("[\"map\", \"map\"]"), "job.toml:8: after: 'map' stands there twice: once is enough");
  EXPECT_EQ(with("[\"map\"]", "map"),
      "job.toml:8: after: 2 groups are named 'map': give each a name of its own");
  EXPECT_EQ(problem("[[group]]\nname = \"a\"\ncommand = \"x\"\nafter = [\"b\"]\n"
                    "[[group]]\nname = \"b\"\ncommand = \"x\"\nafter = [\"a\"]\n"),
      "job.toml:4: after: group a waits for b, which waits for a: none of them could ever start");
}

TEST(JobFile, SaysWhatComesBeforeAndAfterTheJob) {
  const auto request = parse(R"(
after_jobs = ["12", "merlin.7:any", "last:ok"]
on_end = "mail ann"
[[group]]
command = "true"
)");
  ASSERT_TRUE(request) << request.error().text;
  ASSERT_EQ(request->after.size(), 3u);
  EXPECT_EQ(request->after[0].job, "12");
  EXPECT_FALSE(request->after[0].any);
  EXPECT_EQ(request->after[1].job, "merlin.7");
  EXPECT_TRUE(request->after[1].any);
  EXPECT_EQ(request->after[2].job, "last");
  EXPECT_FALSE(request->after[2].any);
  ASSERT_EQ(request->on_end.command.size(), 3u);
  EXPECT_EQ(request->on_end.command[2].text, "mail ann");
  EXPECT_THAT(problem("after_jobs = \"12\"\n[[group]]\ncommand = \"true\"\n"),
      StartsWith("job.toml:1: after_jobs: must be a list of jobs"));
  EXPECT_THAT(problem("after_jobs = [\"12:never\"]\n[[group]]\ncommand = \"true\"\n"),
      HasSubstr("'12:never' is not JOB, JOB:ok or JOB:any"));
}

}  // namespace
}  // namespace dunlin::cli
