// SPDX-License-Identifier: MIT
#include "node/agent/reach/host_addresses.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

using overlay::Address;

const HostAddress* find(const std::vector<HostAddress>& all, const std::string& address) {
  const Address wanted = overlay::parse_address(address, 0).value();
  const auto found = std::ranges::find_if(
      all, [&](const HostAddress& each) { return each.subnet.address == wanted; });
  return found == all.end() ? nullptr : &*found;
}

TEST(HostAddresses, KnowsLoopback) {
  const auto all = host_addresses();
  const HostAddress* const loopback = find(all, "127.0.0.1");
  if (loopback == nullptr) GTEST_SKIP() << "NOT TESTED: this machine has no loopback";
  EXPECT_EQ(loopback->interface, "lo");
  EXPECT_EQ(loopback->link, Link::loopback);
  EXPECT_EQ(loopback->subnet.prefix, 96 + 8);
}

TEST(HostAddresses, ASourceIsOfTheRouteThere) {
  const auto source = source_towards(Address::v4(0x7f000005, 9));
  ASSERT_TRUE(source);
  EXPECT_EQ(*source, Address::v4(0x7f000001, 0));
}

/// Checks, in a network of its own, and returns the number of the first that does not hold; 77: no
/// such network can be made here.
int look_at_devices() {
  if (::unshare(CLONE_NEWNET) != 0) return 77;
  const int made = std::system(
      "( ip link set lo up && ip link add docker0 type bridge && ip link add c0 type veth peer "
      "name "
      "c1 && ip link set c0 master docker0 up && ip link set c1 up && "
      "ip address add 172.17.0.1/16 dev docker0 && ip link set docker0 up && "
      "ip link add eth0 type veth peer name far && ip link set far up && "
      "ip address add 10.0.0.7/24 dev eth0 && ip link set eth0 up && "
      "ip address add fd00:9::7/64 dev eth0 nodad && ip route add default via 10.0.0.1 && "
      "ip link add down0 type veth peer name down1 && ip address add 10.1.0.7/24 dev down0 && "
      "ip link set down0 up ) > /dev/null 2>&1");
  if (made != 0) return 77;
  ::usleep(300'000);  // Carrier takes a moment.
  const auto all = host_addresses();
  const HostAddress* const bridge = find(all, "172.17.0.1");
  const HostAddress* const wire = find(all, "10.0.0.7");
  const HostAddress* const v6 = find(all, "fd00:9::7");
  const HostAddress* const down = find(all, "10.1.0.7");
  if (bridge == nullptr || wire == nullptr || v6 == nullptr || down == nullptr) return 1;
  if (bridge->link != Link::bridge || bridge->leads_out) return 2;
  if (wire->link != Link::pair || !wire->leads_out || !wire->carrier) return 3;
  if (wire->subnet.prefix != 96 + 24 || v6->subnet.prefix != 64) return 4;
  if (v6->leads_out || !v6->lasting) return 5;
  if (down->carrier) return 6;
  return 0;
}

TEST(HostAddresses, TellsBridgesAndRoutesApart) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(look_at_devices());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "NOT TESTED: no network can be made here";
  }
  EXPECT_EQ(status, 0) << "check " << WEXITSTATUS(status);
}

}  // namespace
}  // namespace dunlin::node
