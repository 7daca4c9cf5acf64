// SPDX-License-Identifier: MIT
#include "node/reach/address_rank.h"

#include <gmock/gmock.h>
#include <list>
#include <vector>

namespace dunlin::node {
namespace {

using overlay::Address;
using ::testing::ElementsAre;

Address at(const std::string& text) {
  return overlay::parse_address(text, 7700).value();
}

/// Sorted, the best first. Equals stay in their order.
std::list<Address> ranked(std::list<Address> far, const std::vector<Subnet>& own) {
  far.sort(
      [&own](const Address& a, const Address& b) { return rank_of(a, own) > rank_of(b, own); });
  return far;
}

TEST(AddressRank, AnAddressOfAnOwnNetworkGoesFirst) {
  const std::vector<Subnet> own = {{at("10.0.0.7"), 96 + 24}, {at("192.168.5.7"), 96 + 24}};
  EXPECT_THAT(ranked({at("172.20.0.2"), at("192.168.5.2"), at("10.0.1.2")}, own),
      ElementsAre(at("192.168.5.2"), at("172.20.0.2"), at("10.0.1.2")));
  const std::vector<Subnet> both = {{at("10.0.0.7"), 96 + 24}, {at("[2001:db8::7]"), 64}};
  EXPECT_THAT(ranked({at("[2001:db8:9::2]"), at("10.0.0.2")}, both),
      ElementsAre(at("10.0.0.2"), at("[2001:db8:9::2]")))
      << "even before what RFC 6724 prefers";
}

TEST(AddressRank, AFamilyThatThisMachineDoesNotHaveGoesLast) {
  const std::vector<Subnet> v4 = {{at("10.0.0.7"), 96 + 24}};
  EXPECT_THAT(ranked({at("[2001:db8::2]"), at("10.9.0.2")}, v4),
      ElementsAre(at("10.9.0.2"), at("[2001:db8::2]")));
  EXPECT_FALSE(rank_of(at("[2001:db8::2]"), v4).usable);
  EXPECT_FALSE(rank_of(at("10.0.0.2"), {}).usable);
}

TEST(AddressRank, ThenTheOrderOfRfc6724) {
  const std::vector<Subnet> own = {{at("10.0.0.7"), 96 + 24}, {at("[2001:db8:1::7]"), 64}};
  EXPECT_THAT(ranked({at("[fd00:9::2]"), at("10.9.0.2"), at("[2001:db8:2::2]")}, own),
      ElementsAre(at("[2001:db8:2::2]"), at("10.9.0.2"), at("[fd00:9::2]")))
      << "labels match, then precedence";
  EXPECT_THAT(ranked({at("[2001:db8:8000::2]"), at("[2001:db8:1:9::2]")}, own),
      ElementsAre(at("[2001:db8:1:9::2]"), at("[2001:db8:8000::2]")))
      << "the longest prefix in common";
  EXPECT_THAT(
      ranked({at("10.9.0.3"), at("10.8.0.2")}, own), ElementsAre(at("10.9.0.3"), at("10.8.0.2")))
      << "equals stay as they were";
}

TEST(AddressRank, KnowsWhatIsOfOneLinkOrMachine) {
  EXPECT_TRUE(is_loopback(at("127.0.0.2")));
  EXPECT_TRUE(is_loopback(at("[::1]")));
  EXPECT_FALSE(is_loopback(at("10.0.0.1")));
  EXPECT_TRUE(is_link_local(at("169.254.1.1")));
  EXPECT_TRUE(is_link_local(at("[fe80::1]")));
  EXPECT_FALSE(is_link_local(at("[fd00::1]")));
  EXPECT_EQ(common_bits(at("10.0.0.1"), at("10.0.0.1")), 128);
  EXPECT_EQ(common_bits(at("10.0.0.1"), at("10.0.0.2")), 126);
}

}  // namespace
}  // namespace dunlin::node
