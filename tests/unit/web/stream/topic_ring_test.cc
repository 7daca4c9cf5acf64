// SPDX-License-Identifier: MIT
#include "web/stream/topic_ring.h"

#include <gtest/gtest.h>

#include "web/stream/topic.h"

namespace dunlin::web {
namespace {

TEST(TopicRing, TellsWhatIsBehind) {
  TopicRing ring(10);
  EXPECT_EQ(ring.after(10), nullptr);
  ring.push(12, "a");
  ring.push(15, "b");
  EXPECT_EQ(ring.after(10)->text, "a");
  EXPECT_EQ(ring.after(12)->text, "b");
  EXPECT_EQ(ring.after(13)->text, "b");
  EXPECT_EQ(ring.after(15), nullptr);
  EXPECT_EQ(ring.newest()->seq, 15u);
  EXPECT_FALSE(ring.has_lost(10));
  EXPECT_TRUE(ring.has_lost(9)) << "before its begin nobody kept anything";
}

TEST(TopicRing, ForgetsTheOldestAndSaysSo) {
  TopicRing ring(0, 10);
  ring.push(1, "12345");
  ring.push(2, "12345");
  EXPECT_FALSE(ring.has_lost(0));
  ring.push(3, "1");
  EXPECT_TRUE(ring.has_lost(0));
  EXPECT_FALSE(ring.has_lost(1));
  EXPECT_EQ(ring.after(0)->seq, 2u);
  ring.push(4, std::string(100, 'x'));
  EXPECT_EQ(ring.after(0)->seq, 4u) << "the newest one stays, however large";
}

TEST(EventId, IsOfOneEpoch) {
  EXPECT_EQ(event_id("ab12", 7), "ab12.7");
  EXPECT_EQ(parse_event_id("ab12", "ab12.7"), 7u);
  for (const char* const id : {"", "ab12", "ab12.", "ab12.x", "ab12.7x", "cd34.7", "7"}) {
    EXPECT_FALSE(parse_event_id("ab12", id)) << id;
  }
  EXPECT_EQ(event_text("e.1", "jobs", "{}"), "id: e.1\nevent: jobs\ndata: {}\n\n");
}

TEST(TopicName, IsReadAsItIsWritten) {
  using Kind = TopicName::Kind;
  EXPECT_EQ(parse_topic("jobs")->kind, Kind::jobs);
  EXPECT_TRUE(parse_topic("nodes")->is_shared());
  EXPECT_EQ(parse_topic("job:wren.7")->job, "wren.7");
  EXPECT_EQ(parse_topic("events:wren")->node, "wren");
  EXPECT_FALSE(parse_topic("events")->tells_state());
  const auto log = parse_topic("log:web.1.12.3.err");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->job, "web.1.12");
  EXPECT_EQ(log->task, 3u);
  EXPECT_TRUE(log->of_errors);
  EXPECT_FALSE(log->is_shared());
  EXPECT_EQ(parse_topic("log:12.3")->job, "12");
  for (const char* const text : {"", "job", "job:", "jobs:x", "log:12", "log:.3", "log:a.b",
           "log:a.99999999999", "weather", "log:a.1.out"}) {
    EXPECT_FALSE(parse_topic(text)) << text;
  }
  EXPECT_FALSE(parse_topic("job:" + std::string(1'000, 'x')));
}

}  // namespace
}  // namespace dunlin::web
