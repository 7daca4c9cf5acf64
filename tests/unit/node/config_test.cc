// SPDX-License-Identifier: MIT
#include "node/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <sstream>

#include "overlay/param_entries.h"

namespace dunlin::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A configuration file of its own, gone afterwards.
class ConfigTest : public ::testing::Test {
 protected:
  ~ConfigTest() override { std::filesystem::remove(path); }

  void write(const std::string& text) { std::ofstream(path) << text; }

  Result<Configuration> load(const Settings& flags = {}) {
    return load_configuration(path, flags, [this](const char* name) -> const char* {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  }

  std::string error(const Settings& flags = {}) {
    const auto loaded = load(flags);
    return loaded ? "" : loaded.error().text;
  }

  std::string path = ::testing::TempDir() + "dunlin_config_" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
  std::map<std::string, std::string> environment;
};

TEST_F(ConfigTest, FileSetsEverySection) {
  write(
      "[agent]\nname = 'kestrel'\njoin = ['a:1', \"b\"]\ncpu_quota = true\nkill_grace = '2s'\n"
      "[cyclon]\nview_size = 24\n[frontend]\nprobe_ratio = 3\nplacement = 'random'\n"
      "[transport]\nrate_limit = 1000\n");
  const auto loaded = load();
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->agent.name, "kestrel");
  EXPECT_EQ(split_list(loaded->agent.join), (std::vector<std::string>{"a:1", "b"}));
  EXPECT_TRUE(loaded->agent.cpu_quota);
  EXPECT_EQ(loaded->agent.kill_grace, seconds(2));
  EXPECT_EQ(loaded->peer.cyclon.view_size, 24);
  EXPECT_EQ(loaded->peer.frontend.probe_ratio, 3.0);
  EXPECT_EQ(loaded->peer.frontend.placement, sched::PlacementName::random);
  EXPECT_EQ(loaded->transport.rate_limit, 1000u);
}

TEST_F(ConfigTest, AByteOrderMarkIsSkipped) {
  write("\xef\xbb\xbf[agent]\nname = 'kestrel'\n");
  const auto loaded = load();
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->agent.name, "kestrel");
}

TEST(ConfigVariables, AMisspeltOneIsAnErrorThatNamesTheNearest) {
  const std::vector<std::string> fine = {"PATH", "DUNLIN_CYCLON_PERIOD", "DUNLIN_TASK_INDEX",
      "DUNLIN_ADDRESS", "DUNLIN_NODE", "DUNLIN_CYCLON_GRAVEYARD_SIZE"};
  EXPECT_TRUE(check_variables(fine)) << "renamed ones have an error of their own";
  const std::vector<std::string> wrong = {"DUNLIN_CYCLON_PERIO"};
  const auto checked = check_variables(wrong);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  EXPECT_THAT(checked.error().text, HasSubstr("did you mean DUNLIN_CYCLON_PERIOD?"));
}

TEST_F(ConfigTest, FlagWinsOverEnvironmentWinsOverFile) {
  write("[cyclon]\nperiod = '2s'\n");
  EXPECT_EQ(load()->peer.cyclon.period, seconds(2));
  environment["DUNLIN_CYCLON_PERIOD"] = "3s";
  EXPECT_EQ(load()->peer.cyclon.period, seconds(3));
  EXPECT_EQ(load({{"cyclon.period", "4s"}})->peer.cyclon.period, seconds(4));
  EXPECT_EQ(load({{"bind", "[::1]:9"}})->agent.bind, "[::1]:9");
}

TEST_F(ConfigTest, UnknownKeyNamesThePlaceAndTheNearestKey) {
  write("[agent]\nname = 'x'\n\n[cyclon]\n  perid = '2s'\n");
  EXPECT_THAT(error(),
      HasSubstr(path +
          ":5:11: unknown key 'cyclon.perid'; did you mean "
          "'cyclon.period'?"));
  write("[agent]\ntask_lease = '9s'\n");  // The right key in the wrong section.
  EXPECT_THAT(error(), HasSubstr("did you mean 'frontend.task_lease'?"));
  write("[nonsense]\nx = 1\n");
  EXPECT_THAT(error(), HasSubstr("unknown key 'nonsense.x'"));
  write("");
  EXPECT_THAT(error({{"frontend.acquaintances", "1"}}),
      HasSubstr("unknown key 'frontend.acquaintances'; it is called 'frontend.node_cache' now"));
  EXPECT_THAT(error({{"cyclon.perid", "1s"}}), HasSubstr("--cyclon.perid: unknown key"));
}

TEST_F(ConfigTest, BadValueNamesThePlace) {
  write("[cyclon]\nperiod = 2\n");
  EXPECT_THAT(error(), HasSubstr(":2:10: cyclon.period: '2' is not a duration"));
  write("[cyclon]\nview_size = 100000\n");
  EXPECT_THAT(error(), HasSubstr("view_size: '100000' is"));
  write("[agent]\nlog_level = 'loud'\n");
  EXPECT_THAT(error(), HasSubstr("'loud' is none of: trace, debug, info, warn, error"));
  write("[agent]\nname = { first = 'x' }\n");
  EXPECT_THAT(error(), HasSubstr("agent.name must be a single value"));
  write("");
  environment["DUNLIN_CYCLON_PERIOD"] = "soon";
  EXPECT_THAT(error(), HasSubstr("environment: DUNLIN_CYCLON_PERIOD: 'soon' is not a duration"));
}

TEST_F(ConfigTest, MalformedTomlNamesThePlace) {
  write("[agent]\nname = \n");
  EXPECT_THAT(error(), HasSubstr(path + ":2:"));
  write("[agent\n");
  EXPECT_THAT(error(), HasSubstr(path + ":1:"));
  write(std::string("[agent]\nname = '\xff\xfe'\n"));
  EXPECT_THAT(error(), HasSubstr(path + ":2:"));
  write(std::string(100'000, '['));
  EXPECT_THAT(error(), HasSubstr(path + ":1:"));
}

TEST_F(ConfigTest, OversizeAndMissingFilesAreRefused) {
  write(std::string((1 << 20) + 1, '#'));
  EXPECT_THAT(error(), HasSubstr("larger than 1 MiB"));
  std::filesystem::remove(path);
  EXPECT_THAT(error(), HasSubstr("cannot read " + path + ": No such file"));
}

TEST_F(ConfigTest, RenamedSettingsNameTheNewOnes) {
  write("[cell]\ncell_least = 0.5\n");
  EXPECT_THAT(
      error(), HasSubstr(":2:14: unknown key 'cell.cell_least'; it is called 'cell.cell_min' now"));
  write("[reserves]\nspare = false\n");
  EXPECT_THAT(error(), HasSubstr("it is called 'cluster_reserves.spare' now"));
  write("[cell]\nsharing = 'reserves'\n");
  EXPECT_THAT(error(), HasSubstr("it is called 'cluster_reserves' now"));
  write("");
  environment["DUNLIN_CELL_TERM"] = "9s";
  EXPECT_THAT(error(), HasSubstr("DUNLIN_CELL_TERM: it is called 'DUNLIN_CELL_GRANT_LIFE' now"));
  environment = {{"DUNLIN_CELL_SHARING", "reserves"}};
  EXPECT_THAT(error(), HasSubstr("it is called 'cluster_reserves' now"));
}

TEST_F(ConfigTest, CrossFieldRules) {
  write("[frontend]\ntask_lease = '4s'\n[worker]\nrenew = '2s'\n");
  EXPECT_THAT(
      error(), HasSubstr("frontend.task_lease (4s) must be at least 3 × worker.renew (2s)"));
  write("[worker]\nqueue_renew = '10s'\n");
  EXPECT_THAT(error(), HasSubstr("frontend.queue_lease"));
  write("[cyclon]\nview_size = 5\nsample_size = 8\n");
  EXPECT_THAT(error(), HasSubstr("cyclon.sample_size (8) must not exceed cyclon.view_size (5)"));
  write("[cell]\nperiod = \"6s\"\n");
  EXPECT_THAT(error(), HasSubstr("cell.lease"));
  write("[agent]\noutput_limit = 'much'\n");
  EXPECT_THAT(error(), HasSubstr("'much'"));
  // Jobs of a node "5" would read as tasks of job 5.
  for (const char* const name : {"5", "last", "-v", "a b", "../x"}) {
    write("[agent]\nname = '" + std::string(name) + "'\n");
    EXPECT_THAT(error(), HasSubstr("agent.name: ")) << name;
  }
}

TEST(SampleConfig, SaysWhatTheDefaultsAre) {
  Configuration configuration;
  auto entries = all_entries(configuration);
  std::istringstream lines(sample_config());
  std::string uncommented;
  // Every "# key = value" line without its mark must parse, and change nothing.
  for (std::string line; std::getline(lines, line);) {
    const bool setting = line.starts_with("# ") && line.find(" = ") != std::string::npos &&
        line.find(' ', 2) == line.find(" = ");
    uncommented += (setting ? line.substr(2) : line) + "\n";
  }
  const auto applied = apply_toml(uncommented, "sample", entries);
  ASSERT_TRUE(applied) << applied.error().text;
  for (const auto& entry : entries) EXPECT_EQ(entry.get(), entry.fallback) << entry.key();
  for (const auto& entry : entries) {
    EXPECT_THAT(uncommented, HasSubstr("\n" + entry.name + " = ")) << entry.key();
  }
}

// REWRITE=1 writes the file anew.
TEST(SampleConfig, FileInTheRepositoryIsUpToDate) {
  const std::string path = DUNLIN_SOURCE_DIR "/node/packaging/agent.toml";
  if (std::getenv("REWRITE") != nullptr) std::ofstream(path) << sample_config();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), sample_config()) << "run this test with REWRITE=1 in the environment";
}

TEST(AllEntries, HaveAMeaningAndAUniqueKey) {
  Configuration configuration;
  std::map<std::string, int> keys;
  std::map<std::string, int> variables;
  for (const auto& entry : all_entries(configuration)) {
    EXPECT_FALSE(entry.meaning.empty()) << entry.key();
    EXPECT_EQ(++keys[entry.key()], 1) << entry.key();
    EXPECT_EQ(++variables[environment_name(entry)], 1) << entry.key();
  }
  EXPECT_TRUE(validate(Configuration{}));
}

// Texts that only the offer of the node makes sense of are refused where they stand, too.
TEST(Config, WrongOffersAreNamedWithTheirPlace) {
  const auto wrong = [](std::string_view line) {
    Configuration configuration;
    auto entries = all_entries(configuration);
    const auto applied = apply_toml("[agent]\n" + std::string(line), "agent.toml", entries);
    return applied ? std::string() : applied.error().text;
  };
  EXPECT_THAT(wrong("cpus = \"many\""), StartsWith("agent.toml:2:8: agent.cpus: 'many' is not"));
  EXPECT_THAT(wrong("memory = \"12\""), StartsWith("agent.toml:2:10: agent.memory: "));
  EXPECT_THAT(wrong("resources = \"gpu=x\""), StartsWith("agent.toml:2:13: agent.resources: "));
  EXPECT_THAT(wrong("attributes = \"=7\""), StartsWith("agent.toml:2:14: agent.attributes: "));
  EXPECT_EQ(wrong("cpus = 3"), "");
  EXPECT_EQ(wrong("memory = \"auto\""), "");
}

}  // namespace
}  // namespace dunlin::node
