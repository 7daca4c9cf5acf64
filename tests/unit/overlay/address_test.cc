// SPDX-License-Identifier: MIT
#include "overlay/address.h"

#include <gtest/gtest.h>
#include <utility>

namespace dunlin::overlay {
namespace {

TEST(Address, ReadsAndWritesTheUsualForms) {
  const std::pair<std::string_view, std::string_view> forms[] = {
      {"10.0.0.7", "10.0.0.7:7700"},
      {"10.0.0.7:1", "10.0.0.7:1"},
      {"255.255.255.255:65535", "255.255.255.255:65535"},
      {"[fe80::1]:80", "[fe80::1]:80"},
      {"[::1]", "[::1]:7700"},
      {"::1", "[::1]:7700"},
      {"::", "[::]:7700"},
      {"2001:db8:0:0:1:0:0:1", "[2001:db8::1:0:0:1]:7700"},
      {"2001:0DB8::", "[2001:db8::]:7700"},
      {"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:7700"},
      {"1::8", "[1::8]:7700"},
      {"0:1:2:3:4:5:6:7", "[0:1:2:3:4:5:6:7]:7700"},
      {"::ffff:10.0.0.7", "10.0.0.7:7700"},
      {"[::ffff:10.0.0.7]:9", "10.0.0.7:9"},
  };
  for (const auto& [text, expected] : forms) {
    const auto address = parse_address(text, 7700);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), expected) << text;
    EXPECT_EQ(parse_address(to_string(*address), 1), *address) << text;
  }
}

TEST(Address, RefusesWhatIsNone) {
  for (const std::string_view text : {"", ":", "10.0.0", "10.0.0.7.8", "10.0.0.256", "10.0.0.07",
           "10.0.0.7:", "10.0.0.7:65536", "10.0.0.7:x", "10.0.0.7:-1", " 10.0.0.7", "10.0.0.7 ",
           "localhost", "host:80", "[::1", "[::1]80", "[::1]:", "[10.0.0.7]:80", "[]:80",
           ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
           "1:2:3:4:5:6:7:8::", "12345::", "g::1", ":1", "1:", "::1:", "::10.0.0", "1.2.3.4::"}) {
    const auto address = parse_address(text, 7700);
    EXPECT_FALSE(address) << text;
    if (!address) {
      EXPECT_EQ(address.error().kind, ErrorKind::usage);
      EXPECT_NE(address.error().text.find("'" + std::string(text) + "'"), std::string::npos);
    }
  }
}

TEST(Address, KnowsItsKind) {
  EXPECT_TRUE(Address::v4(0x0a000007, 1).is_v4());
  EXPECT_FALSE(parse_address("::1", 1)->is_v4());
  EXPECT_TRUE(parse_address("0.0.0.0", 1)->is_any());
  EXPECT_TRUE(parse_address("::", 1)->is_any());
  EXPECT_FALSE(parse_address("0.0.0.1", 1)->is_any());
  EXPECT_FALSE(Address{});
}

}  // namespace
}  // namespace dunlin::overlay
