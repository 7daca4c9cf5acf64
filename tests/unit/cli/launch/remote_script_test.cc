// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/remote_script.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/support/scratch.h"
#include "tools/dunlin/launch/child_process.h"

// What runs on hosts, run here by the plainest shell there is: the home is a directory of the test,
// and the programs are sh, which is what the steps do not look into.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

struct ShellRun {
  int status = -1;
  std::string out;
  std::string err;
  RemoteFacts facts;
};

class RemoteScriptTest : public ::testing::Test {
 protected:
  RemoteScriptTest() {
    terms.cluster = "lab";
    terms.programs.hash = "0123456789abcdef";
    std::filesystem::create_directory(scratch / "home");
    std::filesystem::create_directory(scratch / "bin");
  }

  /// A command that goes before those of the system.
  void command(const std::string& name, const std::string& text) {
    std::ofstream(scratch / "bin/" + name) << "#!/bin/sh\n" << text << "\n";
    ::chmod((scratch / "bin/" + name).c_str(), 0755);
  }

  /// As a login shell of the host runs what ssh brings.
  ShellRun run(LaunchStep step, std::string_view payload = {}, std::size_t program = 0) {
    const std::string script = remote_script(step, terms, host, program, contacts);
    auto child = ChildProcess::start(
        {"env", "HOME=" + scratch / "home", "PATH=" + scratch / "bin" + ":/usr/bin:/bin", "/bin/sh",
            "-c", script_loader(script.size())});
    EXPECT_TRUE(child) << child.error().text;
    if (!child) return {};
    (*child)->feed(script, false);
    (*child)->feed(payload, true);
    ShellRun done;
    for (int i = 0; i < 3000; ++i) {
      (*child)->step();
      if (const auto status = (*child)->status()) {
        done.status = *status;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    done.out = (*child)->out();
    done.err = (*child)->err();
    done.facts = read_facts(done.out);
    return done;
  }

  std::string base() const { return scratch / "home/.dunlin/lab"; }

  test::Scratch scratch;
  LaunchTerms terms;
  LaunchHost host{.name = "n1"};
  std::string contacts;
};

TEST_F(RemoteScriptTest, AnEmptyHostIsSeenAsOne) {
  command("stat", "echo ext2/ext3");
  const ShellRun look = run(LaunchStep::probe);
  EXPECT_EQ(look.status, 0) << look.err;
  EXPECT_EQ(look.facts.at("agent"), "none");
  EXPECT_EQ(look.facts.at("dir"), base());
  EXPECT_NE(look.facts.at("arch"), "");
  EXPECT_GT(std::atoll(look.facts.at("free").c_str()), 0);
  EXPECT_FALSE(look.facts.contains("have"));
  EXPECT_FALSE(look.facts.contains("key"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "home/.dunlin"));
}

// On a home that hosts share they would be one node.
TEST_F(RemoteScriptTest, ASharedHomeIsLeftForALocalDisk) {
  command("stat", "case \"$5\" in */home*) echo nfs ;; *) echo ext2/ext3 ;; esac");
  const ShellRun look = run(LaunchStep::probe);
  EXPECT_EQ(look.status, 0) << look.err;
  EXPECT_EQ(look.facts.at("dir"), "/var/tmp/dunlin-" + std::to_string(::getuid()) + "/lab");
  terms.directory = "~/here";
  const ShellRun refused = run(LaunchStep::probe);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.facts.at("fail"), HasSubstr(scratch / "home/here"));
  EXPECT_THAT(refused.facts.at("fail"), HasSubstr("--dir"));
}

TEST_F(RemoteScriptTest, WithoutALocalDiskItIsRefused) {
  command("stat", "echo lustre");
  const ShellRun look = run(LaunchStep::probe);
  EXPECT_EQ(look.status, 1);
  EXPECT_THAT(look.facts.at("fail"), HasSubstr("home and /var/tmp are on shared file systems"));
}

TEST_F(RemoteScriptTest, ADirectoryMayBeChosen) {
  command("stat", "echo mystery");
  terms.directory = scratch / "o'ther";
  EXPECT_EQ(run(LaunchStep::probe).facts.at("dir"), scratch / "o'ther");
  terms.directory = "relative";
  EXPECT_THAT(run(LaunchStep::probe).facts.at("fail"), HasSubstr("must begin with /"));
}

TEST_F(RemoteScriptTest, AProgramArrivesWholeOrNotAtAll) {
  command("stat", "echo xfs");
  const std::string sh = "#!/bin/sh\n";
  terms.programs.files = {{.name = "dunlin", .sum = std::string(64, '0'), .bytes = sh}};
  const ShellRun damaged = run(LaunchStep::put_program, sh);
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.facts.at("fail"), HasSubstr("arrived damaged"));
  const std::string folder = base() + "/programs/0123456789abcdef";
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  terms.programs.files[0].sum = "5a";
  command("sha256sum", "cat >/dev/null; echo 5a  -");
  EXPECT_EQ(run(LaunchStep::put_program, sh).status, 0);
  struct stat status{};
  ASSERT_EQ(::stat((folder + "/dunlin").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0755u);
  ASSERT_EQ(::stat(base().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
  EXPECT_EQ(run(LaunchStep::probe).facts.at("have"), " dunlin ");
}

TEST_F(RemoteScriptTest, ProgramsThatDoNotRunThereAreToldAtOnce) {
  command("stat", "echo xfs");
  command("sha256sum", "cat >/dev/null; echo 5a  -");
  const std::string bad = "#!/bin/sh\necho 'version GLIBC_2.38 not found' >&2\nexit 1\n";
  for (const char* const name : {"dunlin", "dunlin-agent", "dunlin-warden"}) {
    terms.programs.files.push_back({.name = name, .sum = "5a", .bytes = bad});
  }
  EXPECT_EQ(run(LaunchStep::put_program, bad, 0).status, 0);
  EXPECT_EQ(run(LaunchStep::put_program, bad, 1).status, 0);
  const ShellRun last = run(LaunchStep::put_program, bad, 2);
  EXPECT_EQ(last.status, 1);
  EXPECT_THAT(last.facts.at("fail"), HasSubstr("GLIBC_2.38 not found"));
  EXPECT_EQ(run(LaunchStep::probe).facts.at("have"), " dunlin-agent  dunlin-warden ");
}

TEST_F(RemoteScriptTest, TheKeyIsItsUsersAlone) {
  command("stat", "echo xfs");
  terms.key = "cluster lab\nkey x\n";
  EXPECT_EQ(run(LaunchStep::put_key, terms.key).status, 0);
  const std::string path = base() + "/cluster.key";
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_EQ(status.st_size, static_cast<off_t>(terms.key.size()));
  EXPECT_EQ(run(LaunchStep::put_key, terms.key).status, 0);
  EXPECT_EQ(run(LaunchStep::probe).facts.at("key"), "there");
  // Half of it, as a line that breaks leaves it.
  EXPECT_THAT(run(LaunchStep::put_key, "cluster").facts.at("fail"), HasSubstr("not arrive whole"));
  const std::string other = "cluster lab\nkey y\n";
  EXPECT_THAT(run(LaunchStep::put_key, other).facts.at("fail"), HasSubstr("is another key"));
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator(base()))
    files += each.exists() ? 1 : 0;
  EXPECT_EQ(files, 2u);  // The key and the mark, no draft.
}

TEST_F(RemoteScriptTest, NothingRunsSoNothingIsStopped) {
  command("stat", "echo xfs");
  terms.key = "k";
  ASSERT_EQ(run(LaunchStep::put_key, terms.key).status, 0);
  // The number of a process that is none of ours must not be believed.
  std::ofstream(base() + "/agent.pid") << ::getpid() << "\n";
  EXPECT_EQ(run(LaunchStep::probe).facts.at("agent"), "none");
  EXPECT_EQ(run(LaunchStep::stop).status, 0);
  EXPECT_EQ(run(LaunchStep::remove).status, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch / "home/.dunlin"));
  EXPECT_EQ(run(LaunchStep::remove).status, 0);
}

TEST_F(RemoteScriptTest, OnlyWhatALaunchMadeIsRemoved) {
  command("stat", "echo xfs");
  std::filesystem::create_directories(scratch / "mine");
  terms.directory = scratch / "mine";
  EXPECT_THAT(run(LaunchStep::remove).facts.at("fail"), HasSubstr("was not made by dunlin launch"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "mine"));
}

TEST_F(RemoteScriptTest, WhatIsSaidOfOneHostGoesBeforeWhatIsSaidOfAll) {
  terms.settings = {"bind=0.0.0.0:1", "cyclon.view_size=9", "agent.net_in=1M/s"};
  host.settings = {"bind=10.0.0.1:2", "name=it's"};
  host.cpus = 3;
  const std::string script = remote_script(LaunchStep::start, terms, host, 0, "a:1,b:2");
  EXPECT_THAT(script,
      HasSubstr("settings() { printf '%s\\n' '--join=a:1,b:2' '--cyclon.view_size=9' "
                "'--net-in=1M/s' '--cpus=3' '--bind=10.0.0.1:2' '--name=it'\\''s'; }"));
}

TEST_F(RemoteScriptTest, WithoutProgramsAStartSaysSo) {
  command("stat", "echo xfs");
  EXPECT_THAT(run(LaunchStep::start).facts.at("fail"), HasSubstr("lacks the programs"));
}

TEST(RemoteFactsTest, OtherWordsAreNone) {
  const RemoteFacts facts = read_facts(
      "Welcome to dunlin:x\ndunlin:have a\ndunlin:have b\ndunlin:state\ndunlin:dir /x y\n");
  EXPECT_EQ(facts, (RemoteFacts{{"have", " a  b "}, {"state", ""}, {"dir", "/x y"}}));
}

}  // namespace
}  // namespace dunlin::cli
