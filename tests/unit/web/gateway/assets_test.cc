// SPDX-License-Identifier: MIT
#include "web/gateway/assets.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "web/gateway/web_options.h"

namespace dunlin::web {
namespace {

using ::testing::StartsWith;

TEST(Assets, HaveThePageAndNothingButWhatItLoads) {
  const Asset* const start = find_asset("");
  ASSERT_NE(start, nullptr);
  EXPECT_EQ(start->path, "page/index.html");
  EXPECT_EQ(start->type, "text/html; charset=utf-8");
  EXPECT_THAT(std::string(start->packed), StartsWith("\x1f\x8b"));
  EXPECT_EQ(find_asset("page"), nullptr);
  EXPECT_EQ(find_asset("vendor/README.md"), nullptr);
  EXPECT_EQ(find_asset("embed.py"), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(all_assets(), {}, &Asset::path));
}

// An import map stands within the page: the policy must name it, or the page stays empty.
TEST(Assets, ScriptsWithinThePageAreNamedByTheirHash) {
  const bool inside = find_asset("")->bytes.find("importmap") != std::string_view::npos;
  EXPECT_EQ(inside, script_hashes().starts_with("'sha256-"));
}

TEST(WebOptions, ListenIsAnAddressAndAPort) {
  EXPECT_EQ(parse_listen("8780")->port, 8780);
  EXPECT_EQ(parse_listen("8780")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen("[::1]:80")->host, "::1");
  EXPECT_EQ(parse_listen("localhost:0")->host, "127.0.0.1");
  for (const char* const text : {"", "127.0.0.1", "127.0.0.1:", ":80", "a:99999", "a:80x"}) {
    EXPECT_FALSE(parse_listen(text)) << text;
  }
}

}  // namespace
}  // namespace dunlin::web
