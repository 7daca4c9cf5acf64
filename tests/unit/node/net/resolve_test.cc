// SPDX-License-Identifier: MIT
#include "node/net/resolve.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using overlay::Address;

TEST(Resolve, ReadsAddressesAndNames) {
  EXPECT_EQ(resolve("127.0.0.1", 7700)->front(), Address::v4(0x7f000001, 7700));
  EXPECT_EQ(resolve("127.0.0.1:1", 7700)->front(), Address::v4(0x7f000001, 1));
  EXPECT_EQ(resolve("[::1]:2", 7700)->front(), (Address{.high = 0, .low = 1, .port = 2}));
  EXPECT_EQ(resolve("::1", 7700)->front(), (Address{.high = 0, .low = 1, .port = 7700}));
  EXPECT_TRUE(resolve("[::]:0", 7700)->front().is_any());
  EXPECT_TRUE(resolve("localhost:3", 7700));
}

TEST(Resolve, KnowsTheAddressesOfThisMachine) {
  EXPECT_TRUE(is_local(Address::v4(0x7f000001, 7700))) << "whatever the port";
  EXPECT_FALSE(is_local(Address::v4(0xc0000201, 7700)));
  EXPECT_TRUE(is_loopback(Address::v4(0x7f000002, 1)));
  EXPECT_TRUE(is_loopback({.high = 0, .low = 1, .port = 1}));
  EXPECT_FALSE(is_loopback(Address::v4(0x0a000001, 1)));
}

TEST(Resolve, NamesWhatDoesNotResolve) {
  const auto unknown = resolve("no-such-host.invalid:7700", 7700);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text, ::testing::HasSubstr("'no-such-host.invalid'"));
  for (const char* text :
      {"", ":1", "host:", "host:99999", "host:x", "[::1", "[::1]x", "host:-1"}) {
    const auto malformed = resolve(text, 7700);
    ASSERT_FALSE(malformed) << text;
    EXPECT_EQ(malformed.error().kind, ErrorKind::usage) << text;
  }
}

TEST(Resolve, FindsAnAddressToAdvertise) {
  const Address address = reachable_address(7700, false);
  EXPECT_FALSE(address.is_any());
  EXPECT_EQ(address.port, 7700);
}

}  // namespace
}  // namespace dunlin::node
