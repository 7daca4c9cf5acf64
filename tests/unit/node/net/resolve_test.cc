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

TEST(Resolve, NamesWhatDoesNotResolve) {
  const auto unknown = resolve("no-such-host.invalid:7700", 7700);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text, ::testing::HasSubstr("'no-such-host.invalid'"));
  for (const char* text : {"", ":1", "host:", "host:99999", "host:x", "[::1", "[::1]x", "host:-1",
           "/run/dunlin/agent.sock", "./x", "a/b:7700"}) {
    const auto malformed = resolve(text, 7700);
    ASSERT_FALSE(malformed) << text;
    EXPECT_EQ(malformed.error().kind, ErrorKind::usage) << text;
  }
}

}  // namespace
}  // namespace dunlin::node
