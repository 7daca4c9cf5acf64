// SPDX-License-Identifier: MIT
#include "node/control/job_json.h"

#include <gmock/gmock.h>
#include <span>

#include "node/codec.h"
#include "node/control/command_json.h"
#include "node/control/control_protocol.h"
#include "node/task/soft_limits.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

std::string error(const char* text) {
  const auto job = parse_job(Json::parse(text));
  return job ? "" : job.error().text;
}

TEST(JobJson, ReadsEverything) {
  const auto job = parse_job(Json::parse(R"({
    "name": "train", "owner": "anna", "class": "web", "deadline_ns": 600000000000,
    "past_deadline": "cancel",
    "groups": [{
      "name": "big", "count": 7, "priority": 60, "retries": 2, "time_limit_ns": 1500000000,
      "duration_ns": 2000000000,
      "demand": {"cpu_milli": 2500, "memory_mib": 100, "custom": {"gpu": 1},
                 "rates": {"net_in": 20480, "disk_write": 7}},
      "constraints": ["arch=x86_64", "kernel>=5"],
      "command": ["echo", "%{TASK_INDEX}"], "environment": {"A": "b"},
      "directory": "/tmp", "stdout": "o", "stderr": "none", "submit_directory": "/home"}]})"));
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->name, "train");
  EXPECT_EQ(job->owner, "anna");
  EXPECT_EQ(job->service_class, "web");
  EXPECT_EQ(job->deadline, std::chrono::minutes(10));
  EXPECT_EQ(job->past_deadline, sched::PastDeadline::cancel);
  ASSERT_EQ(job->groups.size(), 1u);
  const sched::TaskGroup& group = job->groups[0];
  EXPECT_EQ(group.count, 7u);
  EXPECT_EQ(group.priority, 60);
  EXPECT_EQ(group.retries, 2);
  EXPECT_EQ(group.time_limit, std::chrono::milliseconds(1500));
  EXPECT_EQ(group.duration, std::chrono::seconds(2));
  EXPECT_EQ(group.demand.cpu, 2500u);
  EXPECT_EQ(group.demand.custom.size(), 1u);
  EXPECT_EQ(group.demand.net_in, 20480u);
  EXPECT_EQ(group.demand.disk_write, 7u);
  EXPECT_EQ(group.demand.disk_read, 0u);
  EXPECT_EQ(group.constraints.size(), 2u);
  const auto spec = decode_task_spec(std::as_bytes(std::span(group.spec)));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->command.at(1).text, "%{TASK_INDEX}");
  EXPECT_EQ(spec->environment.at(0), (Variable{"A", "b"}));
  EXPECT_EQ(spec->stderr_path, "none");
}

TEST(JobJson, TellsTasksTheirPlaceInTheirGroup) {
  auto job = parse_job(Json::parse(R"({"groups": [
      {"name": "map", "command": ["a"], "count": 8},
      {"name": "reduce", "command": ["b"], "count": 3}]})"));
  ASSERT_TRUE(job) << job.error().text;
  number_groups(*job);
  const auto spec = decode_task_spec(std::as_bytes(std::span(job->groups[1].spec)));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->group_name, "reduce");
  EXPECT_EQ(spec->group_first, 8u);
  EXPECT_EQ(spec->group_size, 3u);
}

TEST(JobJson, ReadsTheSurroundingsOfTasks) {
  const auto job = parse_job(Json::parse(R"({"groups": [{"command": ["rpm", "--qf", "%{NAME}"],
      "literal": true, "umask": 63, "limits": {"nofile": 4096, "core": -1}}]})"));
  ASSERT_TRUE(job) << job.error().text;
  const auto spec = decode_task_spec(std::as_bytes(std::span(job->groups[0].spec)));
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->literal);
  EXPECT_EQ(spec->umask, 64);
  ASSERT_EQ(spec->limits.size(), 2u);
  for (const SoftLimit& limit : spec->limits) {
    const bool core = kLimitNames.at(limit.resource).name == "core";
    EXPECT_EQ(limit.max, core ? kUnlimited : 4096u);
  }
  EXPECT_THAT(error(R"({"groups": [{"command": ["x"], "umask": 512}]})"), HasSubstr("umask"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["x"], "limits": {"files": 1}}]})"),
      HasSubstr("nofile, core"));
  EXPECT_THAT(
      error(R"({"groups": [{"command": ["sh", "-c", "echo %{ENTRY}"], "entries": ["a"]}]})"),
      HasSubstr("$DUNLIN_ENTRY"));
}

TEST(JobJson, RatesAreOfFourKinds) {
  EXPECT_THAT(error(R"({"groups": [{"command": ["true"], "demand": {"rates": {"tape": 1}}}]})"),
      HasSubstr("rates"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["true"], "demand": {"rates": {"net_in": -1}}}]})"),
      HasSubstr("net_in"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["true"], "demand": {"custom": {"net_in": 1}}}]})"),
      HasSubstr("custom"));
}

TEST(JobJson, DefaultsAreOneTaskOfOneCpu) {
  const auto job = parse_job(Json::parse(R"({"groups": [{"command": ["true"]}]})"));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->groups[0].count, 1u);
  EXPECT_EQ(job->groups[0].demand.cpu, 1000u);
  EXPECT_EQ(job->groups[0].priority, sched::kPriorityDefault);
  EXPECT_EQ(job->deadline, std::nullopt);
}

TEST(JobJson, OnlyADeadlineCanBeMissed) {
  EXPECT_THAT(error(R"({"past_deadline": "cancel", "groups": [{"command": ["true"]}]})"),
      HasSubstr("along with a deadline"));
  EXPECT_THAT(error(R"({"deadline_ns": 1, "past_deadline": "stop",
      "groups": [{"command": ["true"]}]})"),
      HasSubstr("run or cancel"));
}

TEST(JobJson, SaysWhatBecomesOfTasksThatYield) {
  const auto job = parse_job(Json::parse(
      R"({"on_preempt": "checkpoint", "checkpoint_signal": 12, "groups": [{"command": ["x"]}]})"));
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->on_preempt, sched::OnPreempt::checkpoint);
  const auto spec = decode_task_spec(std::as_bytes(std::span(job->groups[0].spec)));
  EXPECT_EQ(spec->checkpoint_signal, 12);
  EXPECT_EQ(spec->checkpoint_time, std::chrono::seconds(30));
  EXPECT_THAT(error(R"({"on_preempt": "stop", "groups": [{"command": ["x"]}]})"),
      HasSubstr("never, requeue, checkpoint or suspend"));
  EXPECT_THAT(error(R"({"checkpoint_signal": 10, "groups": [{"command": ["x"]}]})"),
      HasSubstr("checkpoint, if a signal"));
  EXPECT_THAT(error(R"({"on_preempt": "checkpoint", "checkpoint_signal": 9,
      "groups": [{"command": ["x"]}]})"),
      HasSubstr("a task can catch"));
}

TEST(JobJson, OnlyAFileCanBeginEmpty) {
  const auto job = parse_job(
      Json::parse(R"({"groups": [{"command": ["x"], "stderr": "/tmp/err", "truncate": true}]})"));
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_TRUE(decode_task_spec(std::as_bytes(std::span(job->groups[0].spec)))->truncate);
  EXPECT_THAT(error(R"({"groups": [{"command": ["x"], "stdout": "none", "truncate": true}]})"),
      HasSubstr("'groups[0].truncate' must be given along with stdout or stderr"));
}

TEST(JobJson, ASignalComesWithinATimeLimit) {
  const auto said = [](const std::string& members) {
    return R"({"groups": [{"command": ["x"], )" + members + "}]}";
  };
  const auto job =
      parse_job(Json::parse(said(R"("time_limit_ns": 60000000001, "limit_signal": 12)")));
  ASSERT_TRUE(job) << job.error().text;
  const auto spec = decode_task_spec(std::as_bytes(std::span(job->groups[0].spec)));
  EXPECT_EQ(spec->limit_signal, 12);
  EXPECT_EQ(spec->limit_signal_time, std::chrono::minutes(1)) << "none was said";
  EXPECT_THAT(error(said(R"("time_limit_ns": 60000000000, "limit_signal": 12)").c_str()),
      HasSubstr("limit_signal USR2@1m comes 1m before the end of a time limit of 1m"));
  EXPECT_THAT(error(said(R"("limit_signal": 12, "limit_signal_time_ns": 3000000000)").c_str()),
      HasSubstr("limit_signal USR2@3s comes before the end of a time limit, and there is none"));
  EXPECT_THAT(error(said(R"("time_limit_ns": 90000000000, "limit_signal": 9)").c_str()),
      HasSubstr("limit_signal KILL@1m: no task can catch it"));
  EXPECT_THAT(error(said(R"("time_limit_ns": 90000000000, "limit_signal": 65)").c_str()),
      HasSubstr("'groups[0].limit_signal' must be a whole number from 1 to 64"));
  EXPECT_THAT(error(said(R"("limit_signal_time_ns": 5)").c_str()),
      HasSubstr("'groups[0].limit_signal_time_ns' must be given along with limit_signal"));
}

TEST(JobJson, TasksThatNeverRunTwiceNeverYield) {
  const auto job = parse_job(Json::parse(R"({"rerun": "never", "groups": [{"command": ["x"]}]})"));
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->rerun, sched::Rerun::never);
  EXPECT_EQ(job->on_preempt, sched::OnPreempt::never);
  EXPECT_THAT(
      error(R"({"rerun": "once", "groups": [{"command": ["x"]}]})"), HasSubstr("always or never"));
}

TEST(JobJson, LabelsAreTextsByKeys) {
  const auto job = parse_job(Json::parse(
      R"({"comment": "third try", "labels": {"team": "a", "step": "2"},
          "groups": [{"command": ["x"]}]})"));
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->comment, "third try");
  ASSERT_EQ(job->labels.size(), 2u);
  EXPECT_EQ(job->labels[0], (sched::Label{.key = "step", .value = "2"}));
  EXPECT_EQ(job->labels[1], (sched::Label{.key = "team", .value = "a"}));
  EXPECT_THAT(error(R"({"labels": {"a b": "c"}, "groups": [{"command": ["x"]}]})"),
      HasSubstr("'a b=c' is no label"));
  EXPECT_THAT(error(R"({"labels": {"a=b": "c"}, "groups": [{"command": ["x"]}]})"),
      HasSubstr("is no label"));
  EXPECT_THAT(error(R"({"labels": {"a": 3}, "groups": [{"command": ["x"]}]})"),
      HasSubstr("'labels.a' must be"));
  EXPECT_THAT(
      error(R"({"labels": {"a": ""}, "groups": [{"command": ["x"]}]})"), HasSubstr("is no label"))
      << "a job has no label without a value";
}

TEST(JobJson, EntriesAreTasks) {
  const auto job =
      parse_job(Json::parse(R"({"groups": [{"command": ["x"], "entries": ["a", "", "c"]}]})"));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->groups[0].count, 3u);
  EXPECT_EQ(job->groups[0].entries[2], "c");
}

TEST(JobJson, BytesThatAreNoUtf8AreExact) {
  const auto job = parse_job(Json::parse(R"({"groups": [{
    "command": ["[a,b]", {"base64": "Y2Fm6Q=="}], "environment": {"A": {"base64": "/w=="}},
    "directory": {"base64": "L/8="}, "entries": [{"base64": "/v8="}, "b"]}]})"));
  ASSERT_TRUE(job) << job.error().text;
  const auto spec = decode_task_spec(std::as_bytes(std::span(job->groups[0].spec)));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->command.at(1).text, "caf\xe9");
  EXPECT_EQ(spec->environment.at(0), (Variable{"A", "\xff"}));
  EXPECT_EQ(spec->directory, "/\xff");
  EXPECT_EQ(job->groups[0].entries[0], "\xfe\xff");
  EXPECT_EQ(compact(command_json(*spec)), R"(["[a,b]",{"base64":"Y2Fm6Q=="}])");
}

TEST(JobJson, BytesAreForWhatProgramsAreHanded) {
  EXPECT_THAT(error(R"({"name": {"base64": "AA=="}, "groups": [{"command": ["a"]}]})"),
      HasSubstr("'name' must be a text"));
  for (const char* const word : {R"({"base64": "A"})", R"({"base64": 7})", R"({"base32": "AA=="})",
           R"({"base64": "YQ==", "more": 1})", R"({"base64": "AA=="})"}) {
    EXPECT_THAT(error((R"({"groups": [{"command": [)" + std::string(word) + "]}]}").c_str()),
        HasSubstr("'groups[0].command' must be a list of texts without zero bytes"))
        << word;
    EXPECT_THAT(
        error((R"({"groups": [{"command": ["a"], "entries": [)" + std::string(word) + "]}]}")
                .c_str()),
        HasSubstr("every line of a group must be a text without zero bytes"))
        << word;
  }
}

TEST(JobJson, SaysWhatIsWrong) {
  EXPECT_THAT(error(R"({})"), HasSubstr("'groups' must be"));
  EXPECT_THAT(error(R"({"class": "a b", "groups": [{"command": ["x"]}]})"),
      HasSubstr("\"a b\" is no name of a class"));
  EXPECT_THAT(error(R"({"groups": 7})"), HasSubstr("'groups' must be a list"));
  EXPECT_THAT(error(R"({"groups": [7]})"), HasSubstr("'groups[0]' must be an object"));
  EXPECT_THAT(error(R"({"groups": [{}]})"), HasSubstr("'groups[0].command' must be"));
  EXPECT_THAT(error(R"({"groups": [{"command": [1]}]})"), HasSubstr("'groups[0].command' must be"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["a\u0000b"]}]})"), HasSubstr("zero bytes"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["a"], "count": -1}]})"), HasSubstr("[0].count'"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["a"], "count": 1.5}]})"), HasSubstr("[0].count'"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["a"], "count": 1e99}]})"), HasSubstr("[0].count'"));
  EXPECT_THAT(
      error(R"({"groups": [{"command": ["a"], "demand": {"cpu_milli": 18446744073709551615}}]})"),
      HasSubstr("'groups[0].demand.cpu_milli' must be a whole number"));
  EXPECT_THAT(
      error(R"({"groups": [{"command": ["a"], "demand": []}]})"), HasSubstr("demand' must be"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["a"], "constraints": ["!!"]}]})"), HasSubstr("!!"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["%{NONSENSE}"]}]})"), HasSubstr("NONSENSE"));
  EXPECT_THAT(error(R"({"groups": [{"command": ["a"], "environment": {"A": 1}}]})"),
      HasSubstr("'groups[0].environment.A' must be a text"));
  EXPECT_THAT(
      error(R"({"groups": [{"command": ["a"], "retries": 99999}]})"), HasSubstr("retries'"));
}

// For tasks and for the command at the end alike.
TEST(JobJson, ACommandMayHaveAMebibyte) {
  const auto problem = [](const Json& words, const Json& end) {
    const Json group = {{"command", words}};
    const Json job = {{"groups", {group}}, {"on_end", {{"command", end}}}};
    const auto read = parse_job(job);
    return read ? "none" : read.error().text;
  };
  Json longest = Json::array();
  for (int i = 0; i < 8; ++i) longest.push_back(std::string(131'071, 'x'));
  longest.push_back("8 bytes.");
  EXPECT_EQ(problem(longest, longest), "none");
  Json more = longest;
  more.push_back("x");
  constexpr const char* kRefused = "1048577 bytes, and may have 1048576";
  EXPECT_THAT(problem(more, longest), HasSubstr(kRefused));
  EXPECT_THAT(problem(longest, more), HasSubstr(kRefused));
  Json word = Json::array();
  word.push_back(std::string(131'072, 'x'));
  EXPECT_THAT(problem(word, longest), HasSubstr("131072 where 131071 is the most"));
  EXPECT_THAT(problem(longest, word), HasSubstr("131072 where 131071 is the most"));
}

TEST(JobJson, BoundsAreThoseOfTheSchema) {
  const auto with = [](const std::string& members) {
    return error(("{\"groups\": [{\"command\": [\"x\"], " + members + "}]}").c_str());
  };
  EXPECT_EQ(with("\"duration_ns\": 315360000000000000"), "");
  EXPECT_THAT(with("\"duration_ns\": 315360000000000001"), HasSubstr("[0].duration_ns'"));
  EXPECT_EQ(with("\"time_limit_ns\": 4233600000000000"), "");
  EXPECT_THAT(with("\"time_limit_ns\": 4233600000000001"), HasSubstr("[0].time_limit_ns'"));
  EXPECT_THAT(with("\"count\": 1000001"), HasSubstr("[0].count'"));
  EXPECT_THAT(with("\"demand\": {\"cpu_milli\": 0}"), HasSubstr("from 1 to 1000000000"));
}

// The worker dropped them without a word.
TEST(JobJson, AVariableHasANameThatTasksCanHave) {
  for (const char* const name : {"", "A=B", "A B", "A\\n"}) {
    const std::string job = "{\"groups\": [{\"command\": [\"x\"], \"environment\": {\"" +
        std::string(name) + "\": \"1\"}}]}";
    EXPECT_THAT(error(job.c_str()), HasSubstr("'groups[0].environment' must be of names")) << name;
  }
  EXPECT_EQ(error(R"({"groups": [{"command": ["x"], "environment": {"f%%": "1"}}]})"), "");
}

TEST(JobJson, SizesAreBounded) {
  sched::TaskGroup group;
  std::size_t bytes = 0;
  EXPECT_FALSE(add_line(group, Json(std::string(kLineMax + 1, 'x')), bytes));
  EXPECT_FALSE(add_line(group, Json(7), bytes));
  EXPECT_TRUE(add_line(group, Json("fine"), bytes));
  bytes = kLinesMax;
  EXPECT_FALSE(add_line(group, Json("one more"), bytes));

  sched::Job job;
  job.groups.resize(2);
  job.groups[0].count = kSubmitTasksMax;
  job.groups[1].count = 1;
  EXPECT_FALSE(check_size(job));
  job.groups.pop_back();
  EXPECT_TRUE(check_size(job));
  job.groups[0].count = 0;
  EXPECT_FALSE(check_size(job));
}

}  // namespace
}  // namespace dunlin::node
