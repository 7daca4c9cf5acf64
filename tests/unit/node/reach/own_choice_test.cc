// SPDX-License-Identifier: MIT
#include "node/reach/own_choice.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using overlay::Address;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Address address_of(const std::string& text) {
  return overlay::parse_address(text, 7700).value();
}

HostAddress host(
    const std::string& name, const std::string& ip, int prefix, Link link = Link::wire) {
  HostAddress address;
  address.subnet.address = overlay::parse_address(ip, 0).value();
  address.subnet.prefix =
      static_cast<std::uint8_t>(address.subnet.address.is_v4() ? 96 + prefix : prefix);
  address.interface = name;
  address.link = link;
  return address;
}

HostAddress leading_out(HostAddress address) {
  address.leads_out = true;
  return address;
}

class OwnChoice : public ::testing::Test {
 protected:
  OwnChoice() { evidence.port = 7700; }
  OwnAddressChoice chosen() const {
    const auto choice = choose_own_address(evidence);
    EXPECT_TRUE(choice) << (choice ? "" : choice.error().text);
    return choice ? *choice : OwnAddressChoice{};
  }
  void is_told(const std::string& address, Reason reason = Reason::interface) {
    evidence.current = OwnAddressChoice{address_of(address), reason};
  }

  AddressEvidence evidence;
  const HostAddress lo = host("lo", "127.0.0.1", 8, Link::loopback);
  const HostAddress docker = host("docker0", "172.17.0.1", 16, Link::bridge);
  const HostAddress cluster = host("ib0", "10.0.0.7", 24);
  const HostAddress admin = leading_out(host("eth0", "192.168.5.7", 24));
};

// Compute nodes with Docker and without a default route: both told 172.17.0.1.
TEST_F(OwnChoice, ABridgeToContainersIsNoAddressOfTheMachine) {
  evidence.host = {lo, docker, cluster};
  EXPECT_EQ(chosen(), (OwnAddressChoice{address_of("10.0.0.7"), Reason::interface}));
}

// The default route goes by a network for administrators.
TEST_F(OwnChoice, TheRouteToAContactGoesBeforeTheDefaultRoute) {
  evidence.host = {lo, admin, cluster};
  EXPECT_EQ(chosen().address, address_of("192.168.5.7")) << "nothing better is known";
  is_told("192.168.5.7");
  evidence.to_contacts = {address_of("10.0.0.7")};
  EXPECT_EQ(chosen(), (OwnAddressChoice{address_of("10.0.0.7"), Reason::contact}));
  is_told("10.0.0.7", Reason::contact);
  evidence.to_contacts = {address_of("192.168.5.7"), address_of("10.0.0.7")};
  EXPECT_EQ(chosen().address, address_of("10.0.0.7"))
      << "one that a contact is reached from may stay";
  evidence.to_contacts = {address_of("192.168.5.7")};
  EXPECT_EQ(chosen().address, address_of("10.0.0.7"))
      << "else it would come and go with the contacts";
}

TEST_F(OwnChoice, OneOfIpv6IsToldWhereThereIsNoOther) {
  evidence.host = {lo, host("lo", "::1", 128, Link::loopback), docker, host("eth0", "fe80::1", 64),
      host("eth0", "fd00:9::2", 64)};
  EXPECT_EQ(chosen().address, address_of("[fd00:9::2]"));
  evidence.host.push_back(host("eth0", "10.0.0.2", 24));
  EXPECT_EQ(chosen().address, address_of("10.0.0.2")) << "earlier builds hear IPv4 alone";
  evidence.host.pop_back();
  evidence.v4_only = true;
  EXPECT_THAT(choose_own_address(evidence).error().text, HasSubstr("172.17.0.1:7700 (docker0"));
}

TEST_F(OwnChoice, WithoutCarrierNobodyIsThere) {
  evidence.host = {lo, cluster, host("eth1", "10.1.0.7", 24)};
  evidence.host[1].carrier = false;
  EXPECT_EQ(chosen().address, address_of("10.1.0.7"));
}

TEST_F(OwnChoice, NothingButBridgesAndTunnelsIsAQuestionToTheOperator) {
  evidence.host = {lo, docker, host("wg0", "10.8.0.2", 24, Link::tunnel)};
  const auto choice = choose_own_address(evidence);
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, ErrorKind::usage);
  EXPECT_THAT(choice.error().text, HasSubstr("--advertise"));
  EXPECT_THAT(choice.error().text, HasSubstr("172.17.0.1:7700 (docker0, a bridge to containers)"));
  EXPECT_THAT(choice.error().text, HasSubstr("10.8.0.2:7700 (wg0, a tunnel)"));
  evidence.host.back().leads_out = true;
  EXPECT_EQ(chosen().address, address_of("10.8.0.2")) << "all goes by the tunnel";
}

TEST_F(OwnChoice, AMachineAloneTellsLoopback) {
  evidence.host = {lo};
  EXPECT_EQ(chosen(), (OwnAddressChoice{address_of("127.0.0.1"), Reason::alone}));
  is_told("127.0.0.1", Reason::alone);
  evidence.host.push_back(cluster);
  EXPECT_EQ(chosen().address, address_of("10.0.0.7")) << "its cable was plugged in";
}

TEST_F(OwnChoice, WhatWasToldStaysWhileItLeadsHere) {
  evidence.host = {lo, admin, cluster};
  is_told("10.0.0.7");
  EXPECT_EQ(chosen().address, address_of("10.0.0.7"));
  evidence.host.pop_back();
  EXPECT_EQ(chosen().address, address_of("192.168.5.7")) << "the lease of DHCP has ended";
}

TEST_F(OwnChoice, OthersAreBelievedIfTheyAgree) {
  evidence.host = {lo, host("eth0", "192.168.5.7", 24)};
  is_told("192.168.5.7");
  evidence.seen = {address_of("203.0.113.9:7700")};
  EXPECT_EQ(chosen().address, address_of("192.168.5.7")) << "one may be mistaken";
  evidence.seen = {address_of("203.0.113.9:7700"), address_of("203.0.113.9:4242")};
  EXPECT_EQ(chosen().address, address_of("192.168.5.7"))
      << "a port for each: nobody else can use it";
  evidence.seen = {address_of("203.0.113.9:7700"), address_of("203.0.113.9:7700")};
  EXPECT_EQ(chosen(), (OwnAddressChoice{address_of("203.0.113.9:7700"), Reason::seen}));
  evidence.reaching = 2;
  EXPECT_EQ(chosen().address, address_of("192.168.5.7")) << "as many reach it";
  evidence.reaching = 0;
  is_told("203.0.113.9:7700", Reason::seen);
  evidence.seen = {};
  evidence.to_contacts = {address_of("192.168.5.7")};
  EXPECT_EQ(chosen().address, address_of("203.0.113.9:7700")) << "else it would come and go";
}

TEST_F(OwnChoice, AnInterfaceOfItsOwnIsAWitness) {
  evidence.host = {lo, admin, cluster};
  is_told("192.168.5.7");
  evidence.seen = {address_of("10.0.0.7")};
  EXPECT_EQ(chosen(), (OwnAddressChoice{address_of("10.0.0.7"), Reason::seen}));
}

TEST_F(OwnChoice, ATemporaryAddressIsToldByTheOneBesideIt) {
  HostAddress temporary = host("eth0", "2001:db8::aaaa", 64);
  temporary.lasting = false;
  evidence.host = {lo, temporary, host("eth0", "2001:db8::2", 64)};
  evidence.to_contacts = {address_of("[2001:db8::aaaa]")};
  EXPECT_EQ(chosen().address, address_of("[2001:db8::2]"));
}

TEST_F(OwnChoice, AllUsefulAddressesTravel) {
  const std::vector<HostAddress> all = {lo, docker, admin, cluster,
      host("wg0", "10.8.0.2", 24, Link::tunnel), host("eth0", "fe80::1", 64)};
  EXPECT_THAT(addresses_to_tell(all, address_of("10.0.0.7"), 7700, 8),
      ElementsAre(address_of("10.0.0.7"), address_of("192.168.5.7"), address_of("10.8.0.2")));
  EXPECT_THAT(addresses_to_tell(all, address_of("203.0.113.9:9000"), 7700, 2),
      ElementsAre(address_of("203.0.113.9:9000"), address_of("192.168.5.7")));
}

}  // namespace
}  // namespace dunlin::node
