// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <gmock/gmock.h>
#include <string>

#include "tools/dunlin/jobs/job_file.h"
#include "tools/dunlin/jobs/job_flags.h"
#include "tools/dunlin/jobs/job_request.h"

// What a user says of tasks that may be in the way of others.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

class PreemptFlags : public ::testing::Test {
 protected:
  PreemptFlags() { flags.command = {"true"}; }
  Json json() const { return to_json(job_request(flags, "/here").value()); }
  std::string problem() const {
    const auto request = job_request(flags, "/here");
    return request ? "" : request.error().text;
  }
  JobFlags flags;
};

TEST_F(PreemptFlags, AreSaidOnlyIfTheUserSaysThem) {
  EXPECT_FALSE(json().contains("on_preempt"));
  flags.no_preempt = true;
  EXPECT_EQ(json().at("on_preempt"), "never");
}

// Job files and the protocol took it, the flag did not.
TEST_F(PreemptFlags, NeverIsAWordOfTheFlag) {
  CLI::App app;
  JobFlags said;
  add_job_flags(app, said);
  app.parse("--on-preempt never");
  EXPECT_EQ(said.on_preempt, "never");
  EXPECT_THROW(app.parse("--on-preempt no"), CLI::ParseError);
}

TEST_F(PreemptFlags, ASuspendedTaskNeedsNoWarning) {
  flags.on_preempt = "suspend";
  EXPECT_EQ(json().at("on_preempt"), "suspend");
  flags.checkpoint_time = "90s";
  EXPECT_THAT(problem(), HasSubstr("of no use with on_preempt suspend"));
}

TEST_F(PreemptFlags, ASignalOrATimeIsACheckpoint) {
  flags.checkpoint_signal = "USR2";
  flags.checkpoint_time = "90s";
  EXPECT_EQ(json().at("on_preempt"), "checkpoint");
  EXPECT_EQ(json().at("checkpoint_signal"), SIGUSR2);
  EXPECT_EQ(json().at("checkpoint_time_ns"), 90'000'000'000);
  flags.on_preempt = "requeue";
  EXPECT_THAT(problem(), HasSubstr("use --on-preempt checkpoint"));
}

TEST_F(PreemptFlags, WrongSignalsAreNamedWithTheCure) {
  EXPECT_EQ(parse_signal("SIGUSR1").value(), SIGUSR1);
  EXPECT_EQ(parse_signal("10").value(), 10);
  flags.checkpoint_signal = "USR3";
  EXPECT_EQ(problem(), "--checkpoint-signal: 'USR3' is no signal; one is USR1, SIGUSR1 or 10");
  flags.checkpoint_signal = "KILL";
  EXPECT_THAT(problem(), HasSubstr("no task can catch 'KILL'"));
  flags.checkpoint_signal = "USR1";
  flags.checkpoint_time = "soon";
  EXPECT_THAT(problem(), HasSubstr("--checkpoint-time: "));
}

TEST_F(PreemptFlags, StandInJobFiles) {
  const auto read = [](const std::string& keys) {
    return parse_job_file(keys + "[[group]]\ncommand = [\"x\"]\n", "job.toml", "/here");
  };
  const auto job = read("checkpoint_signal = \"USR1\"\ncheckpoint_time = \"1m\"\n");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->checkpoint_signal, SIGUSR1);
  EXPECT_EQ(job->checkpoint_time, std::chrono::minutes(1));
  EXPECT_EQ(read("on_preempt = \"never\"\n")->on_preempt, "never");
  EXPECT_EQ(read("on_preempt = \"suspend\"\n")->on_preempt, "suspend");
  EXPECT_THAT(read("on_preempt = \"stop\"\n").error().text, HasSubstr("job.toml:1: on_preempt"));
  EXPECT_THAT(read("checkpoint_signal = \"NO\"\n").error().text, HasSubstr("is no signal"));
}

}  // namespace
}  // namespace dunlin::cli
