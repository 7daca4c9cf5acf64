// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/codec.h"
#include "tests/newer/newer_messages.h"

// Messages of a build that comes after this one: see docs/guide/operators.md.
namespace dunlin::sched {
namespace {

std::optional<Message> decoded(const std::string& bytes) {
  return decode(std::as_bytes(std::span(bytes)));
}

TEST(NewerPeer, FieldsThatThisBuildDoesNotKnowAreIgnored) {
  const auto asked = decoded(newer::facts_request(9));
  ASSERT_TRUE(asked);
  EXPECT_EQ(std::get<FactsRequest>(*asked), (FactsRequest{.request = 9}));
  const auto bounced = decoded(newer::bounced(newer::BounceReason::SICK));
  ASSERT_TRUE(bounced);
  EXPECT_EQ(std::get<Bounced>(*bounced).job.number, 7u);
  EXPECT_EQ(std::get<Bounced>(*bounced).reason, BounceReason::sick);
}

TEST(NewerPeer, TheUseOfATaskIsReadAsFarAsThisBuildKnowsIt) {
  const auto done = decoded(newer::done());
  ASSERT_TRUE(done);
  const Report& report = std::get<Done>(*done).reports.at(0);
  EXPECT_EQ(report.index, 3u);
  EXPECT_EQ(report.use, (TaskUse{.disk_written = 4096, .has_disk = true}));
}

TEST(NewerPeer, AMessageWithAWordThatThisBuildDoesNotKnowIsIgnored) {
  EXPECT_FALSE(decoded(newer::bounced(newer::BounceReason::TIRED)));
}

TEST(NewerPeer, AKindOfMessageThatThisBuildDoesNotKnowIsIgnored) {
  EXPECT_FALSE(decoded(newer::novelty()));
}

// The snapshot is of this schema: whoever adds a member moves the new ones up.
TEST(NewerPeer, TheSnapshotFollowsTheSchema) {
  EXPECT_EQ(std::variant_size_v<Message>, std::size_t{newer::Message::NOVELTY});
  EXPECT_EQ(std::size(kBounceReasonWords), static_cast<std::size_t>(newer::BounceReason::TIRED));
}

}  // namespace
}  // namespace dunlin::sched
