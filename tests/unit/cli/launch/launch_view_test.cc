// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_view.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LaunchViewTest : public ::testing::Test {
 protected:
  LaunchViewTest() { terms.verb = LaunchVerb::status; }

  HostLaunch make_host(const std::string& name) { return HostLaunch(terms, {.name = name}, 0); }
  HostLaunch looked_at(const std::string& name, const std::string& told) {
    HostLaunch host = make_host(name);
    host.next("", false);
    host.take({.status = 0, .timed_out = false, .out = "dunlin:dir /d\n" + told, .err = ""});
    return host;
  }

  LaunchTerms terms;
};

TEST_F(LaunchViewTest, ALineSaysWhatBecameOfAHost) {
  EXPECT_EQ(host_line(looked_at("n1", "dunlin:agent up\ndunlin:address 10.0.0.1:7700\n")),
      "n1: up, at 10.0.0.1:7700");
  HostLaunch failed = make_host("n2");
  failed.fail("no ssh server listens there");
  EXPECT_EQ(host_line(failed), "n2: FAILED: no ssh server listens there");
}

TEST_F(LaunchViewTest, TheProgressFitsTheScreen) {
  std::vector<HostLaunch> hosts;
  for (int i = 0; i < 40; ++i) {
    hosts.push_back(make_host("a-host-with-a-long-name-" + std::to_string(i)));
    if (i < 30) hosts.back().next("", false);
  }
  hosts.push_back(looked_at("n1", "dunlin:agent up\n"));
  const std::string text = progress_text(hosts, {.interactive = true, .columns = 20}, 8);
  EXPECT_EQ(std::ranges::count(text, '\n'), 8);
  EXPECT_THAT(text, HasSubstr("a-host-with-a-long"));
  EXPECT_THAT(progress_text(hosts, {}, 8), HasSubstr("1 up; 30 at work, 10 wait"));
}

// A cure that a narrow table cuts off is no help.
TEST_F(LaunchViewTest, ProblemsAreToldWholeBelowTheTable) {
  std::vector<HostLaunch> hosts;
  hosts.push_back(looked_at("n1", "dunlin:agent up\ndunlin:version 0.7.0\ndunlin:tasks 3\n"));
  hosts.push_back(make_host("n2"));
  const std::string problem = "it lets nobody in: " + std::string(90, 'x') + " ssh-copy-id n2";
  hosts.back().fail(problem);
  const std::string text = hosts_table(hosts, {});
  EXPECT_THAT(text, HasSubstr("n2: " + problem + "\n"));
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, HasSubstr("0.7.0"));
  EXPECT_EQ(hosts_summary(hosts), "1 up, 1 failed");
  hosts.pop_back();
  EXPECT_THAT(hosts_table(hosts, {}), Not(HasSubstr("n2")));
}

TEST_F(LaunchViewTest, JsonSaysTheSame) {
  std::vector<HostLaunch> hosts;
  hosts.push_back(looked_at("n1", "dunlin:agent down\n"));
  const Json json = hosts_json(hosts);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].at("host"), "n1");
  EXPECT_EQ(json[0].at("agent"), "down");
  EXPECT_EQ(json[0].at("directory"), "/d");
}

}  // namespace
}  // namespace dunlin::cli
