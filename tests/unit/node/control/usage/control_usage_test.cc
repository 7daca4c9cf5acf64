// SPDX-License-Identifier: MIT
#include <chrono>

#include "node/control/usage/usage_json.h"
#include "node/wall_clock.h"
#include "sched/listing/listing.h"
#include "tests/unit/node/control/client_test.h"

// The verb `usage`: the rows of this agent, and those of all homes put together.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMsPerHour = 3'600'000;

class UsageTest : public ClientTest {
 protected:
  UsageTest() {
    for (std::uint64_t node = 2; node <= 3; ++node) {
      agent.hear_of(node, 4000);
      agent.hear_facts(node, "n" + std::to_string(node), 4000);
    }
    agent.dial = [this](const overlay::Endpoint& to) {
      return homes[to.id.value] = std::make_shared<FakeConnection>();
    };
  }

  static StoredUsage row(std::int64_t hours_ago,
      const std::string& user,
      std::int64_t cpu_hours,
      std::uint64_t log = 0) {
    return {.at = {.log = log,
                .key = {.hour = sched::hour_of(wall_clock_ns()) - hours_ago,
                    .home = {1},
                    .user = user,
                    .service_class = "gold"}},
        .epoch = log == 0 ? 0u : 1u,
        .sums = {.tasks = 1, .cpu_held = cpu_hours * kMsPerHour * 1000}};
  }
  /// Asks, and lets the agent read on until there is an answer.
  Json read(Json request = Json::object()) {
    Json reply = ask("usage", std::move(request));
    for (int turn = 0; turn < 50 && reply.is_null(); ++turn) reply = advance();
    return reply;
  }
  void answer_from(std::uint64_t node, const std::vector<sched::UsagePart>& parts) {
    const Json ok = {{"by", "user"}, {"parts", usage_parts_json(parts)}};
    homes.at(node)->say(Json{{"id", 1}, {"ok", ok}, {"end", true}}.dump());
  }
  static std::string lines_of(const Json& reply) {
    std::string text;
    for (const Json& line : reply["ok"]["usage"]) {
      text += line["line"].get<std::string>() + " " +
          std::to_string(line["cpu_held_ms"].get<std::int64_t>() / kMsPerHour) + "; ";
    }
    return text;
  }

  std::map<std::uint64_t, std::shared_ptr<FakeConnection>> homes;
};

TEST_F(UsageTest, AddsUpTheRowsOfThisAgent) {
  agent.used.rows = {row(30, "anna", 1), row(2, "anna", 2), row(2, "bob", 7), row(0, "anna", 3)};
  const Json all = read();
  EXPECT_EQ(lines_of(all), "bob 7; anna 6; ") << "most first";
  EXPECT_EQ(all["ok"]["total"]["cpu_held_ms"], 13 * kMsPerHour);
  EXPECT_EQ(all["ok"]["total"]["tasks"], 4);
  EXPECT_EQ(all["ok"]["nodes"], 1);
  EXPECT_THAT(all["ok"]["silent"], IsEmpty());
  EXPECT_EQ(lines_of(read({{"user", "anna"}})), "anna 6; ");
  EXPECT_EQ(lines_of(read({{"class", "tin"}})), "");
  EXPECT_EQ(lines_of(read({{"by", "class"}})), "gold 13; ");
  const Json first = read({{"limit", 1}});
  EXPECT_EQ(lines_of(first), "bob 7; ");
  EXPECT_EQ(first["ok"]["matching"], 2);
  EXPECT_EQ(first["ok"]["total"]["tasks"], 4) << "of those, too, that are not told";
}

TEST_F(UsageTest, OfATimeIsByWholeHours) {
  agent.used.rows = {row(30, "anna", 1), row(2, "anna", 2), row(0, "anna", 3)};
  const std::int64_t now = wall_clock_ns();
  EXPECT_EQ(lines_of(read({{"since_at_ns", now - 2 * sched::kNsPerHour}})), "anna 5; ");
  EXPECT_EQ(lines_of(read({{"until_at_ns", now - 10 * sched::kNsPerHour}})), "anna 1; ");
  EXPECT_EQ(lines_of(read({{"until_at_ns", INT64_MAX}})), lines_of(read({})));
  EXPECT_THAT(error_of(read({{"since_at_ns", now}, {"until_at_ns", now}})),
      HasSubstr("'until_at_ns' must be after `since_at_ns`"));
}

TEST_F(UsageTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(error_of(read({{"by", "week"}})), HasSubstr("usage: 'by' must be"));
  EXPECT_THAT(error_of(read({{"limit", 0}})), HasSubstr("usage: 'limit' must be"));
}

TEST_F(UsageTest, ManyRowsAreReadInSlices) {
  for (std::int64_t hour = 1200; hour > 0; --hour) agent.used.rows.push_back(row(hour, "anna", 1));
  ask("usage");
  EXPECT_LE(agent.used.pages, 2u) << "one in each turn";
  Json reply;
  for (int turn = 0; turn < 50 && reply.is_null(); ++turn) reply = advance();
  EXPECT_EQ(lines_of(reply), "anna 1200; ");
  EXPECT_EQ(agent.used.pages, 3u);
}

TEST_F(UsageTest, OfTheClusterAddsUpAllHomes) {
  agent.used.rows = {row(0, "anna", 1), row(0, "bob", 2, 5)};
  EXPECT_TRUE(ask("usage", {{"cluster", true}, {"user", "x"}}).is_null());
  ASSERT_EQ(homes.size(), 2u);
  const Json asked = homes[2]->replies.back();
  EXPECT_EQ(asked["verb"], "usage");
  EXPECT_EQ(asked["user"], "x");
  EXPECT_EQ(asked["parts"], true);
  EXPECT_FALSE(asked.contains("cluster")) << "each tells its own";
}

TEST_F(UsageTest, OfALogTheLastHomeCountsWhoeverAnswers) {
  agent.used.rows = {row(0, "anna", 1), row(0, "bob", 2, 5)};
  EXPECT_TRUE(ask("usage", {{"cluster", true}}).is_null());
  const auto held = [](std::int64_t hours) {
    return sched::UsageSums{.cpu_held = hours * kMsPerHour * 1000};
  };
  // It took the log over, and has what this agent knows of it, too.
  answer_from(2, {{.log = 5, .epoch = 2, .lines = {{"bob", held(3)}}}});
  answer_from(3, {{.log = 0, .epoch = 0, .lines = {{"anna", held(10)}}}});
  const Json reply = advance();
  EXPECT_EQ(lines_of(reply), "anna 11; bob 3; ");
  EXPECT_EQ(reply["ok"]["nodes"], 3);
}

TEST_F(UsageTest, NamesTheNodesThatDoNotAnswer) {
  agent.used.rows = {row(0, "anna", 1)};
  EXPECT_TRUE(ask("usage", {{"cluster", true}}).is_null());
  answer_from(2, {});
  EXPECT_TRUE(advance().is_null());
  agent.time += std::chrono::seconds(5);
  const Json reply = advance();
  ASSERT_EQ(reply["ok"]["silent"].size(), 1u);
  EXPECT_EQ(reply["ok"]["silent"][0]["name"], "n3");
  EXPECT_EQ(lines_of(reply), "anna 1; ");
}

TEST(UsageJson, IsReadAsItWasMade) {
  const std::vector<sched::UsagePart> parts = {
      {.log = 0xfedcba9876543210, .epoch = 3, .lines = {{"anna", {.tasks = 4, .lost = -2}}}}};
  EXPECT_EQ(usage_parts_of({{"parts", usage_parts_json(parts)}}), parts);
}

TEST(UsageJson, SurvivesAnyAnswer) {
  for (const char* const text : {"null", "3", "[]", "{}", R"({"parts": 3})",
           R"({"parts": [null, {"log": 3, "epoch": -1, "lines": [3, {"line": 4}]}]})",
           R"({"parts": [{"log": "zz", "epoch": "x", "lines": [{"line": "a", "sums": "b"}]}]})",
           R"({"parts": [{"log": "1", "epoch": 1,
              "lines": [{"line": "a", "sums": ["b", -5, 1e9]}]}]})"}) {
    for (const sched::UsagePart& part : usage_parts_of(Json::parse(text))) {
      for (const auto& [line, sums] : part.lines) EXPECT_EQ(sums, sched::UsageSums{}) << text;
    }
  }
}

TEST(UsageJson, TellsNothingBelowZero) {
  const Json told = usage_sums_json({.lost = -1, .cpu_used = 1999});
  EXPECT_EQ(told["lost"], 0);
  EXPECT_EQ(told["cpu_used_ms"], 1);
}

}  // namespace
}  // namespace dunlin::node
