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

// The receiver alone knows that a key is wrong: the sender hears nothing.
TEST(NetWatch, TellsOfDatagramsThatDoNotOpenOnceAMinuteAndSender) {
  Metrics metrics;
  Log log(overlay::Level::info, LogFormat::text, metrics);
  NetWatch watch(log);
  const auto on = [&](overlay::Duration when, std::uint32_t machine, DropReason reason) {
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(watch.on_notice(overlay::Time{when},
        {.kind = PeerNotice::Kind::unopened,
            .from = {.id = {}, .address = overlay::Address::v4(machine, 7700)},
            .known = {},
            .reason = reason}));
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string first = on(10s, 0x0a000007, DropReason::key);
  EXPECT_THAT(first, HasSubstr("datagrams_unopened"));
  EXPECT_THAT(first, HasSubstr("count=1"));
  EXPECT_THAT(first, HasSubstr("10.0.0.7"));
  EXPECT_THAT(first, HasSubstr("another key"));
  EXPECT_THAT(on(11s, 0x0a000007, DropReason::key), IsEmpty());
  EXPECT_THAT(on(12s, 0x0a000008, DropReason::wrong_cluster), HasSubstr("another cluster"));
  EXPECT_THAT(on(70s, 0x0a000007, DropReason::forged), HasSubstr("count=2"));
  for (std::uint32_t i = 0; i < 300; ++i) (void)on(71s, 0x0b000000 + i, DropReason::key);
  (void)on(72s, 0x0c000000, DropReason::key);  // In place of one that was told long ago.
  EXPECT_THAT(on(72s, 0x0c000001, DropReason::key), IsEmpty()) << "strangers are bounded";
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
