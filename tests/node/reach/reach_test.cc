// SPDX-License-Identifier: MIT
#include <chrono>
#include <gmock/gmock.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"
#include "tests/node/reach/hosts.h"

// Machines as clusters have them: with bridges to containers, networks for administrators, IPv6
// alone, translators of addresses. Each begins with default settings and the address of one
// contact.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class Reach : public AgentWorld {
 protected:
  ~Reach() override { agents.clear(); }

  /// Hosts without a cable. False: this kernel makes none.
  bool lay(int count) {
    hosts = std::make_unique<Hosts>(count);
    return hosts->missing().empty();
  }
  /// So many hosts in a network of 10.0.0.0/24, joined by one more, which is a switch.
  bool lay_cluster(int count) {
    if (!lay(count + 1)) return false;
    hosts->run(count, "ip link add hub type bridge && ip link set hub up");
    for (int i = 0; i < count; ++i) {
      const std::string port = "port" + std::to_string(i);
      hosts->connect(port, count, i);
      hosts->run(count, "ip link set " + port + " master hub up");
      hosts->run(i, "ip link set " + port + " name eth0");
      hosts->set_address(i, "eth0", "10.0.0." + std::to_string(i + 1) + "/24");
    }
    return hosts->missing().empty();
  }
  TestAgent& start(int host, std::vector<std::string> words) {
    const std::string name = "n" + std::to_string(host);
    words.insert(words.begin(), "--bind=[::]:7700");
    agents.push_back(std::make_unique<TestAgent>(name, home + "/" + name, key, std::move(words)));
    agents.back()->in_child = [this, host] { hosts->enter(host); };
    agents.back()->start();
    agents.back()->wait_until_up();
    return *agents.back();
  }
  static Json node_of(TestAgent& at, const std::string& name) {
    // An agent that finds another address to tell begins anew, and ends its conversations.
    const Json reply = at.client().call(request("nodes"));
    const Json nodes = reply.value("ok", Json::object()).value("nodes", Json::array());
    for (const Json& node : nodes) {
      if (node["name"] == name) return node;
    }
    return Json::object();
  }
  /// All agents list all others as up, at these addresses by host.
  void expect_addresses(const std::vector<std::string>& addresses) {
    for (const auto& at : agents) {
      for (std::size_t i = 0; i < addresses.size(); ++i) {
        Json node;
        EXPECT_TRUE(eventually(
            [&] {
              node = node_of(*at, "n" + std::to_string(i));
              return node.value("state", "") == "up" && node.value("address", "") == addresses[i];
            },
            60s))
            << "at " << at->name() << ": " << node.dump() << at->log();
      }
    }
  }
  /// Tasks of each agent run on all of them, and their output comes back, which takes streams.
  void expect_work() {
    constexpr std::uint32_t kTasks = 8;
    for (const auto& at : agents) {
      const auto job = submit(*at, "sleep 1; echo $DUNLIN_NODE; head -c 100000 /dev/zero", kTasks);
      EXPECT_EQ(finish(*at, job)["done"], kTasks);
      std::set<std::string> names;
      for (std::uint32_t task = 0; task < kTasks; ++task) {
        const std::string said = output(*at, job, task);
        EXPECT_GE(said.size(), 100'000u) << "of task " << task;
        names.insert(said.substr(0, said.find('\n')));
      }
      EXPECT_EQ(names.size(), agents.size()) << "of " << at->name();
    }
  }

  std::unique_ptr<Hosts> hosts;
};

// Both told 172.17.0.1, and each spoke to itself.
TEST_F(Reach, BridgesToContainersOnBoth) {
  if (!lay(2)) GTEST_SKIP() << hosts->missing();
  hosts->connect("eth0", 0, 1);
  for (const int host : {0, 1}) {
    hosts->add_bridge(host, "docker0", "172.17.0.1/16");
    hosts->set_address(host, "eth0", "10.0.0." + std::to_string(host + 1) + "/24");
  }
  if (!hosts->missing().empty()) GTEST_SKIP() << hosts->missing();
  start(0, {});
  start(1, {"--join=10.0.0.1:7700"});
  expect_addresses({"10.0.0.1:7700", "10.0.0.2:7700"});
  expect_work();
}

// The default route goes by a network where the other machine is not.
TEST_F(Reach, TwoNetworksOfWhichTheOneWithTheDefaultRouteLeadsNowhere) {
  if (!lay(2)) GTEST_SKIP() << hosts->missing();
  hosts->connect("eth0", 0, 1);
  for (const int host : {0, 1}) {
    const std::string last = std::to_string(host + 1);
    hosts->add_dead_end(host, "admin", "192.168.5." + last + "/24", "192.168.5.254");
    hosts->set_address(host, "eth0", "10.0.0." + last + "/24");
  }
  if (!hosts->missing().empty()) GTEST_SKIP() << hosts->missing();
  // The first one has no contact, and must be told by the second.
  start(0, {});
  start(1, {"--join=10.0.0.1:7700"});
  expect_addresses({"10.0.0.1:7700", "10.0.0.2:7700"});
  expect_work();
}

TEST_F(Reach, Ipv6Alone) {
  if (!lay(2)) GTEST_SKIP() << hosts->missing();
  hosts->connect("eth0", 0, 1);
  hosts->set_address(0, "eth0", "fd00:9::1/64");
  hosts->set_address(1, "eth0", "fd00:9::2/64");
  if (!hosts->missing().empty()) GTEST_SKIP() << hosts->missing();
  start(0, {});
  start(1, {"--join=[fd00:9::1]:7700"});
  expect_addresses({"[fd00:9::1]:7700", "[fd00:9::2]:7700"});
  expect_work();
}

TEST_F(Reach, OneOfBothFamiliesWithOneOfIpv6) {
  if (!lay(2)) GTEST_SKIP() << hosts->missing();
  hosts->connect("eth0", 0, 1);
  hosts->set_address(0, "eth0", "10.0.0.1/24");
  hosts->set_address(0, "eth0", "fd00:9::1/64");
  hosts->set_address(1, "eth0", "fd00:9::2/64");
  if (!hosts->missing().empty()) GTEST_SKIP() << hosts->missing();
  start(0, {});
  start(1, {"--join=[fd00:9::1]:7700"});
  expect_addresses({"[fd00:9::1]:7700", "[fd00:9::2]:7700"});
  expect_work();
}

// Host 1 is behind host 2, which translates addresses.
class ReachTranslated : public Reach {
 protected:
  bool lay_translator(bool passes_on) {
    if (!lay(3)) return false;
    hosts->connect("eth0", 0, 2);
    hosts->connect("eth1", 1, 2);
    hosts->set_address(0, "eth0", "10.0.0.1/24");
    hosts->set_address(2, "eth0", "10.0.0.9/24");
    hosts->set_address(2, "eth1", "192.168.7.1/24");
    hosts->set_address(1, "eth1", "192.168.7.2/24");
    hosts->run(1, "ip route add default via 192.168.7.1");
    hosts->run(2, "echo 1 > /proc/sys/net/ipv4/ip_forward");
    // One that passes a port on keeps it in the other direction, too; else it takes any.
    hosts->run(2,
        std::string("iptables -w -t nat -A POSTROUTING -o eth0 -p udp -j MASQUERADE") +
            (passes_on ? "" : " --random"));
    hosts->run(2, "iptables -w -t nat -A POSTROUTING -o eth0 -j MASQUERADE");
    for (const char* protocol : {"udp", "tcp"}) {
      if (!passes_on) continue;
      hosts->run(2,
          std::string("iptables -w -t nat -A PREROUTING -i eth0 -p ") + protocol +
              " --dport 7700 -j DNAT --to-destination 192.168.7.2:7700");
    }
    return hosts->missing().empty();
  }
};

TEST_F(ReachTranslated, WithAdvertise) {
  if (!lay_translator(true)) GTEST_SKIP() << hosts->missing();
  start(0, {});
  start(1, {"--join=10.0.0.1:7700", "--advertise=10.0.0.9:7700"});
  expect_addresses({"10.0.0.1:7700", "10.0.0.9:7700"});
  expect_work();
}

TEST_F(ReachTranslated, WithoutItIsNamedAtBothWithTheCure) {
  if (!lay_translator(false)) GTEST_SKIP() << hosts->missing();
  TestAgent& seeing = start(0, {});
  TestAgent& hidden = start(1, {"--join=10.0.0.1:7700"});
  Json node;
  EXPECT_TRUE(eventually(
      [&] {
        node = node_of(seeing, "n1");
        return node.value("state", "") == "unreachable";
      },
      60s))
      << node.dump();
  ASSERT_TRUE(node.value("unreachable", Json()).is_object());
  EXPECT_EQ(node["unreachable"]["told"], "192.168.7.2:7700");
  EXPECT_THAT(node["unreachable"]["reached_at"].get<std::string>(), HasSubstr("10.0.0.9:"));
  EXPECT_THAT(node["unreachable"]["what"].get<std::string>(), HasSubstr("--advertise"));
  EXPECT_TRUE(eventually([&] {
    node = node_of(hidden, "n1");
    return !node.value("trouble", "").empty();
  })) << node.dump();
  EXPECT_THAT(node["trouble"].get<std::string>(), HasSubstr("not reached by n0"));
  EXPECT_THAT(node["trouble"].get<std::string>(), HasSubstr("--advertise"));
  const ProgramRun shown = run_dunlin(seeing.socket(), {"nodes"});
  EXPECT_THAT(shown.out, HasSubstr("unreachable"));
  EXPECT_THAT(shown.out, HasSubstr("192.168.7.2:7700"));
  EXPECT_THAT(shown.out, HasSubstr("--advertise"));
}

TEST_F(Reach, TheLeastMtuOfIpv6) {
  if (!lay(2)) GTEST_SKIP() << hosts->missing();
  hosts->connect("eth0", 0, 1);
  for (const int host : {0, 1}) {
    hosts->run(host, "ip link set eth0 mtu 1280");
    hosts->set_address(host, "eth0", "fd00:9::" + std::to_string(host + 1) + "/64");
  }
  if (!hosts->missing().empty()) GTEST_SKIP() << hosts->missing();
  start(0, {});
  start(1, {"--join=[fd00:9::1]:7700"});
  expect_addresses({"[fd00:9::1]:7700", "[fd00:9::2]:7700"});
  expect_work();
}

TEST_F(Reach, TwoThatTellOneAddressAreNamed) {
  if (!lay_cluster(3)) GTEST_SKIP() << hosts->missing();
  TestAgent& first = start(0, {});
  start(1, {"--join=10.0.0.1:7700", "--advertise=10.0.0.77:7700"});
  start(2, {"--join=10.0.0.1:7700", "--advertise=10.0.0.77:7700"});
  Json notes;
  EXPECT_TRUE(eventually(
      [&] {
        notes = first.client().ok(request("nodes")).value("address_notes", Json::array());
        return !notes.empty();
      },
      60s))
      << first.log();
  EXPECT_THAT(notes.dump(), HasSubstr("10.0.0.77:7700"));
  EXPECT_THAT(notes.dump(), HasSubstr("n1"));
  EXPECT_THAT(notes.dump(), HasSubstr("n2"));
}

// A lease of DHCP ends, and the next one is of another address.
TEST_F(Reach, AnAddressThatChangesIsFollowed) {
  if (!lay_cluster(2)) GTEST_SKIP() << hosts->missing();
  start(0, {});
  start(1, {"--join=10.0.0.1:7700"});
  expect_addresses({"10.0.0.1:7700", "10.0.0.2:7700"});
  hosts->run(1, "ip address del 10.0.0.2/24 dev eth0 && ip address add 10.0.0.3/24 dev eth0");
  ASSERT_EQ(hosts->missing(), "");
  expect_addresses({"10.0.0.1:7700", "10.0.0.3:7700"});
  expect_work();
}

// Nothing but a bridge: which address is meant only the operator knows.
TEST_F(Reach, ABridgeAloneIsRefusedWithTheListToChooseFrom) {
  if (!lay(1)) GTEST_SKIP() << hosts->missing();
  hosts->add_bridge(0, "docker0", "172.17.0.1/16");
  if (!hosts->missing().empty()) GTEST_SKIP() << hosts->missing();
  TestAgent agent("n0", home + "/n0", key, {"--bind=[::]:7700"});
  agent.in_child = [this] { hosts->enter(0); };
  agent.start();
  EXPECT_EQ(agent.wait(), 2);
  EXPECT_THAT(agent.log(), HasSubstr("172.17.0.1:7700 (docker0, a bridge to containers)"));
  EXPECT_THAT(agent.log(), HasSubstr("--advertise"));
}

}  // namespace
}  // namespace dunlin::node
