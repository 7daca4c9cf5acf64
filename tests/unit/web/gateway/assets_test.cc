// SPDX-License-Identifier: MIT
#include "web/gateway/assets.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "web/gateway/metrics_text.h"
#include "web/gateway/web_options.h"

namespace dunlin::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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

TEST(MetricsText, IsWhatPrometheusReads) {
  const std::string text = metrics_text(R"({"version":"1.2","state":"up","running":3,
    "uptime_ns":2500000000,"total":{"cpu_milli":2500,"memory_mib":2},"store_error":null,
    "slots":{"busy":2},
    "counters":{"event_joined":4,"datagrams_sent":7,"dropped_replay":1,"commits":9,
    "Odd name":1}})");
  for (const char* const line :
      {"dunlin_build_info{version=\"1.2\"} 1\n", "dunlin_tasks_running 3\n",
          "dunlin_uptime_seconds 2.5\n", "dunlin_cpu_cores{kind=\"offered\"} 2.5\n",
          "dunlin_memory_bytes{kind=\"offered\"} 2097152\n", "dunlin_slots{state=\"busy\"} 2\n",
          "dunlin_node_state{state=\"up\"} 1\n", "dunlin_node_state{state=\"sick\"} 0\n",
          "dunlin_store_ok 1\n", "dunlin_events_total{event=\"joined\"} 4\n",
          "dunlin_datagrams_total{direction=\"sent\"} 7\n",
          "dunlin_dropped_total{reason=\"replay\"} 1\n", "dunlin_commits_total 9\n",
          "# TYPE dunlin_events_total counter\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("Odd")));
  EXPECT_THAT(metrics_text(R"({"store_error":"disk full"})"), HasSubstr("dunlin_store_ok 0\n"));
  EXPECT_THAT(metrics_text("nonsense"), HasSubstr("dunlin_tasks_running 0\n"));
}

/// The names that a pattern finds in a text.
std::set<std::string> names_in(const std::string& text, const std::regex& pattern) {
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    names.insert((*at)[1].str());
  }
  return names;
}

TEST(MetricsText, IsAsTheGuideSays) {
  std::ifstream in(DUNLIN_SOURCE_DIR "/docs/guide/web.md");
  std::ostringstream page;
  page << in.rdbuf();
  const std::string text = metrics_text(R"({"counters":{"event_a":1,"dropped_a":1,"datagrams_a":1,
    "datagram_bytes_a":1,"messages_a":1,"streams_a":1,"stream_bytes_a":1,"cell_a":1}})");
  EXPECT_EQ(names_in(page.str(), std::regex("\n\\| `(dunlin_[a-z_]+)` \\|")),
      names_in(text, std::regex("# HELP (\\w+) ")));
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
