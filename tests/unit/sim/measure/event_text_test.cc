// SPDX-License-Identifier: MIT
#include "sim/measure/event_text.h"

#include <gtest/gtest.h>
#include <sstream>

#include "sim/measure/message_kind.h"
#include "sim/measure/trace.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

TEST(EventText, NamesKindAndFields) {
  std::string text;
  append_text(sched::Event(sched::TaskBound{
                  .job = {.home = {17}, .number = 2}, .index = 4, .attempt = 1, .worker = {9}}),
      text);
  EXPECT_EQ(text, "task_bound job=17/2 index=4 attempt=1 worker=9");
}

TEST(EventText, TimesHaveNineDigits) {
  std::string text;
  append_text(overlay::Time{5s + 42ns}, text);
  EXPECT_EQ(text, "5.000000042");
}

TEST(TraceLines, SayWhenWhoAndWhat) {
  std::ostringstream out;
  Trace trace(out);
  trace.arrival(overlay::Time{1s}, 16, 3, kind_of(sched::Message(sched::Reserve{})));
  trace.event(overlay::Time{2s}, 3, overlay::Event(overlay::Joined{.contact = {1}}));
  const sched::DrainChanged drained{.draining = true, .running = 2};
  trace.event(overlay::Time{3s}, 0, sched::Event(drained));
  EXPECT_EQ(out.str(),
      "1.000000000 17>4 reserve\n"
      "2.000000000 4 joined contact=1\n"
      "3.000000000 1 drain_changed draining=yes running=2\n");
}

// The words follow the schemas: their first, middle and last stand where they must.
TEST(MessageWords, FollowTheSchemas) {
  EXPECT_EQ(kMessageWords[kind_of(overlay::Message(overlay::Leave{}))], "leave");
  EXPECT_EQ(kMessageWords[kind_of(sched::Message(sched::Reserve{}))], "reserve");
  EXPECT_EQ(kMessageWords[kind_of(sched::Message(sched::GetTask{}))], "get_task");
  EXPECT_EQ(kMessageWords[kind_of(sched::Message(sched::DrainReply{}))], "drain_reply");
}

}  // namespace
}  // namespace dunlin::sim
