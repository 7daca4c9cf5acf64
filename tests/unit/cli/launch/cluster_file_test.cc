// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/cluster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/cli/launch/own_config.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

ClusterFile cluster_of_two() {
  ClusterFile cluster;
  cluster.ssh_config = "/etc/\"odd\"\\path";
  cluster.directory = "/scratch/dunlin";
  cluster.settings = {"cyclon.period=1s", "attributes=name=größe"};
  cluster.hosts = {
      {.name = "n1", .user = "alice", .port = 22, .cpus = 4}, {.name = "fd00::2", .port = 2222}};
  cluster.hosts[0].settings = {"bind=0.0.0.0:7701"};
  cluster.hosts[0].directory = "/scratch/dunlin";
  cluster.hosts[0].address = "10.0.0.1:7701";
  return cluster;
}

std::string cluster_problem(const std::string& text) {
  const auto cluster = parse_cluster(text, "c.toml");
  return cluster ? "" : cluster.error().text;
}

TEST(ClusterFile, ComesBackAsItWas) {
  const ClusterFile cluster = cluster_of_two();
  const auto read = parse_cluster(format_cluster(cluster), "c.toml");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, cluster);
  const auto empty = parse_cluster(format_cluster({}), "c.toml");
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, ClusterFile{});
}

TEST(ClusterFile, IsReadStrictly) {
  EXPECT_THAT(cluster_problem("\nhosts = 3\n"), HasSubstr("c.toml:2: no such key: hosts"));
  EXPECT_THAT(cluster_problem("directory = 3\n"), HasSubstr("c.toml:1: directory must be a text"));
  EXPECT_THAT(cluster_problem("set = [1]\n"), HasSubstr("set must be a list of KEY=VALUE"));
  EXPECT_THAT(cluster_problem("set = [\"bind\"]\n"), HasSubstr("a list of KEY=VALUE"));
  EXPECT_THAT(cluster_problem("[[host]]\n"), HasSubstr("lacks the key host"));
  EXPECT_THAT(cluster_problem("[[host]]\nhost = \"n[1-2]\"\n"), HasSubstr("host must be one host"));
  EXPECT_THAT(cluster_problem("[[host]]\nhost = \"-x\"\n"), HasSubstr("c.toml:2: host '-x'"));
  EXPECT_THAT(cluster_problem("[[host]]\nhost = \"@x\"\n"), HasSubstr("may not stand here"));
  EXPECT_THAT(cluster_problem("[[host]]\nhost = \"n\"\nkey = \"n\"\n"),
      HasSubstr("c.toml:3: no such key: key"));
  EXPECT_THAT(cluster_problem("host = 3\n"), HasSubstr("no such key: host"));
  EXPECT_THAT(cluster_problem("x = \n"), HasSubstr("c.toml:"));
}

TEST(ClusterFile, AHostThatIsSaidAgainKeepsItsTerms) {
  ClusterFile cluster = cluster_of_two();
  cluster.merge({{.name = "n1", .user = "alice", .port = 22}, {.name = "n3"}});
  ASSERT_EQ(cluster.hosts.size(), 3u);
  EXPECT_EQ(cluster.hosts[0], cluster_of_two().hosts[0]);
  LaunchHost again{.name = "n1", .user = "alice", .port = 22, .cpus = 2};
  again.settings = {"bind=0.0.0.0:7702"};
  cluster.merge({again});
  EXPECT_EQ(cluster.hosts[0].cpus, 2u);
  EXPECT_EQ(cluster.hosts[0].settings, again.settings);
  EXPECT_EQ(cluster.hosts[0].address, "10.0.0.1:7701");
}

// Names become parts of paths and units.
TEST(ClusterFile, NamesAreOfLettersAndDigits) {
  EXPECT_TRUE(check_cluster_name("lab-2_x"));
  for (const char* const name : {"", "-x", "../x", "a.b", "a/b", "a b"}) {
    EXPECT_FALSE(check_cluster_name(name)) << name;
  }
  EXPECT_FALSE(check_cluster_name(std::string(64, 'a')));
}

TEST(ClusterFile, IsWrittenForItsUserAlone) {
  const OwnConfig config;
  const auto missing = load_cluster("lab");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  ASSERT_TRUE(save_cluster("lab", cluster_of_two()));
  const std::string path = config.folder() / "dunlin/clusters/lab.toml";
  EXPECT_EQ(cluster_path("lab", ".toml"), path);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  const auto read = load_cluster("lab");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, cluster_of_two());
  // A user that may write it says where commands go.
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_FALSE(load_cluster("lab"));
}

}  // namespace
}  // namespace dunlin::cli
