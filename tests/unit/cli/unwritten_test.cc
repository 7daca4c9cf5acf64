// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/full_stdout.h"
#include "tests/unit/cli/connection/fake_agent.h"
#include "tools/dunlin/app.h"
#include "tools/dunlin/connection/live_output.h"
#include "tools/dunlin/connection/output_stream.h"

// Output that could not be written is status 1 and one line that says which and why.
namespace dunlin::cli {
namespace {

constexpr const char* kReason = "cannot write to stdout: No space left on device";

TEST(Unwritten, OutputOfACommandIsStatus1AndSaysWhy) {
  const std::vector<std::string> lines[] = {{"dunlin", "--help"}, {"dunlin", "--version"},
      {"dunlin", "run", "--help"}, {"dunlin", "params"}, {"dunlin", "params", "--json"},
      {"dunlin", "completion", "bash"}, {"dunlin", "version", "--json"}};
  for (const auto& line : lines) {
    std::vector<char*> words;
    for (const auto& word : line) words.push_back(const_cast<char*>(word.c_str()));
    int status = 0;
    ::testing::internal::CaptureStderr();
    {
      const test::FullStdout full;
      const auto none = [](const auto&) -> Result<int> { return 0; };
      status = run(static_cast<int>(words.size()), words.data(), {all_commands(), none, none});
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), std::string("dunlin: ") + kReason + "\n");
    EXPECT_EQ(status, 1) << line.back();
  }
}

TEST(Unwritten, OutputOfATaskEndsTheCommandAtOnce) {
  FakeAgent agent([](FakeAgent& on) {
    on.reply(on.request(), {{"data", "QUFB"}, {"total", 3}, {"ended", true}});
  });
  auto connection = agent.connect();
  OutputStream output(connection, {{"number", 1}}, [] {}, [](const std::string&) {});
  ASSERT_TRUE(output.add({.task = 0}));
  const auto reply = connection.next();
  ASSERT_TRUE(reply);
  const auto taken = [&] {
    const test::FullStdout full;
    return output.take(*reply);
  }();
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().text, kReason);
}

TEST(Unwritten, LiveOutputOfATaskEndsTheCommandAtOnce) {
  FakeAgent agent([](FakeAgent& on) { on.reply(on.request(), {{"data", "QUFB"}}, true); });
  auto connection = agent.connect();
  LiveOutput output(connection, {{"number", 1}});
  ASSERT_TRUE(output.follow(0, 1, false));
  const auto reply = connection.next();
  ASSERT_TRUE(reply);
  const auto taken = [&] {
    const test::FullStdout full;
    return output.take(*reply, Clock::now());
  }();
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().text, kReason);
}

}  // namespace
}  // namespace dunlin::cli
