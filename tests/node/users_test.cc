// SPDX-License-Identifier: MIT
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/node/program.h"
#include "tests/node/replicas/replica_world.h"

// Two users of one machine on an agent that is root: their tasks are theirs. The users exist in a
// mount namespace of this process alone, whose /etc/passwd and /etc/group have two lines more.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kAnna = 54'321;
constexpr uid_t kBert = 54'322;
constexpr gid_t kDunlin = 54'331;

struct UserRun {
  int status = -1;
  std::string text;  ///< stdout and stderr.
};

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class UsersTest : public ReplicaWorld {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only root runs tasks as other users";
    cwd = fs::current_path().string();
    before = ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "NOT TESTED: no mount namespace can be made here";
    }
    ::chmod(home.c_str(), 0711);
    add_lines("/etc/passwd",
        "anna:*:54321:54321::" + home + "/anna:/bin/sh\n" + "bert:*:54322:54322::" + home +
            "/bert:/bin/sh\n" + "clerk:*:777:777::/:/bin/sh\ndora:*:54323:54323::/:/bin/sh\n");
    add_lines("/etc/group",
        "anna:*:54321:\nbert:*:54322:\nshared:*:54330:anna\nclerk:*:777:\n"
        "dora:*:54323:\ndunlin:*:54331:anna,bert,clerk\ndunlin-admin:*:54332:dora\n");
    for (const auto& [name, id] : {std::pair{"anna", kAnna}, std::pair{"bert", kBert}}) {
      fs::create_directory(home + "/" + name);
      ASSERT_EQ(::chown((home + "/" + name).c_str(), id, id), 0);
      ASSERT_EQ(::chmod((home + "/" + name).c_str(), 0700), 0);
    }
    agent = &add("kestrel");
    open_socket(*agent, "socket");
  }
  void TearDown() override {
    agents.clear();
    if (before < 0) return;
    EXPECT_EQ(::setns(before, CLONE_NEWNS), 0) << "later tests would miss their programs";
    EXPECT_EQ(::chdir(cwd.c_str()), 0);
    ::close(before);
  }

  /// The directory of the socket is the agent's own: users get at the socket alone.
  void open_socket(const TestAgent& of, const std::string& name) {
    std::ofstream(home + "/" + name).close();
    bind(of.socket(), home + "/" + name);
  }
  void bind(const std::string& from, const std::string& to) {
    ASSERT_EQ(::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr), 0) << to;
  }
  void add_lines(const std::string& file, const std::string& lines) {
    const std::string copy = home + "/" + fs::path(file).filename().string();
    std::ofstream(copy) << text_in(file) << lines;
    ::chmod(copy.c_str(), 0644);
    bind(copy, file);
  }
  /// Runs `dunlin WORDS` in the home of a user, as that user, against the agent of that socket.
  UserRun as(const std::string& user,
      const std::string& words,
      const std::string& socket = "socket") const {
    const std::string line = "cd " + home + " && setpriv --reuid=" + user + " --regid=" + user +
        " --init-groups env -i PATH=/usr/bin:/bin HOME=" + home + "/" + user +
        " DUNLIN_ADDRESS=" + home + "/" + socket + " sh -c 'cd " + (user == "clerk" ? "/" : "~") +
        " && " DUNLIN_PROGRAM " " + words + "' 2>&1 < /dev/null";
    UserRun said;
    FILE* const pipe = ::popen(line.c_str(), "r");
    char block[4096];
    for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) {
      said.text.append(block, got);
    }
    const int status = ::pclose(pipe);
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return said;
  }

  /// The error that the agent answers with where that user asks it for `verb` of job n0.2; empty if
  /// it does as it is asked.
  std::string said_to(const TestAgent& at, uid_t user, const char* verb) const {
    EXPECT_EQ(::setegid(user == 0 ? 0 : kDunlin), 0);
    EXPECT_EQ(::seteuid(user), 0);
    TestClient client(home + "/socket-" + at.name());
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(::setegid(0), 0);
    const Json reply = client.call(request(verb, of_n0(2, {{"task", 0}, {"priority", 40}})));
    return reply.contains("error") ? reply["error"]["text"].get<std::string>() : "";
  }

  TestAgent* agent = nullptr;
  std::string cwd;
  int before = -1;  ///< The namespace of the other tests.
};

TEST_F(UsersTest, TasksRunAsTheirOwners) {
  UserRun said = as("anna", "run -- id");
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_THAT(said.text, HasSubstr("uid=54321(anna) gid=54321(anna)"));
  EXPECT_THAT(said.text, HasSubstr("54330(shared)"));
  EXPECT_THAT(said.text, Not(HasSubstr("root"))) << "no group of the agent is left";
  EXPECT_THAT(as("bert", "run -- id").text, HasSubstr("uid=54322(bert)"));

  said = as("anna", "run -- sh -c \"echo \\$HOME \\$USER \\$LOGNAME; pwd; umask; touch made\"");
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_THAT(said.text, HasSubstr(home + "/anna anna anna\n" + home + "/anna\n"));
  struct stat made{};
  ASSERT_EQ(::stat((home + "/anna/made").c_str(), &made), 0);
  EXPECT_EQ(made.st_uid, kAnna);
  EXPECT_EQ(made.st_gid, kAnna);

  said = as("anna", "run -- grep -E \"Cap(Inh|Prm|Eff|Amb)|NoNewPrivs\" /proc/self/status");
  EXPECT_THAT(said.text, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(said.text, HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(said.text, HasSubstr("CapInh:\t0000000000000000"));
  EXPECT_THAT(said.text, HasSubstr("CapAmb:\t0000000000000000"));
  EXPECT_THAT(said.text, HasSubstr("NoNewPrivs:\t1"));
  // Its output can be opened again by name, as programs do.
  EXPECT_THAT(as("anna", "run -- sh -c \"echo loud > /dev/stderr\"").text, HasSubstr("loud"));
  said = as("anna", "run --stdout log -- echo kept");
  EXPECT_EQ(text_in(home + "/anna/log"), "kept\n") << said.text;
}

// It was the home of the user, where files of one task met those of the next and stayed.
TEST_F(UsersTest, ATaskThatNamesNoDirectoryHasAFreshOneThatGoesWithIt) {
  std::string before;
  for (const char* const end : {"true", "false"}) {
    const UserRun said = as("anna",
        "run --cwd none -- sh -c \"pwd; ls -A; stat -c %a:%u .; mkdir -p a/b; touch a/b/left; " +
            std::string(end) + "\"");
    const std::string place = said.text.substr(0, said.text.find('\n'));
    EXPECT_THAT(place, HasSubstr("/tmp/dunlin-")) << said.text;
    EXPECT_THAT(said.text, HasSubstr(place + "\n700:54321\n")) << "empty, and hers alone";
    EXPECT_NE(place, before);
    EXPECT_TRUE(eventually([&] { return ::access(place.c_str(), F_OK) != 0; })) << place;
    before = place;
  }
  // A task that could not begin leaves nothing either.
  const auto count = [] {
    std::size_t found = 0;
    for (const char* const base : {"/tmp", "/var/tmp"}) {
      for (const auto& entry : fs::directory_iterator(base)) {
        // Of this kind: other tests have directories there, too.
        const std::string name = entry.path().filename().string();
        if (name.starts_with("dunlin-") && name.size() == 23) ++found;
      }
    }
    return found;
  };
  const std::size_t others = count();
  EXPECT_NE(as("anna", "run --cwd none -- no-such-program").status, 0);
  EXPECT_TRUE(eventually([&] { return count() <= others; }));
}

TEST_F(UsersTest, AScriptIsItsOwnersAloneAndGoesWithItsTask) {
  std::ofstream(home + "/anna/say.sh")
      << "#!/bin/sh\necho \"$0\"\nstat -c %a:%u \"$0\"\ncat \"$0\" > copy\n";
  const UserRun said = as("anna", "run --script say.sh");
  EXPECT_EQ(said.status, 0) << said.text;
  const std::string place = said.text.substr(0, said.text.find('\n'));
  EXPECT_THAT(place, HasSubstr("/tmp/dunlin-")) << "where the owner gets at it";
  EXPECT_THAT(said.text, HasSubstr(place + "\n500:54321\n"));
  EXPECT_EQ(text_in(home + "/anna/copy"), text_in(home + "/anna/say.sh"));
  EXPECT_TRUE(eventually([&] { return ::access(place.c_str(), F_OK) != 0; })) << place;
  // One that could not begin leaves nothing either.
  std::ofstream(home + "/anna/bad.sh") << "#!/no/such/program\n";
  EXPECT_NE(as("anna", "run --script bad.sh").status, 0);
  EXPECT_TRUE(eventually([] {
    for (const char* const base : {"/tmp", "/var/tmp"}) {
      for (const auto& entry : fs::directory_iterator(base)) {
        if (entry.path().extension() == ".script") return false;
      }
    }
    return true;
  }));
}

TEST_F(UsersTest, NeitherCanCancelReadOrSignalTheOthers) {
  ASSERT_EQ(as("anna", "submit -- sh -c \"echo mine; echo \\$\\$ > pid; sleep 1000\"").status, 0);
  ASSERT_TRUE(eventually([&] { return text_in(home + "/anna/pid").ends_with("\n"); }));
  const std::string pid = text_in(home + "/anna/pid");
  for (const char* const words : {"cancel 1", "logs 1.0", "job 1", "explain 1", "drain"}) {
    const UserRun said = as("bert", words);
    EXPECT_NE(said.status, 0) << words;
  }
  EXPECT_THAT(as("bert", "cancel 1").text, HasSubstr(".1 belongs to anna, and you are bert"));
  EXPECT_THAT(as("bert", "jobs").text, Not(HasSubstr("sleep")));
  const std::string number = pid.substr(0, pid.size() - 1);
  EXPECT_NE(as("bert", "run -- kill -9 " + number).status, 0);
  EXPECT_NE(as("bert", "run -- cat " + home + "/anna/pid").status, 0);
  // Neither are the files that the agent keeps of tasks.
  EXPECT_NE(as("bert", "run -- ls " + agent->directory()).status, 0);
  EXPECT_THAT(as("anna", "logs 1.0").text, HasSubstr("mine"));
  EXPECT_EQ(::access(("/proc/" + number).c_str(), F_OK), 0) << "it still runs";
  EXPECT_EQ(as("anna", "cancel 1").status, 0);
  EXPECT_TRUE(eventually([&] { return ::access(("/proc/" + number).c_str(), F_OK) != 0; }));
  EXPECT_NE(as("anna", "audit log").status, 0);
  const Json log = agent->client().ok(request("audit_log", {{"user", "bert"}}));
  EXPECT_EQ(log["actions"][0]["user"], "bert");
}

TEST_F(UsersTest, UsersOfTheSystemAreRefusedAndRootIsTheAgent) {
  const UserRun said = as("clerk", "run -- id");
  EXPECT_NE(said.status, 0);
  EXPECT_THAT(said.text,
      HasSubstr("node kestrel runs no task of this owner: user 'clerk' has the "
                "id 777, and tasks run as no user below 1000"));
  const auto job = submit(*agent, "id -u", 1);
  finish(*agent, job);
  EXPECT_EQ(output(*agent, job, 0), "0\n");
  // A node that lacks a user is no sick node.
  for (int i = 0; i < 3; ++i) as("clerk", "run -- id");
  const Json nodes = agent->client().ok(request("nodes"))["nodes"];
  EXPECT_EQ(nodes[0]["state"], "up");
  EXPECT_EQ(nodes[0]["attributes"]["run_as"], "owner");
}

// The clerk is a gateway; dora is in the group of administrators, and not on this machine herself.
TEST_F(UsersTest, ADelegateSpeaksForUsers) {
  TestAgent& merlin = add("merlin", {"--delegates=clerk"});
  open_socket(merlin, "socket-merlin");
  const auto said = [&](uid_t user, const std::string& speaker, Json asked) {
    EXPECT_EQ(::setegid(kDunlin), 0);
    EXPECT_EQ(::seteuid(user), 0);
    TestClient client(home + "/socket-merlin");
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(::setegid(0), 0);
    client.ok(request("hello", {{"newest", 2}}));
    asked["speaker"] = {{"user", speaker}, {"administrator", true}};
    return client.call(std::move(asked));
  };
  constexpr uid_t kClerk = 777;
  const Json job = {
      {"groups", {{{"command", {"sh", "-c", "id -un > " + home + "/anna/ran"}}, {"count", 1}}}}};
  EXPECT_TRUE(said(kClerk, "anna", request("submit", job)).contains("ok"));
  EXPECT_TRUE(eventually([&] { return text_in(home + "/anna/ran") == "anna\n"; }))
      << "as her, and not as the clerk, who may run nothing";
  const Json off = request("drain", {{"on", false}});
  EXPECT_EQ(said(kClerk, "anna", off)["error"]["kind"], "forbidden");
  EXPECT_TRUE(said(kClerk, "dora", off).contains("ok")) << "her group makes her one";
  EXPECT_TRUE(said(kClerk, "root", off).contains("ok"));
  EXPECT_EQ(said(kClerk, "emil", off)["error"]["kind"], "refused");
  EXPECT_EQ(said(kBert, "anna", request("jobs"))["error"]["kind"], "forbidden");
  const Json log = merlin.client().ok(request("audit_log", {{"user", "dora"}}))["actions"];
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0]["delegate"], "clerk");
}

TEST_F(UsersTest, TheCommandForTheEndRunsAsTheOwner) {
  const std::string words = "submit --on-end \"id -un > ended; echo told\" -- true";
  for (const char* const user : {"anna", "bert"}) {
    const UserRun said = as(user, words);
    ASSERT_EQ(said.status, 0) << said.text;
    const std::string file = home + "/" + user + "/ended";
    EXPECT_TRUE(eventually([&] { return text_in(file) == std::string(user) + "\n"; })) << user;
    struct stat made{};
    ASSERT_EQ(::stat(file.c_str(), &made), 0);
    EXPECT_EQ(made.st_uid, user == std::string("anna") ? kAnna : kBert);
  }
  EXPECT_THAT(as("anna", "logs --on-end 1").text, HasSubstr("told"));
  const UserRun refused = as("bert", "logs --on-end 1");
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.text, HasSubstr(".1 belongs to anna, and you are bert"));
}

// Whichever node drives a job, and at whichever agent a user asks.
TEST_F(UsersTest, AJobStaysItsOwnersAfterATakeover) {
  agents.clear();
  for (const char* const name : {"n0", "n1", "n2"}) {
    open_socket(add(name, arguments_of(1)), std::string("socket-") + name);
  }
  form_cell();
  const UserRun submitted = as("anna",
      "submit --on-end \"id -un >> ended\" -- sh -c \"echo mine; sleep 1000\"", "socket-n0");
  ASSERT_EQ(submitted.status, 0) << submitted.text;
  const std::uint32_t number = 2;
  wait_for_standbys(number);
  EXPECT_TRUE(eventually([&] { return job_at(n0(), number)["counts"]["running"] == 1; }));
  lose_home();
  ASSERT_TRUE(eventually([&] { return taken_over(*agents[1], number); }));
  // If it ran on the node that died it begins anew first.
  EXPECT_TRUE(eventually([&] { return job_at(*agents[1], number)["counts"]["running"] == 1; }));

  // One of them is the home, and one passes requests on to it.
  for (const std::size_t i : {1u, 2u}) {
    const TestAgent& at = *agents[i];
    SCOPED_TRACE(at.name());
    for (const char* const verb : {"job", "tasks", "explain", "watch", "output", "attach", "hold",
             "release", "set", "retry", "cancel"}) {
      EXPECT_THAT(said_to(at, kBert, verb), HasSubstr("belongs to anna, and you are bert")) << verb;
    }
    for (const char* const verb : {"job", "tasks", "explain", "output", "hold", "release", "set"}) {
      EXPECT_EQ(said_to(at, kAnna, verb), "") << verb;
      EXPECT_EQ(said_to(at, 0, verb), "") << verb;
    }
    EXPECT_EQ(job_at(at, number)["owner"], "anna");
    const std::string socket = "socket-" + at.name();
    EXPECT_THAT(as("anna", "logs n0.2.0", socket).text, HasSubstr("mine"));
    const UserRun line = as("bert", "jobs", socket);
    EXPECT_THAT(line.text, HasSubstr("anna"));
    EXPECT_THAT(line.text, Not(HasSubstr("sleep")));
    for (const std::string verb : {"job", "explain", "hold", "release"}) {
      const auto held = run_dunlin(at.address(), {verb, "n0.2", "--key", key});
      EXPECT_EQ(held.status, 0) << "the key: " << verb << ": " << held.err;
    }
  }
  EXPECT_EQ(as("anna", "cancel n0.2", "socket-n2").status, 0);
  EXPECT_TRUE(eventually([&] { return text_in(home + "/anna/ended") == "anna\n"; }));
}

}  // namespace
}  // namespace dunlin::node
