// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "sched/directory/directory.h"
#include "sched/frontend/submit_check.h"
#include "sched/node_spec.h"
#include "tests/support/solo.h"

// A standby of an earlier build does not know all that a job can say now, and would lose it without
// a word.
namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;

class StandbyWords : public test::Solo {
 protected:
  /// Another node, of a build that can do so much; it keeps copies of logs unless `replica` is 0.
  void hear(std::uint64_t capabilities, std::uint64_t replica) {
    overlay::Descriptor told;
    told.id = {2};
    told.address = node(2).address;
    told.incarnation = 1;
    directory.hear(now, told);
    const Facts facts{
        .name = "osprey", .incarnation = 1, .capabilities = capabilities, .replica = replica};
    Turn one = turn();
    directory.on_message(one, node(2), facts);
  }
  static Job replicated() {
    Job job;
    job.groups.push_back({});
    job.replicas = 1;
    return job;
  }

  NodeSpec self{.endpoint = node(1), .name = "kestrel"};
  Directory directory{{.size_max = 4}, self};
};

TEST_F(StandbyWords, OfAnEarlierBuildAreLost) {
  Job job = replicated();
  job.labels = {{.key = "team", .value = "a"}};
  EXPECT_TRUE(check_words(job, directory, now));
  hear(kLargeCommands, 7);
  const auto refused = check_words(job, directory, now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_THAT(refused.error().text, HasSubstr("node osprey is of an earlier build"));
  EXPECT_THAT(refused.error().text, HasSubstr("(labels)"));
  job.labels.clear();
  EXPECT_TRUE(check_words(job, directory, now)) << "it says nothing that is new";
  job.comment = "third try";
  EXPECT_FALSE(check_words(job, directory, now));
  job.comment.clear();
  job.begin = std::chrono::hours(1);
  EXPECT_THAT(check_words(job, directory, now).error().text, HasSubstr("(begin)"));
  job.replicas = 0;
  EXPECT_TRUE(check_words(job, directory, now)) << "it has no standby";
}

// A build may know some of them.
TEST_F(StandbyWords, ThatCameLaterHaveACapabilityOfTheirOwn) {
  Job job = replicated();
  job.comment = "third try";
  job.after_jobs = {{.begun_for = std::chrono::minutes(10)}};
  hear(kLargeCommands | kJobWords, 7);
  EXPECT_THAT(
      check_words(job, directory, now).error().text, HasSubstr("(after a job that started)"));
  job.after_jobs.clear();
  EXPECT_TRUE(check_words(job, directory, now));
}

TEST_F(StandbyWords, OfThisBuildAreKept) {
  Job job = replicated();
  job.comment = "third try";
  hear(kCapabilities, 7);
  EXPECT_TRUE(check_words(job, directory, now));
}

TEST_F(StandbyWords, NeedNoNodeThatKeepsNoLogs) {
  Job job = replicated();
  job.comment = "third try";
  hear(kLargeCommands, 0);
  EXPECT_TRUE(check_words(job, directory, now));
}

}  // namespace
}  // namespace dunlin::sched
