// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/live_output.h"

#include <gmock/gmock.h>

#include "node/base64.h"
#include "node/control/control_protocol.h"
#include "tests/unit/cli/connection/fake_agent.h"

namespace dunlin::cli {
namespace {

static_assert(LiveOutput::kAtOnce + 8 < node::kControlStreamsMax, "watch, stop and others fit too");

Json piece(const std::string& text) {
  return {{"data", node::to_base64(text)}};
}

/// Takes so many replies.
void take(Connection& connection, LiveOutput& output, int replies) {
  for (int i = 0; i < replies; ++i) {
    const auto reply = connection.next();
    ASSERT_TRUE(reply) << reply.error().text;
    const auto taken = output.take(*reply, Clock::now());
    ASSERT_TRUE(taken);
    EXPECT_TRUE(*taken);
  }
}

// Two tasks write halves of lines in turn: what is printed are whole lines.
TEST(LiveOutput, PrintsWholeLinesOfEachStream) {
  FakeAgent agent([](FakeAgent& on) {
    const Json three = on.request();
    const Json seven = on.request();
    EXPECT_EQ(three["attempt"], 2);
    EXPECT_EQ(three["follow"], true);
    on.reply(three, piece("he"), false);
    on.reply(seven, piece("a\nwor"), false);
    on.reply(three, piece("llo\nrest"), false);
    on.reply(seven, piece("ld\n"));
    on.reply(three, piece(""));
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  LiveOutput output(connection, {{"number", 1}});
  ASSERT_TRUE(output.follow(3, 2, false));
  ASSERT_TRUE(output.follow(7, 1, false));
  take(connection, output, 5);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "7: a\n3: hello\n7: world\n3: rest\n");
  EXPECT_TRUE(output.idle());
  EXPECT_TRUE(output.troubles().empty());
}

TEST(LiveOutput, KeepsTheStreamsApart) {
  FakeAgent agent([](FakeAgent& on) {
    const Json out = on.request();
    const Json err = on.request();
    EXPECT_EQ(err["stream"], "err");
    on.reply(out, piece("fine\n"));
    on.reply(err, piece("trouble\n"));
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  LiveOutput output(connection, {{"number", 1}});
  ASSERT_TRUE(output.follow(0, 1, false));
  ASSERT_TRUE(output.follow(0, 1, true));
  take(connection, output, 2);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0: fine\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "0: trouble\n");
}

// A task that never ends its line must not fill the memory.
TEST(LiveOutput, CutsALineThatDoesNotEnd) {
  const std::string half(LiveOutput::kLineMax / 2, 'x');
  FakeAgent agent([&](FakeAgent& on) {
    const Json stream = on.request();
    on.reply(stream, piece(half), false);
    on.reply(stream, piece(half), false);
    on.reply(stream, piece("y"));
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  LiveOutput output(connection, {{"number", 1}});
  ASSERT_TRUE(output.follow(0, 1, false));
  take(connection, output, 3);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0: " + half + half + "\n0: y\n");
}

// With --line-buffer no line is ever cut, and what one task writes keeps its bytes.
TEST(LiveOutput, HoldsALineOfAnyLength) {
  const std::string half(LiveOutput::kLineMax, 'x');
  FakeAgent agent([&](FakeAgent& on) {
    const Json stream = on.request();
    const Json other = on.request();
    on.reply(stream, piece(half), false);
    on.reply(other, piece("short\nno end"));
    on.reply(stream, piece(half), false);
    on.reply(stream, piece("y\nlast"));
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  int cleared = 0;
  LiveOutput output(connection, {{"number", 1}}, [&] { ++cleared; });
  output.hold_lines();
  output.leave_labels();
  ASSERT_TRUE(output.follow(0, 1, false));
  ASSERT_TRUE(output.follow(1, 1, false));
  take(connection, output, 4);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "short\nno end\n" + half + half + "y\nlast");
  EXPECT_EQ(cleared, 2);
}

// More tasks than requests: the silent ones make room, and go on where they stopped.
TEST(LiveOutput, SilentStreamsTakeTurns) {
  std::vector<Json> asked;
  FakeAgent agent([&](FakeAgent& on) {
    for (std::size_t i = 0; i < LiveOutput::kAtOnce; ++i) asked.push_back(on.request());
    on.reply(asked[0], piece("a\nb"), false);
    asked.push_back(on.request());  // The stop.
    asked.push_back(on.request());  // The stream that waited.
    on.reply(asked.back(), piece("last\n"));
    asked.push_back(on.request());
    on.reply(asked.back(), piece("c\n"));
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  LiveOutput output(connection, {{"number", 1}});
  for (std::uint32_t task = 0; task <= LiveOutput::kAtOnce; ++task) {
    ASSERT_TRUE(output.follow(task, 1, false));
  }
  const auto reply = connection.next();
  ASSERT_TRUE(reply);
  const auto later = Clock::now() + LiveOutput::kTurn;
  ASSERT_TRUE(output.take(*reply, later - std::chrono::hours(1))) << "task 0 is silent for longest";
  EXPECT_NE(output.deadline(later), kNoDeadline);
  ASSERT_TRUE(output.tick(later));
  take(connection, output, 2);
  agent.join();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0: a\n48: last\n0: bc\n");
  ASSERT_EQ(asked.size(), LiveOutput::kAtOnce + 3);
  EXPECT_EQ(asked[LiveOutput::kAtOnce]["verb"], "stop");
  EXPECT_EQ(asked[LiveOutput::kAtOnce]["request"], asked[0]["id"]);
  EXPECT_EQ(asked.back()["task"], 0);
  EXPECT_EQ(asked.back()["offset"], 3);
}

TEST(LiveOutput, SaysWhatIsLeftOut) {
  FakeAgent agent([](FakeAgent& on) {
    on.fail(on.request(), "timeout", "the output is on c, which does not answer");
    on.fail(on.request(), "timeout", "the output is on c, which does not answer");
    on.fail(on.request(), "not_found", "task 6 never ran");
  });
  auto connection = agent.connect();
  LiveOutput output(connection, {{"number", 1}});
  for (const std::uint32_t task : {4u, 5u, 6u}) ASSERT_TRUE(output.follow(task, 1, false));
  take(connection, output, 3);
  EXPECT_THAT(output.troubles(),
      ::testing::ElementsAre(
          "the output is on c, which does not answer; output of task 4-5 is left out"));
}

// A node dies with a task that then runs elsewhere: the output of the attempt that counts is whole.
TEST(LiveOutput, SaysNothingOfAttemptsThatWereReplaced) {
  FakeAgent agent([](FakeAgent& on) {
    on.fail(on.request(), "timeout", "the output is on c, which does not answer");
    on.fail(on.request(), "timeout", "the output is on c, which does not answer");
    on.reply(on.request(), piece("done\n"));
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  LiveOutput output(connection, {{"number", 1}});
  ASSERT_TRUE(output.follow(4, 1, false));
  ASSERT_TRUE(output.follow(5, 1, false));
  output.on_replaced(4, 1);
  ASSERT_TRUE(output.follow(4, 2, false));
  take(connection, output, 3);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "4: done\n");
  EXPECT_THAT(output.troubles(),
      ::testing::ElementsAre(
          "the output is on c, which does not answer; output of task 5 is left out"));
}

}  // namespace
}  // namespace dunlin::cli
