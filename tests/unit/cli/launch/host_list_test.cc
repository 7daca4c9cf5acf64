// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<std::string> no_host_file(const std::string& path) {
  return failure(ErrorKind::io, path + ": no such file");
}

std::vector<std::string> host_texts(const Result<std::vector<LaunchHost>>& hosts) {
  EXPECT_TRUE(hosts) << hosts.error().text;
  std::vector<std::string> texts;
  if (!hosts) return texts;
  for (const LaunchHost& host : *hosts) texts.push_back(host.text());
  return texts;
}

std::vector<std::string> hosts_of_words(const std::vector<std::string>& words) {
  return host_texts(parse_hosts(words, no_host_file));
}

std::string host_problem(const std::vector<std::string>& words) {
  const auto hosts = parse_hosts(words, no_host_file);
  if (hosts) return "";
  EXPECT_EQ(hosts.error().kind, ErrorKind::usage);
  return hosts.error().text;
}

TEST(HostList, AWordHasCpusUserAndPort) {
  const std::vector<std::string> words = {"4/alice@node7.lab:2222", "node8"};
  const auto hosts = parse_hosts(words, no_host_file);
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 2u);
  const LaunchHost& first = hosts->front();
  EXPECT_EQ(first.name, "node7.lab");
  EXPECT_EQ(first.user, "alice");
  EXPECT_EQ(first.port, 2222);
  EXPECT_EQ(first.cpus, 4u);
  EXPECT_EQ(first.text(), "alice@node7.lab:2222");
  EXPECT_EQ(hosts->back().text(), "node8");
  EXPECT_EQ(hosts->back().cpus, 0u);
}

TEST(HostList, RangesKeepTheirDigits) {
  EXPECT_THAT(hosts_of_words({"node[08-11]"}), ElementsAre("node08", "node09", "node10", "node11"));
  EXPECT_THAT(hosts_of_words({"r[1-2]n[3,5]-ib:22"}),
      ElementsAre("r1n3-ib:22", "r1n5-ib:22", "r2n3-ib:22", "r2n5-ib:22"));
  EXPECT_THAT(hosts_of_words({"a,b[1,2],c"}), ElementsAre("a", "b1", "b2", "c"));
}

TEST(HostList, AddressesOfIpv6HaveBracketsWithAPort) {
  EXPECT_THAT(hosts_of_words({"[fd00::1]:2222"}), ElementsAre("[fd00::1]:2222"));
  EXPECT_THAT(hosts_of_words({"[fd00::1]"}), ElementsAre("fd00::1"));
  EXPECT_THAT(hosts_of_words({"bob@fd00::1"}), ElementsAre("bob@fd00::1"));
}

TEST(HostList, AHostCountsOnce) {
  EXPECT_THAT(hosts_of_words({"n1", "n[1-2]", "2/n1"}), ElementsAre("n1", "n2"));
}

TEST(HostList, AFileHasSettingsBehindItsHosts) {
  const auto read = [](const std::string& path) -> Result<std::string> {
    EXPECT_EQ(path, "list");
    return "# ours\n\n n1  bind=10.0.0.1:7701 attributes=rack=7 # first\nn[2-3]\r\n";
  };
  const std::vector<std::string> words = {"@list", "n4"};
  const auto hosts = parse_hosts(words, read);
  EXPECT_THAT(host_texts(hosts), ElementsAre("n1", "n2", "n3", "n4"));
  EXPECT_THAT(hosts->front().settings, ElementsAre("bind=10.0.0.1:7701", "attributes=rack=7"));
  EXPECT_TRUE(hosts->back().settings.empty());
}

TEST(HostList, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_THAT(host_problem({"n[1-"}), HasSubstr("host 'n[1-': a [ has no ]"));
  EXPECT_THAT(host_problem({"n[3-1]"}), HasSubstr("numbers and ranges"));
  EXPECT_THAT(host_problem({"n[a]"}), HasSubstr("numbers and ranges"));
  EXPECT_THAT(host_problem({"n[1-9999]"}), HasSubstr("host 'n[1-9999]'"));
  EXPECT_THAT(host_problem({"0/n"}), HasSubstr("number of CPUs above 0"));
  EXPECT_THAT(host_problem({"x/n"}), HasSubstr("number of CPUs above 0"));
  EXPECT_THAT(host_problem({"@"}), HasSubstr("no such file"));
  EXPECT_THAT(host_problem({"a@"}), HasSubstr("is no name of a host"));
  EXPECT_THAT(host_problem({"a b@n"}), HasSubstr("name of a user"));
  EXPECT_THAT(host_problem({"n:0"}), HasSubstr("a port from 1 to 65535"));
  EXPECT_THAT(host_problem({"n:99999"}), HasSubstr("a port from 1 to 65535"));
  EXPECT_THAT(host_problem({""}), HasSubstr("is no name of a host"));
  EXPECT_THAT(host_problem({"n,,m"}), HasSubstr("is no name of a host"));
}

// It would be a flag of ssh: -oProxyCommand=... runs what a list of hosts says.
TEST(HostList, ANameIsNoFlag) {
  EXPECT_THAT(host_problem({"-oProxyCommand=x"}), HasSubstr("is no name of a host"));
  EXPECT_THAT(host_problem({"-lroot@n"}), HasSubstr("name of a user"));
  EXPECT_THAT(host_problem({"a;reboot"}), HasSubstr("is no name of a host"));
}

TEST(HostList, AFileTellsTheLine) {
  const auto problem = [](const std::string& text) {
    const std::vector<std::string> words = {"@list"};
    const auto hosts =
        parse_hosts(words, [&](const std::string&) -> Result<std::string> { return text; });
    return hosts ? "" : hosts.error().text;
  };
  EXPECT_THAT(problem("n1\nn2 bind\n"), HasSubstr("list:2: 'bind' is no setting KEY=VALUE"));
  EXPECT_THAT(problem("n1\n\n@other\n"), HasSubstr("list:3: "));
  EXPECT_THAT(problem("n1 data-dir=/x\n"), HasSubstr("choose the directory with --dir"));
}

TEST(HostList, ClustersAreBounded) {
  EXPECT_EQ(hosts_of_words({"n[1-4096]"}).size(), kLaunchHostsMax);
  EXPECT_NE(host_problem({"n[1-4096]", "m"}), "");
  EXPECT_NE(host_problem({"n[1-99][1-99]"}), "");
}

TEST(HostList, SlurmTellsAList) {
  EXPECT_THAT(host_texts(slurm_hosts("node[01-03,07],gpu1")),
      ElementsAre("node01", "node02", "node03", "node07", "gpu1"));
  const auto none = slurm_hosts("");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("SLURM_JOB_NODELIST is not set"));
}

TEST(HostList, PbsTellsALineForEachProcessor) {
  std::string lines;
  for (int i = 0; i < 9000; ++i) lines += "n1\n";
  EXPECT_THAT(host_texts(pbs_hosts(lines + "n2\nn2\n")), ElementsAre("n1", "n2"));
  EXPECT_FALSE(pbs_hosts("\n"));
}

}  // namespace
}  // namespace dunlin::cli
