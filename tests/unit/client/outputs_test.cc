// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/unit/client/scripted_agent.h"

// The reading of what tasks write.
namespace dunlin::client {
namespace {

using ::testing::SizeIs;

using OutputsTest = ScriptedAgent;

// What is followed through a retry read as one text.
TEST_F(OutputsTest, OfTwoAttemptsAreKeptApart) {
  const JobPtr job = submit(false);
  connect();
  reply(next_request("submit"), taken(7));
  next_request("subscribe");
  auto output = std::make_shared<Output>(Output{.job = job, .follow = true});
  ASSERT_TRUE(engine.read(output));
  const Json asked = next_request("output");
  const auto told = [&](int attempt, const char* base64, int next) {
    reply(asked,
        {{"attempt", attempt}, {"next", next}, {"total", next}, {"ended", false}, {"data", base64}},
        false);
  };
  told(1, "QUFB", 3);
  told(2, "Qg==", 1);
  ASSERT_THAT(output->chunks, SizeIs(2));
  EXPECT_EQ(output->chunks[0].attempt, 1u);
  EXPECT_EQ(output->chunks[0].bytes, "AAA");
  EXPECT_EQ(output->chunks[1].attempt, 2u);
  EXPECT_EQ(output->chunks[1].bytes, "B");
  lose();
  connect();
  next_request("subscribe");
  const Json again = next_request("output");
  EXPECT_EQ(again["offset_attempt"], 2);
  EXPECT_EQ(again["offset"], 1) << "of the attempt that is read now";
}

}  // namespace
}  // namespace dunlin::client
