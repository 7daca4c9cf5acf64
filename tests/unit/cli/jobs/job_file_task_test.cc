// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"
#include "tests/unit/cli/jobs/parsed_file.h"
#include "tools/dunlin/jobs/script_file.h"

// What a job file says of the tasks themselves: their script, their files, their signals.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

TEST(JobFile, FilesOfOutputMayBeginEmpty) {
  const char* const text = R"(
[[group]]
command = "true"
stdout = "out"
truncate = true
)";
  EXPECT_TRUE(parse(text)->groups[0].spec.truncate);
  EXPECT_THAT(problem("[[group]]\ncommand = \"true\"\ntruncate = 1\n"),
      HasSubstr("truncate: must be true or false"));
}

TEST(JobFile, AScriptStandsInItOrInAFile) {
  const char* const text = R"(
[[group]]
script = """
#!/usr/bin/env -S python3 -u
print("\"")
"""
command = ["0.1", "out"]
)";
  const auto job = parse(text);
  ASSERT_TRUE(job) << job.error().text;
  const GroupRequest& group = job->groups[0];
  EXPECT_EQ(group.spec.script, "#!/usr/bin/env -S python3 -u\nprint(\"\"\")\n");
  EXPECT_EQ(program_of(group), "python3");
  const Json said = to_json(*job);
  EXPECT_EQ(said.at("strict"), true) << "an agent of before would run its arguments";
  EXPECT_EQ(said.at("groups").at(0).at("script"), group.spec.script);
  EXPECT_EQ(said.at("groups").at(0).at("command"), (Json{"0.1", "out"}));

  EXPECT_THAT(problem("[[group]]\nscript = \"echo\"\n"),
      StartsWith("job.toml:2: script: the script has no #! line: begin it with"));
  EXPECT_THAT(problem("[[group]]\nscript = \"\"\ncommand = \"a\"\n"),
      StartsWith("job.toml:2: script: must be a text that begins with a #! line"));
  EXPECT_THAT(problem("[[group]]\nscript = \"#!/bin/sh\"\ncommand = \"a b\"\n"),
      StartsWith("job.toml:3: command: beside a script it is the list of its arguments"));
  EXPECT_THAT(problem("[[group]]\nscript = \"#!/bin/sh\"\nscript_file = \"a\"\n"),
      StartsWith("job.toml:3: script_file: the group has a script already"));
  EXPECT_THAT(problem("[[group]]\ncount = 2\n"), HasSubstr("a group needs a command, or a script"));
}

// Relative to the job file, which is often submitted from elsewhere.
TEST(JobFile, TheFileOfAScriptIsReadBesideIt) {
  const test::Scratch scratch;
  test::write_file(scratch / "run.sh", "#!/bin/sh\necho\n");
  test::write_file(scratch / "job.toml", "[[group]]\nscript_file = \"run.sh\"\n");
  auto job = read_job_file(scratch / "job.toml", "/here");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->groups[0].spec.script, "#!/bin/sh\necho\n");
  ASSERT_TRUE(complete(*job));
  EXPECT_EQ(job->name, "run.sh");
  test::write_file(scratch / "job.toml", "[[group]]\nscript_file = \"none.sh\"\n");
  EXPECT_THAT(read_job_file(scratch / "job.toml", "/here").error().text,
      HasSubstr("job.toml:1: script_file: "));
}

TEST(JobFile, ASignalMayComeBeforeTheTimeLimit) {
  const auto job =
      parse("[[group]]\ncommand = \"true\"\nlimit_signal = \"USR2@30s\"\ntime_limit = \"1m\"\n");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->groups[0].spec.limit_signal, 12);
  EXPECT_EQ(job->groups[0].spec.limit_signal_time, 30s);
  EXPECT_THAT(problem("[[group]]\ncommand = \"true\"\nlimit_signal = \"NO\"\n"),
      HasSubstr("job.toml:3: limit_signal: 'NO' is no signal"));
  EXPECT_THAT(problem("[[group]]\ncommand = \"true\"\nlimit_signal = 12\n"),
      HasSubstr("limit_signal: must be a string"));
}

}  // namespace
}  // namespace dunlin::cli
