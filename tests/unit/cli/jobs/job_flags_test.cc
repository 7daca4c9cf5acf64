// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_flags.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"
#include "tools/dunlin/jobs/job_file.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobFlagsTest : public ::testing::Test {
 protected:
  JobFlagsTest() { flags.command = {"true"}; }

  Json group(const std::string& here = "/here") const {
    const auto request = job_request(flags, here);
    EXPECT_TRUE(request) << request.error().text;
    return request ? to_json(*request).at("groups").at(0) : Json();
  }
  std::string problem() const {
    const auto request = job_request(flags, "/here");
    return request ? "none" : request.error().text;
  }
  std::vector<std::string> line_words(std::vector<std::string> command) {
    flags.command = std::move(command);
    flags.each_line = "lines";
    const auto request = job_request(flags, "/here");
    std::vector<std::string> words;
    if (!request) return {request.error().text};
    for (const auto& word : request->groups[0].spec.command) words.push_back(word.text);
    return words;
  }

  JobFlags flags;
};

// Files of a careful user were open to all.
TEST_F(JobFlagsTest, TheUmaskGoesWithTheJob) {
  const mode_t before = ::umask(077);
  const Json careful = group();
  ::umask(before);
  EXPECT_EQ(careful.at("umask"), 077);
  EXPECT_EQ(group().at("umask"), before);
}

TEST_F(JobFlagsTest, LimitsGoWithTheJob) {
  flags.limits = {"nofile=4096", "core=unlimited", "stack=64M", "cpu=1h", "nofile=5000"};
  EXPECT_EQ(group().at("limits"),
      (Json{{"nofile", 5000}, {"core", -1}, {"stack", 64 << 20}, {"cpu", 3600}}));
  flags.limits = {"files=3"};
  EXPECT_THAT(
      problem(), HasSubstr("--rlimit: 'files=3' is not NAME=VALUE; there are nofile, core"));
  for (const char* const wrong :
      {"nofile", "nofile=", "nofile=-1", "nofile=4k", "stack=9999999T", "cpu=1 moon"}) {
    flags.limits = {wrong};
    EXPECT_THAT(problem(), HasSubstr("--rlimit: '")) << wrong;
  }
}

TEST_F(JobFlagsTest, LabelsAndCommentGoWithTheJob) {
  flags.comment = "third try";
  flags.labels = {"team=a", "step=1", "step=2"};
  const auto request = job_request(flags, "/here");
  ASSERT_TRUE(request) << request.error().text;
  const Json job = to_json(*request);
  EXPECT_EQ(job.at("comment"), "third try");
  EXPECT_EQ(job.at("labels"), (Json{{"step", "2"}, {"team", "a"}}));
  flags.labels = {"team"};
  EXPECT_THAT(problem(), HasSubstr("--job-label: 'team' is no label: write KEY=VALUE"));
  flags.labels = {"team=\xff"};
  EXPECT_THAT(problem(), HasSubstr("the label team has a value that is no UTF-8 text"));
  flags.labels = {};
  flags.comment = std::string(1024, 'x');
  EXPECT_THAT(problem(), HasSubstr("--comment: a comment is at most 1023 bytes"));
}

TEST_F(JobFlagsTest, FilesOfOutputMayBeginEmpty) {
  flags.truncate = true;
  EXPECT_THAT(problem(), HasSubstr("truncate: there is no file that could begin empty"));
  flags.stdout_path = "out";
  EXPECT_EQ(group().at("truncate"), true);
  flags.truncate = false;
  EXPECT_FALSE(group().contains("truncate"));
}

TEST_F(JobFlagsTest, AScriptIsReadFromItsFile) {
  const test::Scratch scratch;
  flags.script = scratch / "train.py";
  flags.command = {"--epochs", "3"};
  EXPECT_EQ(problem(), "--script: " + flags.script + ": No such file or directory");
  test::write_file(flags.script, "#!/usr/bin/env python3\nprint('%{x}')\n");
  EXPECT_EQ(group().at("script"), "#!/usr/bin/env python3\nprint('%{x}')\n");
  EXPECT_EQ(group().at("command"), (Json{"--epochs", "3"}));
  EXPECT_EQ(job_request(flags, "/here")->name, "train.py");
  EXPECT_THAT(line_words({"sh", "-c", "a"}), ElementsAre("sh", "-c", "a", "%{ENTRY}"))
      << "arguments are no shell's";
  EXPECT_THAT(line_words({}), ElementsAre("%{ENTRY}"));
  test::write_file(flags.script, "print()\n");
  EXPECT_THAT(problem(), HasSubstr(flags.script + ": the script has no #! line"));
  test::write_file(flags.script, "");
  EXPECT_THAT(problem(), HasSubstr(": the script is empty"));
  test::write_file(flags.script, "#!/bin/sh\n" + std::string(1 << 20, '#'));
  EXPECT_THAT(problem(), HasSubstr(": larger than 1 MiB"));
}

TEST_F(JobFlagsTest, ASignalBeforeTheTimeLimitIsSaidByNameOrNumber) {
  flags.time_limit = "2m";
  for (const char* const text : {"USR2@1m", "SIGUSR2@60s", "12@00:01:00", "USR2"}) {
    flags.limit_signal = text;
    EXPECT_EQ(group().at("limit_signal"), 12) << text;
    EXPECT_EQ(group().at("limit_signal_time_ns"), 60'000'000'000) << text;
  }
  flags.limit_signal = "USR9@30s";
  EXPECT_EQ(problem(), "--limit-signal: 'USR9' is no signal; one is USR1, SIGUSR1 or 10");
  flags.limit_signal = "STOP@30s";
  EXPECT_THAT(problem(), HasSubstr("--limit-signal: no task can catch 'STOP'"));
  flags.limit_signal = "USR2@30";
  EXPECT_THAT(problem(), HasSubstr("--limit-signal: 'USR2@30': after the @, '30' is no time"));
  flags.limit_signal = "USR2@50d";
  EXPECT_THAT(problem(), HasSubstr("must be at most 49d"));
  flags.limit_signal = "USR2@2m";
  EXPECT_THAT(
      problem(), HasSubstr("limit_signal USR2@2m comes 2m before the end of a time limit of 2m"));
  flags.time_limit.clear();
  EXPECT_THAT(problem(), HasSubstr("there is none: give a time limit of more than 2m"));
}

TEST_F(JobFlagsTest, TasksThatNeverRunTwiceHaveNoRetriesAndNeverYield) {
  flags.rerun = "never";
  const auto request = job_request(flags, "/here");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(to_json(*request).at("rerun"), "never");
  flags.retries = 1;
  EXPECT_THAT(problem(), HasSubstr("--rerun says never"));
  flags.retries = 0;
  flags.on_preempt = "suspend";
  EXPECT_THAT(problem(), HasSubstr("leave out --on-preempt"));
  flags.on_preempt = "never";
  EXPECT_EQ(problem(), "none");
}

TEST_F(JobFlagsTest, ATimeToBeginGoesWithTheJob) {
  flags.begin = "90m";
  const auto request = job_request(flags, "/here");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(to_json(*request).at("begin_ns"), std::int64_t{90 * 60} * 1'000'000'000);
  flags.begin = "2001-01-01T00:00Z";
  EXPECT_THAT(problem(), HasSubstr("--begin: '2001-01-01T00:00Z' is past: a begin lies ahead"));
}

TEST_F(JobFlagsTest, OnlyWhatTheUserWroteHoldsPlaceholders) {
  EXPECT_EQ(group("/data/sp%{NODE}x").at("directory"), "/data/sp%%{NODE}x");
  EXPECT_EQ(group("/data/sp%{NODE}x").at("submit_directory"), "/data/sp%{NODE}x");
  flags.directory = "run.%{TASK_INDEX}";
  flags.stdout_path = "out.%{TASK_INDEX}";
  const Json there = group("/%{x");
  EXPECT_EQ(there.at("directory"), "/%%{x/run.%{TASK_INDEX}");
  EXPECT_EQ(there.at("stdout"), "/%%{x/out.%{TASK_INDEX}");
}

TEST_F(JobFlagsTest, ALiteralCommandHasNoPlaceholders) {
  flags.command = {"curl", "-w", "%{http_code}"};
  EXPECT_THAT(problem(), HasSubstr("write %%{"));
  EXPECT_THAT(problem(), HasSubstr("--literal"));
  flags.literal = true;
  const Json literal = group("/sp%{NODE}x");
  EXPECT_EQ(literal.at("literal"), true);
  EXPECT_EQ(literal.at("command"), (Json{"curl", "-w", "%{http_code}"}));
  EXPECT_EQ(literal.at("directory"), "/sp%{NODE}x");
  EXPECT_THAT(line_words({"curl", "-w", "%{http_code}"}),
      ElementsAre("curl", "-w", "%%{http_code}", "%{ENTRY}"));
}

// The shell took the line for its own name, $0, and nothing was tested.
TEST_F(JobFlagsTest, TheScriptOfAShellGetsItsLine) {
  EXPECT_THAT(line_words({"test", "-f"}), ElementsAre("test", "-f", "%{ENTRY}"));
  EXPECT_THAT(line_words({"sh", "-c", "echo got $1"}),
      ElementsAre("sh", "-c", "echo got $1", "sh", "%{ENTRY}"));
  EXPECT_THAT(line_words({"bash", "-ec", "test -f \"$DUNLIN_ENTRY\""}),
      ElementsAre("bash", "-ec", "test -f \"$DUNLIN_ENTRY\"", "sh", "%{ENTRY}"));
  EXPECT_THAT(line_words({"sh", "-c", "echo \"${@}\"", "me"}),
      ElementsAre("sh", "-c", "echo \"${@}\"", "me", "%{ENTRY}"));
  EXPECT_THAT(
      line_words({"sh", "-c", "test -f"}), ElementsAre(HasSubstr("never looks at its line")));
  EXPECT_THAT(
      line_words({"sh", "-c", "echo $HOME"}), ElementsAre(HasSubstr("never looks at its line")));
  EXPECT_THAT(line_words({"sh", "-c", "rm %{ENTRY}"}), ElementsAre(HasSubstr("$DUNLIN_ENTRY")));
}

TEST_F(JobFlagsTest, ATextCommandOfAJobFileGetsItsLineToo) {
  const auto done = [](const std::string& command) {
    auto job = parse_job_file(
        "[[group]]\ncommand = " + command + "\neach_line = \"parts.txt\"\n", "job.toml", "/");
    const auto fine = complete(job.value());
    return fine ? job->groups[0].spec.command.back().text : fine.error().text;
  };
  EXPECT_THAT(done("\"test -f\""), HasSubstr("job.toml:1: the script of the shell never looks"));
  EXPECT_EQ(done("'test -f \"$1\"'"), "%{ENTRY}");
  EXPECT_EQ(done("[\"test\", \"-f\"]"), "%{ENTRY}");
}

TEST_F(JobFlagsTest, AJobFileSaysTheSurroundingsOfItsTasks) {
  auto job = parse_job_file(
      "[[group]]\ncommand = [\"rpm\", \"--qf\", \"%{NAME}\"]\nliteral = true\numask = \"077\"\n"
      "rlimit = { nofile = 4096, stack = \"64M\" }\n",
      "job.toml", "/");
  ASSERT_TRUE(job) << job.error().text;
  ASSERT_TRUE(complete(*job));
  const Json group = to_json(*job).at("groups").at(0);
  EXPECT_EQ(group.at("literal"), true);
  EXPECT_EQ(group.at("umask"), 077);
  EXPECT_EQ(group.at("limits"), (Json{{"nofile", 4096}, {"stack", 64 << 20}}));
}

TEST_F(JobFlagsTest, WordsAndVariablesAreBoundedAsInLinux) {
  flags.command = {"true", std::string(131'071, 'x')};
  EXPECT_EQ(problem(), "none");
  flags.command.back() += 'x';
  EXPECT_THAT(problem(),
      HasSubstr("word 2 of the command has 131072 bytes, and Linux takes words "
                "of 131071"));
  flags.command.pop_back();
  flags.environment = {"A=" + std::string(131'069, 'x')};
  EXPECT_EQ(problem(), "none");
  flags.environment.front() += 'x';
  EXPECT_THAT(problem(), HasSubstr("--env A has 131070 bytes, and may have 131069"));
}

TEST_F(JobFlagsTest, ACommandAndItsVariablesMayHaveAMebibyte) {
  flags.command.assign(8, std::string(130'000, 'x'));
  flags.environment = {"A=" + std::string((1 << 20) - 8 * 130'000 - 1, 'y')};
  EXPECT_EQ(problem(), "none");
  flags.command.emplace_back("z");
  EXPECT_THAT(problem(), HasSubstr("1048577 bytes, and may have 1048576 (1 MiB)"));
  flags.command.assign(4097, "x");
  EXPECT_THAT(problem(), HasSubstr("the command has 4097 words, and may have 4096"));
}

TEST_F(JobFlagsTest, BoundsHoldHereInTheWordsOfTheFlags) {
  flags.time_limit = "100d";
  EXPECT_EQ(problem(), "--time-limit: must be at most 49d");
  flags.time_limit.clear();
  flags.duration = "4000d";
  EXPECT_EQ(problem(), "--duration: must be at most 3650d");
  flags.duration.clear();
  flags.checkpoint_time = "25h";
  EXPECT_EQ(problem(), "--checkpoint-time: must be at most 1d");
  flags.checkpoint_time.clear();
  flags.count = 2'000'000;
  EXPECT_THAT(problem(), HasSubstr("--count: must be from 1 to 1000000"));
  flags.count = 1'000'000;
  EXPECT_EQ(problem(), "none");
}

// An estimate took the place of "no limit", as it could not be told from nothing said.
TEST_F(JobFlagsTest, MemoryThatIsSaidIsSent) {
  EXPECT_FALSE(group().at("demand").contains("memory_mib"));
  flags.memory = "0M";
  EXPECT_EQ(group().at("demand").at("memory_mib"), 0);
}

TEST_F(JobFlagsTest, SomeOfItsTasksRunAtOnce) {
  EXPECT_FALSE(group().contains("at_once"));
  flags.at_once = 3;
  EXPECT_EQ(group().at("at_once"), 3);
  flags.array = "0-9";
  EXPECT_THAT(problem(), HasSubstr("--array and --at-once"));
}

TEST_F(JobFlagsTest, AVariableIsNamedAsTheAgentTakesIt) {
  flags.environment = {"BASH_FUNC_say%%=() { echo hello; }"};
  EXPECT_TRUE(group().at("environment").contains("BASH_FUNC_say%%"));
  for (const char* const wrong : {"=x", "A B=1", "A\tB=1"}) {
    flags.environment = {wrong};
    EXPECT_THAT(problem(), HasSubstr("is no variable: write NAME=value")) << wrong;
  }
}

TEST_F(JobFlagsTest, AJobIsNamedByWhatItsShellRuns) {
  const auto name = [&](std::vector<std::string> command) {
    flags.command = std::move(command);
    return job_request(flags, "/here")->name;
  };
  EXPECT_EQ(name({"/usr/bin/make", "all"}), "make");
  EXPECT_EQ(name({"sh", "-c", "./train --epochs 3 | tee log"}), "train");
  EXPECT_EQ(name({"/bin/sh", "-c", "  make all && echo done"}), "make");
  EXPECT_EQ(name({"sh", "-c", "(cd x; y)"}), "sh");
  EXPECT_EQ(name({"sh", "script"}), "sh");
}

}  // namespace
}  // namespace dunlin::cli
