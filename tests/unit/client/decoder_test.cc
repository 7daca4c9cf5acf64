// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "node/client/frames.h"
#include "node/client/include/dunlin.h"
#include "node/client/json.h"
#include "node/client/submission.h"

// Bytes and texts of others.
namespace dunlin::client {
namespace {

using ::testing::HasSubstr;

TEST(ClientFrames, ComeWholeHoweverTheyWereCut) {
  std::string bytes;
  append_frame(bytes, "one");
  append_frame(bytes, "");
  append_frame(bytes, std::string(70'000, 'x'));
  FrameReader reader;
  std::vector<std::string> read;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    while (const auto frame = reader.next()) read.push_back(*frame);
  }
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0], "one");
  EXPECT_EQ(read[2].size(), 70'000u);
}

TEST(ClientFrames, ALengthBeyondTheLimitBreaksTheStream) {
  FrameReader reader;
  reader.feed(std::string("\x01\x00\x00\x01x", 5));  // 16 MiB and one byte.
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.broken());
}

TEST(ClientJson, MembersOfAnotherTypeCountAsMissing) {
  const Json json = Json::parse(R"({"a": -1, "b": 4294967296, "c": "x", "d": 1.5, "e": null})");
  EXPECT_EQ(number_of<std::uint32_t>(json, "a"), 0u);
  EXPECT_EQ(number_of<std::int32_t>(json, "a"), -1);
  EXPECT_EQ(number_of<std::uint32_t>(json, "b"), 0u);
  EXPECT_EQ(number_of<std::uint64_t>(json, "b"), 4294967296u);
  EXPECT_EQ(number_of<std::uint32_t>(json, "d"), 0u);
  EXPECT_EQ(text_of(json, "a"), "");
  EXPECT_TRUE(list_of(json, "c").empty());
  EXPECT_EQ(member(json, "e"), nullptr);
  EXPECT_EQ(member(Json(7), "e"), nullptr);
}

TEST(ClientSubmission, IsAnObjectOfAJobsMembers) {
  Job job;
  EXPECT_EQ(read_submission(R"({"groups":[]})", job).status, DUNLIN_OK);
  EXPECT_EQ(job.members, R"("groups":[],"strict":true)");
  EXPECT_EQ(job.key.size(), 32u);
  const std::string key(32, 'a');
  EXPECT_EQ(read_submission("{\"key\":\"" + key + "\",\"groups\":[]}", job).status, DUNLIN_OK);
  EXPECT_EQ(job.key, key);
  EXPECT_THAT(job.members, ::testing::Not(HasSubstr("key")));
  for (const char* const wrong : {"", "[]", "{}", "{", R"({"groups":[],"verb":"drain"})",
           R"({"groups":[],"at":"x"})", R"({"groups":[],"key":"x"})"}) {
    EXPECT_EQ(read_submission(wrong, job).status, DUNLIN_USAGE) << wrong;
  }
  EXPECT_THAT(read_submission(R"({"groups":[],"id":1})", job).text, HasSubstr("'id'"));
}

TEST(ClientSubmission, KnowsAJobsId) {
  EXPECT_TRUE(is_job_id("0123456789abcdef.1"));
  for (const char* const wrong : {"", "12", "merlin.12", "0123456789abcdef.", "0123456789abcdef.x",
           "0123456789ABCDEF.1", "0123456789abcdef.1.2"}) {
    EXPECT_FALSE(is_job_id(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace dunlin::client
