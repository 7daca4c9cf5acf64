// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/host_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNothingThere =
    "dunlin:arch x86_64\ndunlin:dir /h/.dunlin/lab\ndunlin:free 9000000\ndunlin:agent none\n";
constexpr const char* kToldUp =
    "dunlin:running aaaa\ndunlin:state up\ndunlin:address 10.0.0.1:7700\ndunlin:name n1\n"
    "dunlin:version 0.7.0\ndunlin:tasks 3\n";

RemoteResult well(const std::string& out = "") {
  return {.status = 0, .timed_out = false, .out = out, .err = ""};
}
RemoteResult ssh_says(const std::string& err) {
  return {.status = 255, .timed_out = false, .out = "", .err = err};
}

class HostLaunchTest : public ::testing::Test {
 protected:
  HostLaunchTest() {
    terms.cluster = "lab";
    terms.programs = {.hash = "bbbb", .arch = "x86_64", .libc = "glibc 2.36", .files = {}};
    terms.programs.files = {
        {"dunlin", "s1", "one"}, {"dunlin-agent", "s2", "two"}, {"dunlin-warden", "s3", "three"}};
    terms.key = "bytes of a key";
  }

  HostLaunch make(LaunchVerb verb) {
    terms.verb = verb;
    return HostLaunch(terms, {.name = "n1"}, 0);
  }
  /// Takes the next command, which must be that one, and answers it.
  static void answer(HostLaunch& host,
      LaunchStep step,
      const RemoteResult& result,
      const std::string& contacts = "10.0.0.9:7700") {
    const auto command = host.next(contacts, false);
    ASSERT_TRUE(command) << word_of(step);
    ASSERT_EQ(command->step, step) << word_of(command->step);
    host.take(result);
  }
  static void answer_look(HostLaunch& host, const std::string& out) {
    answer(host, LaunchStep::probe, well(out));
  }

  LaunchTerms terms;
};

TEST_F(HostLaunchTest, AnEmptyHostGetsProgramsKeyAndStart) {
  HostLaunch host = make(LaunchVerb::launch);
  EXPECT_EQ(host.phase(), HostPhase::waiting);
  answer_look(host, kNothingThere);
  for (const char* const bytes : {"one", "two", "three"}) {
    const auto command = host.next("", false);
    ASSERT_TRUE(command);
    EXPECT_EQ(command->step, LaunchStep::put_program);
    EXPECT_EQ(command->payload, bytes);
    host.take(well());
  }
  const auto key = host.next("", false);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->step, LaunchStep::put_key);
  EXPECT_EQ(key->payload, "bytes of a key");
  // On standard input alone, in no script and no word of a command.
  EXPECT_THAT(key->script, Not(HasSubstr("bytes of a key")));
  host.take(well());
  answer(host, LaunchStep::start, well(kToldUp));
  EXPECT_EQ(host.phase(), HostPhase::done);
  EXPECT_EQ(host.report().agent, "up");
  EXPECT_EQ(host.report().did, "programs sent, started");
  EXPECT_EQ(host.report().address, "10.0.0.1:7700");
  EXPECT_EQ(host.report().directory, "/h/.dunlin/lab");
  EXPECT_FALSE(host.next("", true));
}

TEST_F(HostLaunchTest, SaidAgainItChangesNothing) {
  HostLaunch host = make(LaunchVerb::launch);
  answer_look(host, std::string(kNothingThere) + "dunlin:agent up\n" + kToldUp);
  EXPECT_EQ(host.phase(), HostPhase::done);
  EXPECT_EQ(host.report().did, "nothing to do");
}

TEST_F(HostLaunchTest, OnlyWhatIsMissingIsSent) {
  HostLaunch host = make(LaunchVerb::launch);
  answer_look(host,
      std::string(kNothingThere) +
          "dunlin:have dunlin\ndunlin:have dunlin-warden\ndunlin:key there\n");
  EXPECT_EQ(host.report().agent, "down");
  const auto command = host.next("", false);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->payload, "two");
  host.take(well());
  answer(host, LaunchStep::put_key, well());
}

TEST_F(HostLaunchTest, WithoutAKeyHereItNeedsTheOneThatIsThere) {
  terms.key.clear();
  HostLaunch without = make(LaunchVerb::launch);
  answer_look(without, kNothingThere);
  EXPECT_THAT(without.report().problem, HasSubstr("it lacks the key"));
  HostLaunch with = make(LaunchVerb::launch);
  answer_look(with,
      std::string(kNothingThere) +
          "dunlin:have dunlin\ndunlin:have dunlin-agent\ndunlin:have dunlin-warden\n"
          "dunlin:key there\n");
  answer(with, LaunchStep::start, well(kToldUp));
  EXPECT_EQ(with.report().did, "started");
}

// Two hosts that found a cluster each would never meet, although they have one key.
TEST_F(HostLaunchTest, ItWaitsForContactsUnlessItMayFoundTheCluster) {
  terms.key.clear();
  HostLaunch host = make(LaunchVerb::launch);
  answer_look(host,
      std::string(kNothingThere) +
          "dunlin:have dunlin\ndunlin:have dunlin-agent\ndunlin:have dunlin-warden\n"
          "dunlin:key there\n");
  EXPECT_FALSE(host.next("", false));
  EXPECT_EQ(host.phase(), HostPhase::seedless);
  const auto joins = host.next("10.0.0.9:7700", false);
  ASSERT_TRUE(joins);
  EXPECT_THAT(joins->script, HasSubstr("--join=10.0.0.9:7700"));
  terms.known = "10.0.0.8:7700";
  const auto founds = host.next("", true);
  ASSERT_TRUE(founds);
  EXPECT_THAT(founds->script, HasSubstr("peers=''"));
  EXPECT_THAT(founds->script, HasSubstr("--join=10.0.0.8:7700"));
}

TEST_F(HostLaunchTest, MachinesThatCannotRunItAreNamed) {
  HostLaunch other = make(LaunchVerb::launch);
  answer_look(other, std::string(kNothingThere) + "dunlin:arch aarch64\n");
  EXPECT_THAT(other.report().problem, HasSubstr("it is aarch64"));
  EXPECT_THAT(other.report().problem, HasSubstr("--programs"));
  HostLaunch full = make(LaunchVerb::launch);
  answer_look(full, std::string(kNothingThere) + "dunlin:free 100\n");
  EXPECT_THAT(full.report().problem, HasSubstr("is full"));
}

TEST_F(HostLaunchTest, WhatAStepSaysIsTold) {
  HostLaunch host = make(LaunchVerb::launch);
  answer(host, LaunchStep::probe,
      {.status = 1, .timed_out = false, .out = "dunlin:fail x is shared: use --dir\n", .err = ""});
  EXPECT_EQ(host.phase(), HostPhase::failed);
  EXPECT_EQ(host.report().problem, "x is shared: use --dir");
}

// A stranger's words must not move the cursor of a terminal.
TEST_F(HostLaunchTest, WordsOfHostsArePrintable) {
  HostLaunch host = make(LaunchVerb::launch);
  answer(host, LaunchStep::probe,
      {.status = 1, .timed_out = false, .out = "dunlin:fail \x1b[2J\n", .err = ""});
  EXPECT_EQ(host.report().problem, "?[2J");
}

TEST_F(HostLaunchTest, SshIsUnderstood) {
  const auto problem = [&](const RemoteResult& result) {
    HostLaunch host = make(LaunchVerb::launch);
    answer(host, LaunchStep::probe, result);
    EXPECT_EQ(host.phase(), HostPhase::failed);
    return host.report().problem;
  };
  EXPECT_THAT(problem(ssh_says("Host key verification failed.\r\n")), HasSubstr("is not known"));
  EXPECT_THAT(problem(ssh_says("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key "
                               "verification failed.\n")),
      HasSubstr("is not the one that is known"));
  EXPECT_THAT(
      problem(ssh_says("a@n1: Permission denied (publickey).\n")), HasSubstr("ssh-copy-id"));
  EXPECT_THAT(problem(ssh_says("ssh: connect to host n1 port 22: Connection refused\n")),
      HasSubstr("no ssh server listens"));
  EXPECT_THAT(
      problem(ssh_says("ssh: Could not resolve hostname n1: x\n")), HasSubstr("no such name"));
  EXPECT_THAT(problem({.status = 137, .timed_out = true, .out = "", .err = ""}),
      HasSubstr("does not answer within 30 s"));
  EXPECT_THAT(problem(well("Welcome!\n")), HasSubstr("login shell"));
}

// MaxStartups of a busy sshd drops some connections by chance.
TEST_F(HostLaunchTest, AConnectionThatIsClosedAtOnceIsTriedAgain) {
  HostLaunch host = make(LaunchVerb::launch);
  const auto closed = ssh_says("kex_exchange_identification: Connection closed by remote host\n");
  std::chrono::milliseconds before{-1};
  for (int i = 0; i < 3; ++i) {
    const auto command = host.next("", false);
    ASSERT_TRUE(command);
    EXPECT_GT(command->delay, before);
    before = command->delay;
    host.take(closed);
    EXPECT_EQ(host.phase(), HostPhase::at_work);
  }
  answer(host, LaunchStep::probe, closed);
  EXPECT_EQ(host.phase(), HostPhase::failed);
  EXPECT_THAT(host.report().problem, HasSubstr("MaxStartups"));
}

TEST_F(HostLaunchTest, AStepThatTakesTooLongIsNamed) {
  HostLaunch host = make(LaunchVerb::launch);
  answer_look(host, kNothingThere);
  answer(host, LaunchStep::put_program, {.status = 137, .timed_out = true, .out = "", .err = ""});
  EXPECT_EQ(host.report().problem, "the step 'programs' took more than 30 s");
}

TEST_F(HostLaunchTest, AnUpgradeRestartsWithNewProgramsOnly) {
  HostLaunch host = make(LaunchVerb::upgrade);
  const std::string up = std::string(kNothingThere) + "dunlin:agent up\n" + kToldUp;
  answer_look(host, up + "dunlin:have dunlin\ndunlin:have dunlin-agent\n");
  answer(host, LaunchStep::put_program, well());
  answer(host, LaunchStep::restart, well(kToldUp));
  EXPECT_EQ(host.report().did, "programs sent, restarted");
  HostLaunch same = make(LaunchVerb::upgrade);
  answer_look(same, up + "dunlin:running bbbb\n");
  EXPECT_EQ(same.report().did, "nothing to do");
  HostLaunch lost = make(LaunchVerb::upgrade);
  answer_look(
      lost, up + "dunlin:have dunlin\ndunlin:have dunlin-agent\ndunlin:have dunlin-warden\n");
  answer(lost, LaunchStep::restart, well("dunlin:fail it ended at once\n"));
  EXPECT_EQ(lost.phase(), HostPhase::failed);
  EXPECT_EQ(lost.report().agent, "");  // So no host is told to join it.
  HostLaunch down = make(LaunchVerb::upgrade);
  answer_look(down, kNothingThere);
  EXPECT_EQ(down.phase(), HostPhase::failed);
}

TEST_F(HostLaunchTest, StopAndRemoveDoWhatIsLeftToDo) {
  const std::string up = std::string(kNothingThere) + "dunlin:agent up\n" + kToldUp;
  HostLaunch stop = make(LaunchVerb::stop);
  answer_look(stop, up);
  answer(stop, LaunchStep::stop, well());
  EXPECT_EQ(stop.report().agent, "down");
  HostLaunch again = make(LaunchVerb::stop);
  answer_look(again, std::string(kNothingThere) + "dunlin:key there\n");
  EXPECT_EQ(again.report().did, "nothing to do");
  HostLaunch remove = make(LaunchVerb::remove);
  answer_look(remove, up);
  answer(remove, LaunchStep::stop, well());
  answer(remove, LaunchStep::remove, well());
  EXPECT_EQ(remove.report().agent, "removed");
  EXPECT_EQ(remove.report().did, "stopped, removed");
}

TEST_F(HostLaunchTest, ADryRunLooksAndDoesNothing) {
  terms.dry_run = true;
  HostLaunch host = make(LaunchVerb::launch);
  answer_look(host, kNothingThere);
  EXPECT_EQ(host.phase(), HostPhase::done);
  EXPECT_EQ(host.report().did, "would send the programs, would start");
  HostLaunch remove = make(LaunchVerb::remove);
  answer_look(remove, std::string(kNothingThere) + "dunlin:agent up\n" + kToldUp);
  EXPECT_EQ(remove.phase(), HostPhase::done);
  EXPECT_EQ(remove.report().did, "would stop, would remove /h/.dunlin/lab");
}

TEST_F(HostLaunchTest, AStatusOnlyLooks) {
  HostLaunch host = make(LaunchVerb::status);
  answer_look(host, std::string(kNothingThere) + "dunlin:agent mute\ndunlin:running aaaa\n");
  EXPECT_EQ(host.phase(), HostPhase::done);
  EXPECT_EQ(host.report().agent, "mute");
  EXPECT_EQ(host.report().programs, "aaaa");
}

}  // namespace
}  // namespace dunlin::cli
