// SPDX-License-Identifier: MIT
#include "node/control/usage/day_usage.h"

#include "node/wall_clock.h"
#include "sched/usage/usage_report.h"
#include "tests/unit/node/control/client_test.h"

// How much CPU time users and classes may hold in a day, and what becomes of a submit beyond.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr std::int64_t kHour = 3600;

class DayUsageTest : public ClientTest {
 protected:
  DayUsageTest() { agent.config.agent.quota = "user:alice=1h, user:*=2h, class:gold=3h"; }

  static StoredUsage row(std::int64_t hour,
      const std::string& user,
      std::int64_t seconds,
      const std::string& service_class = "default",
      std::uint64_t home = 1) {
    return {
        .at = {.log = 0,
            .key = {.hour = hour, .home = {home}, .user = user, .service_class = service_class}},
        .sums = {.cpu_held = seconds * 1'000'000}};
  }
  static std::int64_t today() { return sched::hour_of(wall_clock_ns()) / 24 * 24; }
  /// The answer to a submit of that user.
  Json submit_as(const std::string& user,
      const std::string& service_class = "",
      bool administrator = false,
      Json speaks = 2) {
    auto theirs = std::make_shared<FakeConnection>();
    ControlSession own(
        agent, theirs, Principal{.user = user, .administrator = administrator}, requests);
    theirs->say(Json{{"verb", "hello"}, {"id", 1}, {"newest", speaks}}.dump());
    Json request = {{"verb", "submit"}, {"id", 2}, {"allow_unsatisfiable", true},
        {"groups", {{{"command", {"true"}}}}}};
    if (!service_class.empty()) request["class"] = service_class;
    theirs->say(request.dump());
    own.advance();
    return theirs->replies.back();
  }
  void later(overlay::Duration time) {
    agent.time += time;
    for (int turn = 0; turn < 10; ++turn) agent.day.advance(agent, wall_clock_ns());
  }
};

TEST_F(DayUsageTest, ASubmitBeyondAQuotaIsToldHowMuchAndUntilWhen) {
  agent.used.rows = {row(today() - 1, "alice", 50 * kHour), row(today(), "alice", kHour - 1)};
  EXPECT_EQ(error_of(submit_as("alice")), "") << "a second is left, and yesterday is over";
  agent.used.rows.push_back(row(today() + 1, "alice", 1));
  EXPECT_EQ(error_of(submit_as("alice")), "") << "it is looked at every ten seconds";
  later(DayUsage::kFresh);
  const Json reply = submit_as("alice");
  EXPECT_THAT(error_of(reply),
      StartsWith("quota: user alice has held 3600 CPU seconds today by jobs of this agent, and may "
                 "hold 3600 a day (agent.quota); submit again at " +
          sched::day_text(today() + 24) + " 00:00 UTC, in "));
  EXPECT_FALSE(reply["error"].contains("retry_ns")) << "no client waits for so long by itself";
  EXPECT_THAT(error_of(submit_as("alice", "", false, 1)), StartsWith("refused: user alice"));
  EXPECT_EQ(error_of(submit_as("bob")), "");
  EXPECT_EQ(error_of(submit_as("alice", "", true)), "") << "administrators are not bound";
}

TEST_F(DayUsageTest, TheQuotaOfEachUserBindsThoseWithoutTheirOwn) {
  agent.used.rows = {row(today(), "bob", kHour), row(today() + 1, "bob", kHour, "tin"),
      row(today() + 1, "carol", 2 * kHour - 1)};
  EXPECT_THAT(error_of(submit_as("bob")), StartsWith("quota: user bob has held 7200"));
  EXPECT_EQ(error_of(submit_as("carol")), "");
  agent.config.agent.quota = "user:alice=1h";
  EXPECT_EQ(error_of(submit_as("bob")), "");
}

TEST_F(DayUsageTest, AClassIsBoundWhoeverUsesIt) {
  agent.used.rows = {row(today(), "alice", kHour / 2, "gold"), row(today(), "bob", 1, "gold"),
      row(today() + 1, "carol", 3 * kHour, "gold")};
  EXPECT_THAT(error_of(submit_as("bob", "gold")),
      StartsWith("quota: class gold has held 12601 CPU seconds today"));
  EXPECT_EQ(error_of(submit_as("bob")), "") << "of another class";
}

// A table of many rows is read by and by, and a submit that comes before says when to come again.
TEST_F(DayUsageTest, ReadsASliceInEachTurn) {
  for (std::uint64_t home = 1; home <= 2 * DayUsage::kSlice; ++home) {
    agent.used.rows.push_back(row(today(), "alice", 10, "default", home));
  }
  EXPECT_THAT(error_of(submit_as("alice")), StartsWith("busy: "));
  EXPECT_GT(submit_as("alice")["error"]["retry_ns"], 0);
  EXPECT_NE(agent.day.due(), overlay::kNever);
  later(0s);
  EXPECT_EQ(agent.day.due(), overlay::kNever);
  EXPECT_EQ(agent.day.held_by_user("alice"), 10'000'000);
  EXPECT_THAT(error_of(submit_as("alice")), StartsWith("quota: "));
  const std::size_t pages = agent.used.pages;
  later(DayUsage::kFresh / 2);
  EXPECT_EQ(agent.used.pages, pages) << "the sums are fresh";
}

TEST_F(DayUsageTest, ReadsNothingWithoutQuotas) {
  agent.config.agent.quota = "";
  agent.used.rows = {row(today(), "alice", 9 * kHour)};
  EXPECT_EQ(error_of(submit_as("alice")), "");
  later(DayUsage::kFresh);
  EXPECT_EQ(agent.used.pages, 0u);
}

TEST_F(DayUsageTest, UsageTellsWhatIsLeft) {
  agent.used.rows = {row(today(), "alice", 90), row(today(), "bob", 60, "gold")};
  Json reply = ask("usage");
  for (int turn = 0; turn < 50 && reply.is_null(); ++turn) reply = advance();
  const Json& quotas = reply["ok"]["quotas"];
  ASSERT_EQ(quotas.size(), 3u) << quotas;
  EXPECT_EQ(quotas[0],
      (Json{{"of", "user"}, {"name", "alice"}, {"ceiling_ms", 3'600'000}, {"held_ms", 90'000},
          {"renewed_at_ns", (today() + 24) * sched::kNsPerHour}}));
  EXPECT_EQ(quotas[1]["of"], "class");
  EXPECT_EQ(quotas[1]["held_ms"], 60'000);
  EXPECT_EQ(quotas[2]["name"], "bob") << "by the quota of each user";
  EXPECT_EQ(quotas[2]["ceiling_ms"], 7'200'000);
}

}  // namespace
}  // namespace dunlin::node
