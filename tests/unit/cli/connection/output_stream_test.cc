// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/output_stream.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/connection/fake_agent.h"

namespace dunlin::cli {
namespace {

void say(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
}

void print_all(Connection& connection, OutputStream& output) {
  while (!output.idle()) {
    const auto reply = connection.next();
    ASSERT_TRUE(reply) << reply.error().text;
    ASSERT_TRUE(output.take(*reply));
  }
}

// Streams come back in any order, in pieces, and are printed whole, in the order asked for.
TEST(OutputStream, PrintsInOrder) {
  FakeAgent agent([](FakeAgent& on) {
    const Json first = on.request();
    const Json second = on.request();
    EXPECT_EQ(first["bytes_max"], OutputStream::kPieceBytes);
    on.reply(second, {{"data", "Qg=="}, {"total", 1}, {"ended", true}});
    on.reply(first, {{"data", "QUE="}, {"total", 3}, {"ended", true}});
    const Json rest = on.request();
    EXPECT_EQ(rest["offset"], 2);
    on.reply(rest, {{"data", "YQ=="}, {"total", 3}, {"ended", true}});
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  OutputStream output(connection, {{"number", 1}}, [] {}, say);
  ASSERT_TRUE(output.add({.task = 0, .err = false, .live = false}));
  ASSERT_TRUE(output.add({.task = 1, .err = false, .live = false}));
  print_all(connection, output);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "AAaB");
  EXPECT_EQ(output.trouble(), "");
}

// Node c, which has the last ten tasks, is gone. It is asked once and early, one line says what is
// left out, and all that node a has is printed.
TEST(OutputStream, LeavesOutANodeThatDoesNotAnswer) {
  std::vector<int> asked;
  FakeAgent agent([&](FakeAgent& on) {
    for (Json request = on.request(); !request.is_null(); request = on.request()) {
      asked.push_back(request["task"]);
      if (asked.back() >= 60) {
        on.fail(request, "timeout", "the output is on c, which does not answer");
      } else {
        on.reply(request, {{"data", "QQ=="}, {"total", 1}, {"ended", true}});
      }
    }
  });
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  {
    auto connection = agent.connect();
    OutputStream output(connection, {{"number", 1}}, [] {}, say);
    for (std::uint32_t task = 0; task < 70; ++task) {
      ASSERT_TRUE(output.add({.task = task, .node = task < 60 ? "a" : "c"}));
    }
    print_all(connection, output);
    EXPECT_TRUE(output.report_left_out());
    EXPECT_EQ(output.trouble(), "");
  }
  agent.join();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), std::string(60, 'A'));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
      "node c does not answer; the output of tasks 60-69 is left out\n");
  ASSERT_EQ(asked.size(), 61u);
  EXPECT_EQ(asked[OutputStream::kAtOnce], 60) << "as soon as it is known, not when its turn comes";
}

TEST(OutputStream, TasksThatFollowOnASilentNodeAreReportedAtTheEnd) {
  FakeAgent agent([](FakeAgent& on) { on.fail(on.request(), "timeout", "silence"); });
  auto connection = agent.connect();
  ::testing::internal::CaptureStderr();
  OutputStream output(connection, {{"number", 1}}, [] {}, say);
  ASSERT_TRUE(output.add({.task = 3, .node = "c"}));
  print_all(connection, output);
  ASSERT_TRUE(output.add({.task = 4, .node = "c"}));
  ASSERT_TRUE(output.add({.task = 4, .err = true, .node = "c"}));
  EXPECT_TRUE(output.idle()) << "it is not asked again";
  EXPECT_TRUE(output.report_left_out());
  EXPECT_TRUE(output.report_left_out()) << "and says no more";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
      "node c does not answer; the output of task 3 is left out\n"
      "node c does not answer; the output of task 4 is left out\n");
}

TEST(OutputStream, ATaskThatFailsOtherwiseHidesNoNode) {
  FakeAgent agent([](FakeAgent& on) {
    on.fail(on.request(), "not_found", "task 0 never ran");
    on.reply(on.request(), {{"data", "QQ=="}, {"total", 1}, {"ended", true}});
  });
  auto connection = agent.connect();
  ::testing::internal::CaptureStdout();
  OutputStream output(connection, {{"number", 1}}, [] {}, say);
  ASSERT_TRUE(output.add({.task = 0, .node = "a"}));
  ASSERT_TRUE(output.add({.task = 1, .node = "a"}));
  print_all(connection, output);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "A");
  EXPECT_EQ(output.trouble(), "task 0 never ran");
  EXPECT_FALSE(output.report_left_out());
}

TEST(OutputStream, RangesAreShort) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({7, 7}), "7");
  EXPECT_EQ(ranges_text({9, 4, 5, 6, 0, 4}), "0, 4-6, 9");
  std::vector<std::uint32_t> odd;
  for (std::uint32_t task = 1; task < 100; task += 2) odd.push_back(task);
  EXPECT_EQ(ranges_text(odd), "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, ...");
}

// A line may come in two pieces, and the last one may lack its end.
TEST(Labels, StandBeforeEachLine) {
  bool mid_line = false;
  EXPECT_EQ(with_labels("a\n\nb", 57, mid_line), "57: a\n57: \n57: b");
  EXPECT_TRUE(mid_line);
  EXPECT_EQ(with_labels("c\n", 57, mid_line), "c\n");
  EXPECT_FALSE(mid_line);
  EXPECT_EQ(with_labels("", 57, mid_line), "");
}

}  // namespace
}  // namespace dunlin::cli
