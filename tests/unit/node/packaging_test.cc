// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <tuple>

#include "node/agent/agent.h"
#include "node/config.h"
#include "node/control/control_protocol.h"
#include "tests/support/scratch.h"

// The units for systemd, and what they promise: each line that a promise of the docs rests on.
namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string packaged(const std::string& name, const std::string& folder = "node") {
  std::ostringstream text;
  text << std::ifstream(DUNLIN_SOURCE_DIR "/" + folder + "/packaging/" + name).rdbuf();
  return text.str();
}

/// The settings of a unit, by key, in order.
std::map<std::string, std::vector<std::string>> settings_of(const std::string& unit) {
  std::map<std::string, std::vector<std::string>> settings;
  std::istringstream lines(unit);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos) continue;
    settings[line.substr(0, equals)].push_back(line.substr(equals + 1));
  }
  return settings;
}

class ServiceUnit : public ::testing::Test {
 protected:
  /// The agent's configuration as the unit starts it, without a file.
  Result<Configuration> configuration() {
    std::vector<std::string> names;
    std::map<std::string, std::string> environment;
    for (const std::string& each : unit["Environment"]) {
      const auto equals = each.find('=');
      names.push_back(each.substr(0, equals));
      environment[names.back()] = each.substr(equals + 1);
    }
    if (auto known = check_variables(names); !known) return tl::unexpected(known.error());
    return load_configuration("", {}, [&](const char* name) -> const char* {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  }

  std::string text = packaged("dunlin.service");
  std::map<std::string, std::vector<std::string>> unit = settings_of(text);
  std::string warden_text = packaged("dunlin-warden.service");
  std::map<std::string, std::vector<std::string>> warden = settings_of(warden_text);
  std::string web_text = packaged("dunlin-web.service", "web");
  std::map<std::string, std::vector<std::string>> web = settings_of(web_text);
};

TEST_F(ServiceUnit, NamesNoFileThatNeedNotExist) {
  EXPECT_THAT(unit["ExecStart"], ElementsAre("/usr/bin/dunlin agent"));
  EXPECT_THAT(unit["ExecReload"], ElementsAre("/bin/kill -HUP $MAINPID"));
  EXPECT_THAT(unit["Type"], ElementsAre("notify"));
}

TEST_F(ServiceUnit, HidesNoDirectoryFromTasks) {
  for (const char* key : {"ProtectHome", "ProtectSystem", "PrivateTmp", "TemporaryFileSystem",
           "InaccessiblePaths", "RootDirectory", "DynamicUser"}) {
    EXPECT_FALSE(unit.contains(key)) << key;
    EXPECT_FALSE(warden.contains(key)) << key;
  }
}

TEST_F(ServiceUnit, ReadsTheKeyFileItselfAgain) {
  EXPECT_FALSE(unit.contains("LoadCredential"));
  const auto loaded = configuration();
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->agent.key_file, "/etc/dunlin/cluster.key") << "where keygen puts it for root";
  EXPECT_THAT(unit["ConfigurationDirectory"], ElementsAre("dunlin"));
  // A package enables the unit before the administrator has made a key.
  EXPECT_THAT(unit["ConditionPathExists"], ElementsAre(loaded->agent.key_file));
}

TEST_F(ServiceUnit, KeepsItsStateAndSocketWhereClientsLook) {
  const auto loaded = configuration();
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->agent.data_dir, "/var/lib/" + unit["StateDirectory"].at(0));
  EXPECT_EQ(loaded->agent.socket, "/run/" + unit["RuntimeDirectory"].at(0) + "/agent.sock");
  EXPECT_THAT(socket_candidates(), Contains(loaded->agent.socket));
}

TEST_F(ServiceUnit, LetsTheGroupReachTheSocket) {
  EXPECT_THAT(unit["Group"], ElementsAre(kSocketGroup));
  EXPECT_THAT(unit["RuntimeDirectoryMode"], ElementsAre("0750"));
  EXPECT_THAT(packaged("dunlin.sysusers"), HasSubstr("\nu " + unit["User"].at(0) + " "));
}

TEST_F(ServiceUnit, MayEnterHomesAndNothingMore) {
  EXPECT_THAT(unit["User"], ElementsAre("dunlin"));
  EXPECT_THAT(unit["AmbientCapabilities"], ElementsAre("CAP_DAC_READ_SEARCH"));
  EXPECT_EQ(unit["CapabilityBoundingSet"], unit["AmbientCapabilities"]);
  EXPECT_THAT(unit["NoNewPrivileges"], ElementsAre("yes"));
}

TEST_F(ServiceUnit, LetsTheWardenRunTasksAsTheirOwners) {
  EXPECT_THAT(warden["AmbientCapabilities"],
      ElementsAre("CAP_SETUID CAP_SETGID CAP_KILL CAP_DAC_READ_SEARCH"));
  EXPECT_EQ(warden["CapabilityBoundingSet"], warden["AmbientCapabilities"]);
  EXPECT_THAT(warden["NoNewPrivileges"], ElementsAre("yes"));
}

TEST_F(ServiceUnit, WaitsForTasksAndForOthersToTakeOver) {
  const auto loaded = configuration();
  ASSERT_TRUE(loaded) << loaded.error().text;
  const AgentOptions& agent = loaded->agent;
  const std::chrono::seconds patience(std::stoi(unit["TimeoutStopSec"].at(0)));
  EXPECT_GT(patience, agent.drain_deadline + agent.leave_deadline + agent.kill_grace);
  EXPECT_THAT(unit["KillMode"], ElementsAre("mixed"));
}

TEST_F(ServiceUnit, IsNotStartedAgainAsACopy) {
  EXPECT_THAT(unit["RestartPreventExitStatus"], ElementsAre(std::to_string(kExitCopy)));
}

TEST_F(ServiceUnit, GivesTasksCgroupsOfTheirOwn) {
  EXPECT_FALSE(unit.contains("Delegate")) << "no task runs in the agent's unit";
  ASSERT_TRUE(warden.contains("Delegate"));
  for (const char* controller : {"cpu", "memory", "pids"}) {
    EXPECT_THAT(warden["Delegate"].at(0), HasSubstr(controller));
  }
}

TEST_F(ServiceUnit, KeepsTasksThroughARestart) {
  const auto loaded = configuration();
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->agent.warden, WardenStart::service);
  EXPECT_THAT(unit["RestartKillSignal"], ElementsAre("SIGUSR2"));
  EXPECT_THAT(unit["Wants"], Contains("dunlin-warden.service"));
  EXPECT_THAT(unit["After"].at(0), HasSubstr("dunlin-warden.service"));
  for (const char* key : {"BindsTo", "PartOf", "Requires"}) {
    EXPECT_FALSE(unit.contains(key)) << key << ": neither unit may stop the other";
    EXPECT_FALSE(warden.contains(key)) << key;
  }
  EXPECT_THAT(warden["ExecStart"],
      ElementsAre("/usr/lib/dunlin/dunlin-warden --service " + loaded->agent.data_dir + "/warden"));
  EXPECT_THAT(warden["Restart"], ElementsAre("always")) << "it ends when it has nothing to keep";
  EXPECT_THAT(warden["StartLimitIntervalSec"], ElementsAre("0"));
  EXPECT_EQ(warden["User"], unit["User"]) << "it serves nobody else";
  EXPECT_EQ(warden["StateDirectory"], unit["StateDirectory"]);
  EXPECT_EQ(warden["StateDirectoryMode"], unit["StateDirectoryMode"]);
}

// It is a user of its own, whom the agent believes, and reads no key.
TEST_F(ServiceUnit, OfTheGatewayAsksTheAgentAsAMemberOfItsGroup) {
  EXPECT_THAT(web["ExecStart"].at(0), ::testing::StartsWith("/usr/bin/dunlin web --all-users "));
  EXPECT_NE(web["User"], unit["User"]);
  EXPECT_THAT(web["SupplementaryGroups"], ElementsAre(kSocketGroup));
  EXPECT_THAT(web["Environment"],
      Contains("DUNLIN_ADDRESS=/run/" + unit["RuntimeDirectory"].at(0) + "/agent.sock"));
  EXPECT_FALSE(web.contains("AmbientCapabilities"));
  const std::string sysusers = packaged("dunlin-web.sysusers", "web");
  EXPECT_THAT(sysusers, HasSubstr("\nu " + web["User"].at(0) + " "));
  EXPECT_THAT(sysusers, HasSubstr("\nm " + web["User"].at(0) + " " + kSocketGroup + "\n"));
}

// `dunlin web login` and `dunlin web` look there by themselves.
TEST_F(ServiceUnit, OfTheGatewayHasItsFoldersWhereUsersLook) {
  EXPECT_THAT(web["RuntimeDirectory"], ElementsAre("dunlin-web"));
  EXPECT_THAT(web["RuntimeDirectoryMode"], ElementsAre("0755")) << "users log in at a socket there";
  EXPECT_THAT(web["StateDirectory"], ElementsAre("dunlin-web"));
  EXPECT_THAT(web["StateDirectoryMode"], ElementsAre("0700"));
}

TEST_F(ServiceUnit, AllAreUnitsForSystemd) {
  if (std::system("command -v systemd-analyze > /dev/null") != 0) {
    GTEST_SKIP() << "UNTESTED: there is no systemd-analyze here, so nothing judged the units";
  }
  const test::Scratch scratch;
  std::string paths;
  for (const auto& [name, program, content] :
      {std::tuple{"/dunlin.service", "/usr/bin/dunlin", text},
          std::tuple{"/dunlin-warden.service", "/usr/lib/dunlin/dunlin-warden", warden_text},
          std::tuple{"/dunlin-web.service", "/usr/bin/dunlin", web_text}}) {
    std::string here = content;
    // The programs need not be installed where this test runs.
    here.replace(here.find(program), std::string_view(program).size(), "/bin/true");
    std::ofstream(scratch.path() + name) << here;
    paths += " " + scratch.path() + name;
  }
  std::FILE* const run = ::popen(("systemd-analyze verify" + paths + " 2>&1").c_str(), "r");
  ASSERT_NE(run, nullptr);
  std::string said;
  char piece[512];
  while (std::fgets(piece, sizeof piece, run) != nullptr) {
    // It speaks of other units of the machine too.
    if (std::string_view(piece).find("dunlin") != std::string_view::npos) said += piece;
  }
  const int status = ::pclose(run);
  EXPECT_EQ(WEXITSTATUS(status), 0) << said;
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace dunlin::node
