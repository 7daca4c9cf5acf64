// SPDX-License-Identifier: MIT
#include "web/http/response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "web/http/byte_range.h"
#include "web/http/server.h"

namespace dunlin::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Response, HasLengthAndSaysWhetherMoreFollows) {
  const std::string text =
      head_text({.status = 206, .headers = {{"Content-Type", "a/b"}}}, 12, false, "now");
  EXPECT_EQ(text,
      "HTTP/1.1 206 Partial Content\r\nDate: now\r\nContent-Type: a/b\r\nContent-Length: 12\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_THAT(head_text({.status = 304}, 0, true, "now"), Not(HasSubstr("Content-Length")));
}

TEST(Response, LetsNoValueEndItsLine) {
  const std::string text =
      head_text({.headers = {{"Location", "/a\r\nSet-Cookie: x"}, {"X", std::string("a\0b", 3)}}},
          0, true, "now");
  EXPECT_THAT(text, Not(HasSubstr("Set-Cookie")));
  EXPECT_THAT(text, Not(HasSubstr("X:")));
}

TEST(Response, DatesAreThoseOfTheStandard) {
  EXPECT_EQ(http_date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(ByteRange, IsOneOfThreeForms) {
  EXPECT_EQ(parse_range("bytes=5-9", 100).range, (ByteRange{5, 5}));
  EXPECT_EQ(parse_range("bytes=90-", 100).range, (ByteRange{90, 10}));
  EXPECT_EQ(parse_range("bytes=-30", 100).range, (ByteRange{70, 30}));
  EXPECT_EQ(parse_range("bytes=-300", 100).range, (ByteRange{0, 100}));
  EXPECT_EQ(parse_range("bytes=0-999", 100).range, (ByteRange{0, 100}));
}

TEST(ByteRange, BehindTheEndThereIsNone) {
  for (const char* const value : {"bytes=100-", "bytes=100-200", "bytes=-0"}) {
    const RangeWish wish = parse_range(value, 100);
    EXPECT_TRUE(wish.wanted) << value;
    EXPECT_FALSE(wish.range) << value;
  }
  EXPECT_FALSE(parse_range("bytes=-5", 0).range);
}

// A header that is not understood counts as none (RFC 9110, section 14.2).
TEST(ByteRange, WhatIsNotUnderstoodAsksForAll) {
  for (const char* const value : {"", "bytes", "bytes=", "bytes=a-b", "bytes=9-5", "bytes=0-1,5-6",
           "lines=1-2", "bytes=--1", "bytes=99999999999999999999-"}) {
    EXPECT_FALSE(parse_range(value, 100).wanted) << value;
  }
}

TEST(Server, KnowsLoopbackAndWhatCountsAsOneClient) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("10.0.0.1"));
  EXPECT_EQ(address_group("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(address_group("2001:db8::1"), address_group("2001:db8::ffff"));
  EXPECT_NE(address_group("2001:db8::1"), address_group("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace dunlin::web
