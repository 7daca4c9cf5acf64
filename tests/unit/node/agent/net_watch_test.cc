// SPDX-License-Identifier: MIT
#include "node/agent/net_watch.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NetWatch, TellsOfUnsentMessagesOnceAMinute) {
  Metrics metrics;
  Log log(overlay::Level::info, LogFormat::text, metrics);
  NetWatch watch(log);
  TransportCounters counters;
  const auto look_at = [&](overlay::Duration when) {
    ::testing::internal::CaptureStderr();
    watch.look(overlay::Time{when}, counters);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(look_at(10s), IsEmpty());
  counters.messages_unsent = 3;
  const auto line = look_at(11s);
  EXPECT_THAT(line, HasSubstr("messages_unsent"));
  EXPECT_THAT(line, HasSubstr("count=3"));
  EXPECT_THAT(line, HasSubstr("transport.connections_max"));
  counters.messages_unsent = 5;
  EXPECT_THAT(look_at(12s), IsEmpty());
  EXPECT_THAT(look_at(71s), HasSubstr("count=2"));
  EXPECT_THAT(look_at(200s), IsEmpty()) << "nothing new";
}

TEST(NetWatch, TellsOfClocksAndVersionsWithTheirCures) {
  Metrics metrics;
  Log log(overlay::Level::info, LogFormat::text, metrics);
  NetWatch watch(log);
  const overlay::Endpoint from{.id = {7}, .address = overlay::Address::v4(0x0a000001, 7700)};
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(watch.on_notice(overlay::Time{10s},
        {.kind = PeerNotice::Kind::clock, .from = from, .known = {}, .clock_ahead = -18000}));
    EXPECT_TRUE(watch.on_notice(
        overlay::Time{10s}, {.kind = PeerNotice::Kind::version, .from = from, .known = {}}));
  }
  EXPECT_FALSE(watch.on_notice(
      overlay::Time{10s}, {.kind = PeerNotice::Kind::superseded, .from = from, .known = {}}));
  const auto lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
  EXPECT_THAT(lines, HasSubstr("ahead_s=-18000"));
  EXPECT_THAT(lines, HasSubstr("set the clock"));
  EXPECT_THAT(lines, HasSubstr("10.0.0.1:7700"));
  EXPECT_THAT(lines, HasSubstr("upgrade all agents of the cluster together"));
}

}  // namespace
}  // namespace dunlin::node
