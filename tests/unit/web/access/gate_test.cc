// SPDX-License-Identifier: MIT
#include "web/access/gate.h"

#include <gtest/gtest.h>

#include "web/access/access.h"

namespace dunlin::web {
namespace {

Request with(std::vector<Header> headers) {
  return {.method = "POST", .target = "/", .headers = std::move(headers)};
}

// A stranger's page reaches loopback under a name of its own, once its DNS says so.
TEST(Gate, AnswersToItsOwnNamesAlone) {
  const auto ours = [](const char* host) {
    return host_is_ours(with({{"host", host}}), {"web.lan"});
  };
  for (const char* const host : {"localhost", "localhost:8780", "127.0.0.1:1", "[::1]",
           "[::1]:8780", "LocalHost", "web.lan", "WEB.lan:443"}) {
    EXPECT_TRUE(ours(host)) << host;
  }
  for (const char* const host :
      {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8780",
          "localhost:80@evil", "[::1", "localhost:99999999", "web.lan.", "127.0.0.2", "[::2]"}) {
    EXPECT_FALSE(ours(host)) << host;
  }
  EXPECT_FALSE(host_is_ours(with({}), {}));
  EXPECT_FALSE(host_is_ours(with({{"host", "localhost"}, {"host", "localhost"}}), {}));
}

TEST(Gate, AChangeComesFromThePageItself) {
  const Header host = {"host", "localhost:8780"};
  const Header mark = {"x-dunlin", "1"};
  EXPECT_EQ(cross_site_problem(with({host, mark, {"sec-fetch-site", "same-origin"}})), "");
  EXPECT_EQ(cross_site_problem(with({host, mark, {"origin", "http://localhost:8780"}})), "");
  EXPECT_NE(cross_site_problem(with({host, {"sec-fetch-site", "same-origin"}})), "");
  EXPECT_NE(cross_site_problem(with({host, mark})), "");
  for (const char* const site : {"cross-site", "same-site", "none", ""}) {
    EXPECT_NE(cross_site_problem(with({host, mark, {"sec-fetch-site", site}})), "") << site;
  }
  for (const char* const origin :
      {"null", "http://localhost", "http://localhost:8781", "http://evil.example", ""}) {
    EXPECT_NE(cross_site_problem(with({host, mark, {"origin", origin}})), "") << origin;
    EXPECT_NE(cross_site_problem(
                  with({host, mark, {"origin", origin}, {"sec-fetch-site", "same-origin"}})),
        "")
        << origin;
  }
}

TEST(Gate, ABodyIsJson) {
  const auto json = [](const char* type) {
    Request request = with({{"content-type", type}});
    request.body = "{}";
    return says_json(request);
  };
  EXPECT_TRUE(json("application/json"));
  EXPECT_TRUE(json("Application/JSON; charset=utf-8"));
  EXPECT_FALSE(json("text/plain"));
  EXPECT_FALSE(json("application/x-www-form-urlencoded"));
  EXPECT_TRUE(says_json(with({})));
}

TEST(Gate, FindsACookieAmongOthers) {
  const Request request =
      with({{"cookie", "a=1; dunlin-8780=secret;b=2"}, {"cookie", "dunlin-8781=other"}});
  EXPECT_EQ(cookie_of(request, "dunlin-8780"), "secret");
  EXPECT_EQ(cookie_of(request, "dunlin-8781"), "other");
  EXPECT_EQ(cookie_of(request, "dunlin"), "");
}

TEST(Access, KnowsACallerByTokenOrCookie) {
  Access access({.port = 8780});
  const std::string session = access.logins().open_session("anna", 10);
  const std::string token = *access.logins().make_token("bert", {}, 10);
  EXPECT_EQ(access.caller_of(with({{"cookie", "dunlin-8780=" + session}}), 20)->user, "anna");
  EXPECT_EQ(access.caller_of(with({{"authorization", "Bearer " + token}}), 20)->user, "bert");
  EXPECT_FALSE(access.caller_of(with({{"authorization", "Basic " + token}}), 20));
  EXPECT_FALSE(access.caller_of(with({{"cookie", "dunlin-1=" + session}}), 20));
  EXPECT_FALSE(access.caller_of(with({}), 20));
  // A token that is wrong is no reason to take the cookie.
  EXPECT_FALSE(access.caller_of(
      with({{"authorization", "Bearer x"}, {"cookie", "dunlin-8780=" + session}}), 20));
}

TEST(Access, CookiesAreForThisHostAlone) {
  EXPECT_EQ(Access({.port = 80}).set_cookie("s"),
      "dunlin-80=s; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800");
  EXPECT_EQ(Access({.https = true, .port = 80}).set_cookie(""),
      "__Host-dunlin-80=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure");
}

}  // namespace
}  // namespace dunlin::web
