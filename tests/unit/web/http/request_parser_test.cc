// SPDX-License-Identifier: MIT
#include "web/http/request_parser.h"

#include <gtest/gtest.h>
#include <string>

namespace dunlin::web {
namespace {

using State = RequestParser::State;

/// Shows `text` to a parser, so many bytes at a time, as connections do.
State feed(RequestParser& parser, const std::string& text, std::size_t step) {
  std::string input;
  std::size_t used = 0;
  State state = State::more;
  for (std::size_t at = 0; at < text.size() && state == State::more; at += step) {
    input += text.substr(at, step);
    state = parser.read(std::string_view(input).substr(used), used);
  }
  return state;
}

/// The status that `text` is refused with; 0: it is none that is refused.
int refused(const std::string& text) {
  RequestParser parser;
  return feed(parser, text, 4'096) == State::wrong ? parser.status() : 0;
}

TEST(RequestParser, ReadsARequestHoweverItIsCut) {
  const std::string text =
      "POST /v1/jobs?x=1 HTTP/1.1\r\nHost: a\r\nX-Two:  b \r\nContent-Length: 5\r\n\r\nhello";
  for (const std::size_t step : {1u, 2u, 7u, 1'000u}) {
    RequestParser parser;
    ASSERT_EQ(feed(parser, text, step), State::whole) << step;
    const Request request = parser.take();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/v1/jobs?x=1");
    EXPECT_EQ(request.header("host"), "a");
    EXPECT_EQ(request.header("x-two"), "b");
    EXPECT_EQ(request.body, "hello");
    EXPECT_TRUE(request.keep_alive);
  }
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
  RequestParser parser;
  const std::string first = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string text = first + "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  std::size_t used = 0;
  ASSERT_EQ(parser.read(text, used), State::whole);
  EXPECT_EQ(used, first.size());
  EXPECT_EQ(parser.take().target, "/a");
  ASSERT_EQ(parser.read(std::string_view(text).substr(used), used), State::whole);
  EXPECT_EQ(used, text.size());
  const Request second = parser.take();
  EXPECT_EQ(second.target, "/b");
  EXPECT_FALSE(second.keep_alive);
}

TEST(RequestParser, BoundsHeaderAndBody) {
  const std::string begin = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(refused(begin + "X: " + std::string(8'000, 'x') + "\r\n\r\n"), 0);
  EXPECT_EQ(refused(begin + "X: " + std::string(9'000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(refused("GET /" + std::string(20'000, 'x')), 431);
  EXPECT_EQ(refused(begin + "Content-Length: 1048577\r\n\r\n"), 413);
  EXPECT_EQ(refused(begin + "Content-Length: 99999999999999999999999\r\n\r\n"), 400);
}

// What two servers may read in two ways lets a stranger's request pass as another's.
TEST(RequestParser, RefusesWhatMayBeReadInTwoWays) {
  const std::string begin = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(refused(begin + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), 411);
  EXPECT_NE(refused(begin + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello"), 0);
  EXPECT_EQ(refused(begin + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), 400);
  EXPECT_EQ(refused(begin + "Content-Length: -1\r\n\r\n"), 400);
  EXPECT_NE(refused("GET / HTTP/1.1\nHost: a\n\n"), 0);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHo st: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(refused("\x16\x03\x01 hello tls\r\n\r\n"), 400);
}

TEST(RequestParser, SaysWhenAClientWaitsForAWord) {
  RequestParser parser;
  std::size_t used = 0;
  const std::string header =
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  EXPECT_FALSE(parser.wants_continue());
  ASSERT_EQ(parser.read(header, used), State::more);
  EXPECT_TRUE(parser.wants_continue());
  ASSERT_EQ(parser.read("hi", used), State::whole);
  EXPECT_FALSE(parser.wants_continue());
}

}  // namespace
}  // namespace dunlin::web
